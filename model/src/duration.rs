//! Owns how times are written on command lines: `20us`, `5ms`, `3s`.

use std::time::Duration;

/// What `text` says; `None` if it is no time.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
    let number: u64 = digits.parse().ok()?;
    match text.get(digits.len()..)? {
        "us" => Some(Duration::from_micros(number)),
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_and_a_unit() {
        assert_eq!(parse("20us"), Some(Duration::from_micros(20)));
        assert_eq!(parse("5ms"), Some(Duration::from_millis(5)));
        assert_eq!(parse("3s"), Some(Duration::from_secs(3)));
        for wrong in ["", "3", "s", "-1s", "1.5s", "3 s", "3m", "3sms", "99999999999999999999s"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
