//! Where the log goes: standard error, and a file of the logging scheme.

use libredox::Fd;
use libredox::flag::{O_CLOEXEC, O_RDONLY};
use log::LevelFilter;
use redox_log::{OutputBuilder, RedoxLogger};

use crate::daemon::log_level;

/// Longest kernel environment that is looked at.
const ENVIRONMENT: usize = 4096;

/// Logs under `name` from here on. To be called before the driver leaves its namespace.
pub(super) fn start(name: &str) {
    let level = environment().and_then(|environment| log_level(&environment)).unwrap_or(LevelFilter::Info);
    let stderr = OutputBuilder::stderr().with_filter(level).with_ansi_escape_codes().flush_on_newline(true).build();
    let mut logger = RedoxLogger::new().with_output(stderr);
    match OutputBuilder::in_redox_logging_scheme("net", "pci", format!("{name}.log")) {
        Ok(file) => logger = logger.with_output(file.with_filter(level).flush_on_newline(true).build()),
        Err(error) => eprintln!("s2iod: no log file: {error}"),
    }
    if logger.enable().is_err() {
        eprintln!("s2iod: another logger is in place");
    }
}

fn environment() -> Option<String> {
    let variables = Fd::open("/scheme/sys/env", O_RDONLY | O_CLOEXEC, 0).ok()?;
    let mut bytes = vec![0; ENVIRONMENT];
    let length = variables.read(&mut bytes).ok()?;
    bytes.truncate(length);
    String::from_utf8(bytes).ok()
}
