//! `xframe-vfio`: the software Xframe as a PCI device that a virtual machine monitor plugs into its machine.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use model::serve::Options;

/// A software Neterion Xframe card for virtual machines, over vfio-user
#[derive(Parser)]
#[command(name = "xframe-vfio", version)]
struct Arguments {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    env_logger::builder()
        .filter_level(log::LevelFilter::Info)
        .format(|line, record| writeln!(line, "xframe-vfio: {}", record.args()))
        .init();
    match Arguments::parse().options.serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xframe-vfio: {error}");
            ExitCode::FAILURE
        }
    }
}
