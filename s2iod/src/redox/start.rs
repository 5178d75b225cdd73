//! From the command line to a registered scheme. Whatever fails ends the process, so that the spawner goes on.

use std::error::Error;
use std::process::ExitCode;

use libredox::Fd;
use libredox::call::setrens;
use log::LevelFilter;
use pcid_interface::PciFunctionHandle;

use super::dma::Memory;
use super::events::EventQueue;
use super::irqs::Irqs;
use super::logging;
use super::platform::RedoxPlatform;
use super::scheme::NetworkScheme;
use crate::adapter::Adapter;
use crate::daemon::Daemon;
use crate::options::Options;

/// Where the spawner leaves the number of the descriptor that it waits at.
const NOTIFY: &str = "INIT_NOTIFY";

/// Drives the card that pcid-spawner has started this process for, until its scheme is unmounted.
pub fn main() -> ExitCode {
    let options = match Options::parse(std::env::args_os().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("s2iod: {error}");
            return ExitCode::from(2);
        }
    };
    match start(options).and_then(|mut daemon| Ok(daemon.run()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Before the log is set up nothing comes of what is logged.
            if log::max_level() == LevelFilter::Off {
                eprintln!("s2iod: {error}");
            }
            log::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn start(options: Options) -> Result<Daemon<RedoxPlatform, NetworkScheme, EventQueue>, Box<dyn Error>> {
    let function = PciFunctionHandle::connect_default()?;
    let config = function.config().func;
    let name = format!("{}_s2io", config.name());
    logging::start(&name);
    log::info!("{config}");
    let memory = Memory::open()?;
    let irqs = Irqs::open(config.legacy_interrupt_line, options.vectors());
    let adapter = Adapter::bring_up(RedoxPlatform::new(function, memory, irqs.clone()), options)?;
    let scheme = NetworkScheme::register(format!("network.{name}"))?;
    let events = EventQueue::open(scheme.socket(), irqs)?;
    // Nothing is opened by name from here on.
    setrens(0, 0)?;
    report_ready()?;
    Ok(Daemon::new(adapter, scheme, events))
}

/// Lets the spawner go on to the next driver.
fn report_ready() -> Result<(), Box<dyn Error>> {
    let Some(descriptor) = std::env::var(NOTIFY).ok() else {
        log::info!("{NOTIFY} is not set: nobody waits");
        return Ok(());
    };
    let descriptor = descriptor.parse().map_err(|_| format!("{NOTIFY} is {descriptor:?}, no descriptor"))?;
    Fd::new(descriptor).write(&[0])?;
    Ok(())
}
