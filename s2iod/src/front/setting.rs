//! What is written to the paths that are settings: whole lines of text, understood before anything is changed.

use super::{Call, Device, Errno, Front, Path};

/// The longest text that a setting takes; longer than any list of addresses that a card can hold.
const LONGEST: usize = 65_536;

/// A change that a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// `mtu`: bytes of IP in the longest frame.
    Mtu(u16),
    /// `promiscuous`: take every frame, whatever its address.
    Promiscuous(bool),
    /// `multicast`: take frames to this group.
    AddMulticast([u8; 6]),
    /// `multicast`: no longer.
    RemoveMulticast([u8; 6]),
}

impl<T, B: AsRef<[u8]> + AsMut<[u8]>> Front<T, B> {
    /// Every write counts by itself, wherever it is in the file: one line, or several for a list. A line that makes no
    /// sense leaves everything as it was; one that the device refuses ends the write, and those before it stand.
    pub(super) fn write_setting<D: Device + ?Sized>(&mut self, call: Call<T, B>, path: Path, device: &mut D) {
        let text = call.buffer.as_ref();
        let length = text.len();
        let result = parse(path, text).and_then(|changes| {
            changes.into_iter().try_for_each(|change| device.change(change))?;
            Ok(length)
        });
        self.complete(call, result);
    }
}

fn parse(path: Path, text: &[u8]) -> Result<Vec<Change>, Errno> {
    let text = text.get(..text.len().min(LONGEST + 1)).filter(|text| text.len() <= LONGEST).ok_or(Errno::EINVAL)?;
    let text = std::str::from_utf8(text).map_err(|_| Errno::EINVAL)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let changes: Option<Vec<_>> = lines.map(|line| change(path, line)).collect();
    let changes = changes.filter(|changes| changes.len() == 1 || path == Path::Multicast && !changes.is_empty());
    changes.ok_or(Errno::EINVAL)
}

fn change(path: Path, line: &str) -> Option<Change> {
    match path {
        Path::Mtu => line.parse().ok().map(Change::Mtu),
        Path::Promiscuous if line == "on" => Some(Change::Promiscuous(true)),
        Path::Promiscuous if line == "off" => Some(Change::Promiscuous(false)),
        Path::Multicast => {
            let (verb, address) = line.split_once(' ')?;
            let address = group(address.trim_start())?;
            match verb {
                "add" => Some(Change::AddMulticast(address)),
                "remove" => Some(Change::RemoveMulticast(address)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// An address of a group: six numbers of two hexadecimal digits, not all ones.
fn group(text: &str) -> Option<[u8; 6]> {
    let mut bytes = text.split(':').map(|digits| match digits.as_bytes() {
        [_, _] if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => u8::from_str_radix(digits, 16).ok(),
        _ => None,
    });
    let mut address = [0; 6];
    for byte in &mut address {
        *byte = bytes.next()??;
    }
    let [first, ..] = address;
    (bytes.next().is_none() && first & 1 == 1 && address != [0xFF; 6]).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::{Change, Errno, LONGEST, Path, parse};

    const GROUP: [u8; 6] = [0x01, 0x00, 0x5E, 0x00, 0x00, 0xFB];

    #[test]
    fn settings_are_words_and_numbers_with_or_without_a_line_feed() {
        for (path, text, change) in [
            (Path::Mtu, "1500", Change::Mtu(1500)),
            (Path::Mtu, " 9000 \n", Change::Mtu(9000)),
            (Path::Promiscuous, "on\n", Change::Promiscuous(true)),
            (Path::Promiscuous, "off", Change::Promiscuous(false)),
            (Path::Multicast, "add 01:00:5e:00:00:fb\n", Change::AddMulticast(GROUP)),
            (Path::Multicast, "remove 01:00:5E:00:00:FB", Change::RemoveMulticast(GROUP)),
        ] {
            assert_eq!(parse(path, text.as_bytes()), Ok(vec![change]), "{text:?}");
        }
    }

    #[test]
    fn a_list_takes_several_lines() {
        let text = b"add 01:00:5e:00:00:fb\n\nremove 01:00:5e:00:00:fb\n";
        assert_eq!(parse(Path::Multicast, text), Ok(vec![Change::AddMulticast(GROUP), Change::RemoveMulticast(GROUP)]));
    }

    #[test]
    fn what_makes_no_sense_is_einval() {
        for (path, text) in [
            (Path::Mtu, ""),
            (Path::Mtu, "\n"),
            (Path::Mtu, "-1"),
            (Path::Mtu, "65536"),
            (Path::Mtu, "1500 bytes"),
            (Path::Mtu, "1500\n1500\n"),
            (Path::Promiscuous, "yes"),
            (Path::Promiscuous, "On"),
            (Path::Multicast, "01:00:5e:00:00:fb"),
            (Path::Multicast, "add"),
            (Path::Multicast, "add 01:00:5e:00:00"),
            (Path::Multicast, "add 01:00:5e:00:00:fb:00"),
            (Path::Multicast, "add 1:0:5e:0:0:fb"),
            (Path::Multicast, "add +1:00:5e:00:00:fb"),
            (Path::Multicast, "add 02:00:5e:00:00:fb"),
            (Path::Multicast, "add ff:ff:ff:ff:ff:ff"),
            (Path::Multicast, "add 01:00:5e:00:00:fb\nnonsense\n"),
        ] {
            assert_eq!(parse(path, text.as_bytes()), Err(Errno::EINVAL), "{text:?}");
        }
        assert_eq!(parse(Path::Mtu, b"15\xFF00"), Err(Errno::EINVAL));
        assert_eq!(parse(Path::Multicast, &vec![b'\n'; LONGEST + 1]), Err(Errno::EINVAL));
    }
}
