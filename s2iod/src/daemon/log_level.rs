//! How much is logged: what whoever started the system has said, for this driver or for all.

use log::LevelFilter;

/// Of the kernel's environment, the most special one first.
const VARIABLES: [&str; 3] = ["DRIVER_PCI_LOG_LEVEL", "DRIVER_NET_LOG_LEVEL", "DRIVER_LOG_LEVEL"];

/// The level that the kernel's environment asks of a network driver; one `name=value` a line.
#[must_use]
pub fn log_level(environment: &str) -> Option<LevelFilter> {
    let value = |variable: &str| {
        let mut variables = environment.lines().filter_map(|line| line.split_once('='));
        variables.find(|(name, _)| *name == variable)?.1.trim().parse().ok()
    };
    VARIABLES.into_iter().find_map(value)
}

#[cfg(test)]
mod tests {
    use super::log_level;
    use log::LevelFilter;

    #[test]
    fn the_most_special_variable_counts() {
        let environment = "RUST_LOG=trace\nDRIVER_LOG_LEVEL=warn\nDRIVER_NET_LOG_LEVEL=debug\n";
        assert_eq!(log_level(environment), Some(LevelFilter::Debug));
        assert_eq!(log_level(&format!("{environment}DRIVER_PCI_LOG_LEVEL=ERROR")), Some(LevelFilter::Error));
        assert_eq!(log_level("DRIVER_LOG_LEVEL=info"), Some(LevelFilter::Info));
    }

    #[test]
    fn what_is_no_level_is_passed_over() {
        assert_eq!(log_level(""), None);
        assert_eq!(log_level("DRIVER_PCI_LOG_LEVEL=loud\nDRIVER_LOG_LEVEL=warn"), Some(LevelFilter::Warn));
        assert_eq!(log_level("MY_DRIVER_LOG_LEVEL=warn"), None);
    }
}
