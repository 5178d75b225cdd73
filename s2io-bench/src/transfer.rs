//! The bytes of one transfer, over anything that reads or writes.

use std::io::{Read, Write};
use std::time::Instant;

use crate::error::Error;
use crate::pattern::fill;
use crate::tally::Tally;

/// Bytes of one read or write: what a TCP window without scaling holds.
const BUFFER: usize = 64 << 10;

/// Takes `wanted` bytes from `source` and checks each.
///
/// # Errors
///
/// The source fails, or ends before.
pub fn take(source: &mut impl Read, wanted: u64) -> Result<Tally, Error> {
    let begin = Instant::now();
    let mut tally = Tally::default();
    let mut buffer = vec![0; BUFFER];
    while tally.bytes < wanted {
        let room = usize::try_from(wanted - tally.bytes).unwrap_or(BUFFER).min(BUFFER);
        let part = buffer.get_mut(..room).unwrap_or_default();
        let length = source.read(part).map_err(Error::connection("reading"))?;
        if length == 0 {
            return Err(Error::Short { arrived: tally.bytes, wanted });
        }
        tally.add(part.get(..length).unwrap_or_default());
    }
    tally.time = begin.elapsed();
    Ok(tally)
}

/// Writes `wanted` bytes to `sink`.
///
/// # Errors
///
/// The sink fails.
pub fn write(sink: &mut impl Write, wanted: u64) -> Result<(), Error> {
    let mut buffer = vec![0; BUFFER];
    let mut position = 0;
    while position < wanted {
        let length = usize::try_from(wanted - position).unwrap_or(BUFFER).min(BUFFER);
        let part = buffer.get_mut(..length).unwrap_or_default();
        fill(position, part);
        sink.write_all(part).map_err(Error::connection("writing"))?;
        position += length as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_right() {
        for wanted in [0, 1, BUFFER as u64 - 1, BUFFER as u64, BUFFER as u64 + 1, 200_000] {
            let mut bytes = Vec::new();
            write(&mut bytes, wanted).unwrap();
            let tally = take(&mut bytes.as_slice(), wanted).unwrap();
            assert_eq!((tally.bytes, tally.wrong), (wanted, None));
        }
    }

    #[test]
    fn bytes_beyond_the_wanted_stay() {
        let mut bytes = Vec::new();
        write(&mut bytes, 100).unwrap();
        let mut source = bytes.as_slice();
        take(&mut source, 60).unwrap();
        assert_eq!(source.len(), 40);
    }

    #[test]
    fn a_source_that_ends_early_says_how_early() {
        let error = take(&mut [0x15, 0x7C].as_slice(), 3).unwrap_err();
        assert!(matches!(error, Error::Short { arrived: 2, wanted: 3 }), "{error}");
    }
}
