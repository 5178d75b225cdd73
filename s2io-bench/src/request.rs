//! What a client wants: one line of text.

use std::fmt;
use std::str::FromStr;

use crate::driver::FILES;
use crate::error::Error;

/// Where a server listens unless told otherwise.
pub const PORT: u16 = 5017;
/// Bytes of the longest line, its end included.
pub const MAX_LINE: usize = 64;

/// A line that a client sends, and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// That many bytes follow; the server checks them and answers with a [`Tally`](crate::Tally).
    Receive(u64),
    /// The server sends that many bytes.
    Send(u64),
    /// The server sends what a file of the driver's scheme says.
    Read(&'static str),
}

impl fmt::Display for Request {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Receive(bytes) => writeln!(out, "receive {bytes}"),
            Self::Send(bytes) => writeln!(out, "send {bytes}"),
            Self::Read(file) => writeln!(out, "read {file}"),
        }
    }
}

impl FromStr for Request {
    type Err = Error;

    fn from_str(line: &str) -> Result<Self, Error> {
        let unknown = || Error::Request(line.trim_end().to_owned());
        let (verb, rest) = line.trim_end().split_once(' ').ok_or_else(unknown)?;
        match verb {
            "receive" => rest.parse().map(Self::Receive).map_err(|_| unknown()),
            "send" => rest.parse().map(Self::Send).map_err(|_| unknown()),
            "read" => FILES.into_iter().find(|file| *file == rest).map(Self::Read).ok_or_else(unknown),
            _ => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_reads_back_from_its_line() {
        let requests = [Request::Receive(0), Request::Send(u64::MAX)].into_iter().chain(FILES.map(Request::Read));
        for request in requests {
            let line = request.to_string();
            assert!(line.ends_with('\n') && line.len() <= MAX_LINE, "{line:?}");
            assert_eq!(line.parse::<Request>().unwrap(), request);
        }
    }

    #[test]
    fn other_lines_are_refused_by_name() {
        for line in
            ["", "receive", "receive x", "receive -1", "send 18446744073709551616", "read promiscuous", "stop 1"]
        {
            let error = line.parse::<Request>().unwrap_err();
            assert!(matches!(&error, Error::Request(text) if text == line), "{error}");
        }
    }
}
