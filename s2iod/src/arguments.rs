//! The command line, as the pcid match table gives it.

use lexopt::{Arg, Parser, ValueExt};
use lro::Rules;
use std::ffi::OsString;
use std::str::FromStr;

use thiserror::Error;

use crate::error::Error;
use crate::options::{Options, Pause};
use crate::platform::Interrupts;

/// What the command line can say.
pub const USAGE: &str = "\
--lro=endpoint|seed|forward|off  which segments may share a unit (endpoint)
--lro-sessions=N                 flows that can have a growing unit at once
--lro-max-segments=N             segments in the longest unit
--mtu=BYTES                      IP in the longest frame, 46 to 9600 (1500)
--rings=N                        receive rings, 1 to 8: what is no TCP in the first, TCP's flows in the others (1)
--rx-slots=N                     receive slots that the card is given at once, for each ring (1024)
--rx-spare=N                     slots beyond those, for frames that nobody has read yet, for each ring (1024)
--tx-slots=N                     transmit slots (256)
--interrupts=msix|intx|polling   how the card is heard; the next best is used when that fails (msix)
--rx-usecs=N, --tx-usecs=N       microseconds that frames wait for their interrupt at the most (2000, 4000)
--rx-frames=N, --tx-frames=N     frames that share an interrupt on a busy link (64, 128)
--pause=both|rx|tx|off           pause frames: obeyed, sent (both)
--promiscuous                    take every frame, whatever its address";

/// Why a command line is not understood.
#[derive(Debug, Error)]
pub enum ArgumentError {
    /// There is no such option, or it has a value that it does not take, or none.
    #[error("{problem}; the options are:\n{USAGE}")]
    Unknown {
        /// Which, and what is wrong with it.
        problem: String,
    },
    /// A number is out of bounds.
    #[error(transparent)]
    OutOfBounds(#[from] Error),
}

impl From<lexopt::Error> for ArgumentError {
    fn from(error: lexopt::Error) -> Self {
        Self::Unknown { problem: error.to_string() }
    }
}

impl Options {
    /// Understands the arguments of a command line, the program's name left out.
    ///
    /// # Errors
    ///
    /// The first argument that makes no sense.
    pub fn parse(arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Self, ArgumentError> {
        let mut options = Self::default();
        let mut parser = Parser::from_args(arguments);
        while let Some(argument) = parser.next()? {
            let Arg::Long(name) = argument else { return Err(argument.unexpected().into()) };
            let name = name.to_owned();
            options.set(&name, &mut parser)?;
        }
        options.check()?;
        Ok(options)
    }

    fn set(&mut self, name: &str, parser: &mut Parser) -> Result<(), ArgumentError> {
        match name {
            "lro" => self.rules = word(name, parser, &RULES)?,
            "lro-sessions" => self.lro_sessions = Some(number(name, parser)?),
            "lro-max-segments" => self.lro_max_segments = Some(number(name, parser)?),
            "mtu" => self.mtu = number(name, parser)?,
            "rings" => self.rings = number(name, parser)?,
            "rx-slots" => self.rx_slots = number(name, parser)?,
            "rx-spare" => self.rx_spare = number(name, parser)?,
            "tx-slots" => self.tx_slots = number(name, parser)?,
            "rx-usecs" => self.rx_usecs = number(name, parser)?,
            "tx-usecs" => self.tx_usecs = number(name, parser)?,
            "rx-frames" => self.rx_frames = number(name, parser)?,
            "tx-frames" => self.tx_frames = number(name, parser)?,
            "pause" => self.pause = word(name, parser, &PAUSE)?,
            "interrupts" => self.interrupts = word(name, parser, &INTERRUPTS)?,
            "promiscuous" => self.promiscuous = true,
            _ => return Err(Arg::Long(name).unexpected().into()),
        }
        Ok(())
    }
}

const RULES: [(&str, Rules); 4] =
    [("endpoint", Rules::Endpoint), ("seed", Rules::Seed), ("forward", Rules::Forward), ("off", Rules::Off)];
const PAUSE: [(&str, Pause); 4] =
    [("both", Pause::Both), ("rx", Pause::Receive), ("tx", Pause::Send), ("off", Pause::Off)];
const INTERRUPTS: [(&str, Interrupts); 3] =
    [("msix", Interrupts::MsiX), ("intx", Interrupts::Line), ("polling", Interrupts::Polling)];

fn word<T: Copy>(name: &str, parser: &mut Parser, words: &[(&str, T)]) -> Result<T, ArgumentError> {
    let value = parser.value()?.string()?;
    let found = words.iter().find(|(word, _)| *word == value);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        ArgumentError::Unknown { problem: format!("--{name} is {}, not {value:?}", words.join(" or ")) }
    })
}

fn number<T: FromStr>(name: &str, parser: &mut Parser) -> Result<T, ArgumentError> {
    let value = parser.value()?.string()?;
    value.parse().map_err(|_| ArgumentError::Unknown { problem: format!("--{name} is a number, not {value:?}") })
}

#[cfg(test)]
mod tests {
    use lro::Rules;

    use crate::options::{Options, Pause};
    use crate::platform::Interrupts;

    fn parse<const N: usize>(arguments: [&str; N]) -> Result<Options, String> {
        Options::parse(arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn no_argument_leaves_every_option_at_its_default() {
        assert_eq!(parse([]), Ok(Options::default()));
    }

    #[test]
    fn every_option_is_understood_with_an_equals_sign_or_a_space() {
        let wanted = Options {
            rules: Rules::Seed,
            lro_sessions: Some(7),
            lro_max_segments: Some(11),
            mtu: 9000,
            rings: 5,
            rx_slots: 64,
            rx_spare: 32,
            tx_slots: 16,
            rx_usecs: 50,
            tx_usecs: 60,
            rx_frames: 8,
            tx_frames: 9,
            pause: Pause::Receive,
            promiscuous: true,
            interrupts: Interrupts::Line,
        };
        let options = [
            ("--lro", "seed"),
            ("--lro-sessions", "7"),
            ("--lro-max-segments", "11"),
            ("--mtu", "9000"),
            ("--rings", "5"),
            ("--rx-slots", "64"),
            ("--rx-spare", "32"),
            ("--tx-slots", "16"),
            ("--rx-usecs", "50"),
            ("--tx-usecs", "60"),
            ("--rx-frames", "8"),
            ("--tx-frames", "9"),
            ("--pause", "rx"),
            ("--interrupts", "intx"),
        ];
        let joined = options.iter().map(|(name, value)| format!("{name}={value}"));
        let apart = options.iter().flat_map(|(name, value)| [(*name).to_owned(), (*value).to_owned()]);
        let flag = || ["--promiscuous".to_owned()];
        assert_eq!(Options::parse(joined.chain(flag())).unwrap(), wanted);
        assert_eq!(Options::parse(apart.chain(flag())).unwrap(), wanted);
    }

    #[test]
    fn every_word_of_the_usage_is_an_option() {
        let words = super::USAGE.lines().flat_map(str::split_whitespace);
        let options = words.filter(|word| word.starts_with("--")).map(|word| word.trim_end_matches(','));
        for (option, least) in options.zip([0, 1, 1, 46, 1, 8, 0, 2, 0, 1, 1, 1, 1, 0, 0]) {
            let (name, values) = option.split_once('=').unwrap_or((option, ""));
            for value in values.split('|') {
                let value = if matches!(value, "N" | "BYTES") { least.to_string() } else { value.to_owned() };
                let argument = if value.is_empty() { name.to_owned() } else { format!("{name}={value}") };
                Options::parse([&argument]).unwrap_or_else(|error| panic!("{argument}: {error}"));
            }
        }
    }

    #[test]
    fn what_is_not_understood_is_named_with_what_would_be() {
        for (arguments, problem) in [
            (vec!["--lor=off"], "--lor"),
            (vec!["--lro=on"], "--lro is endpoint or seed or forward or off, not \"on\""),
            (vec!["--lro"], "--lro"),
            (vec!["--mtu=big"], "--mtu is a number, not \"big\""),
            (vec!["--mtu=-1"], "--mtu is a number, not \"-1\""),
            (vec!["--mtu=65536"], "--mtu is a number"),
            (vec!["--promiscuous=yes"], "--promiscuous"),
            (vec!["-m"], "-m"),
            (vec!["mtu"], "mtu"),
        ] {
            let said = Options::parse(&arguments).unwrap_err().to_string();
            assert!(said.contains(problem), "{arguments:?}: {said}");
            assert!(said.ends_with(super::USAGE), "{arguments:?}: {said}");
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_named_with_the_bounds() {
        for (argument, said) in [
            ("--mtu=9601", "--mtu 9601 is not possible: 46 to 9600 are"),
            ("--rings=0", "--rings 0 is not possible: 1 to 8 are"),
            ("--rings=9", "--rings 9 is not possible: 1 to 8 are"),
            ("--rx-slots=1", "--rx-slots 1 is not possible: 8 to 16384 are"),
            ("--lro-sessions=0", "--lro-sessions 0 is not possible: 1 to 81920 are"),
            ("--lro-max-segments=0", "--lro-max-segments 0 is not possible: 1 to 81920 are"),
        ] {
            assert_eq!(parse([argument]), Err(said.to_owned()));
        }
    }
}
