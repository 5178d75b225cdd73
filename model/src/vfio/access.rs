//! Owns what the windows of the device are, and how an access of any length falls into accesses that a bus can make.

use xframe::constants::Asic;

use crate::card::{Bar, Width};

/// How many regions a PCI device has: six windows, ROM, configuration space, VGA.
pub(crate) const REGIONS: u32 = 9;

/// A region of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    Window(Bar),
    Configuration,
}

impl Region {
    /// What region number `index` is; `None` if it is empty.
    pub const fn new(index: u32, asic: Asic) -> Option<Self> {
        match index {
            0 => Some(Self::Window(Bar::Registers)),
            2 => Some(Self::Window(Bar::Doorbells)),
            4 if matches!(asic, Asic::Herc) => Some(Self::Window(Bar::Vectors)),
            7 => Some(Self::Configuration),
            _ => None,
        }
    }

    /// Bytes.
    pub const fn size(self) -> u64 {
        match self {
            Self::Window(Bar::Registers) => 32 << 10,
            Self::Window(Bar::Doorbells) => 1 << 20,
            Self::Window(Bar::Vectors) => 8 << 10,
            Self::Configuration => 256,
        }
    }

    /// The longest access its bus makes.
    const fn widest(self) -> Width {
        match self {
            Self::Window(_) => Width::Qword,
            Self::Configuration => Width::Dword,
        }
    }

    /// Whether all of `count` bytes from `offset` are in it.
    pub fn holds(self, offset: u64, count: u64) -> bool {
        offset.checked_add(count).is_some_and(|end| end <= self.size())
    }

    /// The accesses that `count` bytes from `offset` take: each as wide as its alignment, the region and the rest allow.
    pub fn accesses(self, offset: u64, count: usize) -> impl Iterator<Item = (u64, Width)> {
        let mut done = 0;
        std::iter::from_fn(move || {
            let at = offset + done as u64;
            let fits = |width: &Width| {
                width.bytes() <= count - done
                    && width.bytes() <= self.widest().bytes()
                    && at.is_multiple_of(width.bytes() as u64)
            };
            let width = [Width::Qword, Width::Dword, Width::Word, Width::Byte].into_iter().find(fits)?;
            done += width.bytes();
            Some((at, width))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(region: Region, offset: u64, count: usize) -> Vec<(u64, usize)> {
        region.accesses(offset, count).map(|(at, width)| (at, width.bytes())).collect()
    }

    #[test]
    fn an_access_a_bus_can_make_is_one() {
        for width in [1, 2, 4, 8] {
            assert_eq!(split(Region::Window(Bar::Registers), 0x108, width), [(0x108, width)]);
        }
    }

    #[test]
    fn others_fall_into_aligned_ones() {
        let registers = Region::Window(Bar::Registers);
        assert_eq!(split(registers, 0x101, 7), [(0x101, 1), (0x102, 2), (0x104, 4)]);
        assert_eq!(split(registers, 0x104, 8), [(0x104, 4), (0x108, 4)]);
        assert_eq!(split(registers, 0x100, 0), []);
        assert_eq!(split(Region::Configuration, 0, 256).len(), 64);
    }

    #[test]
    fn a_region_ends_where_it_ends() {
        let registers = Region::Window(Bar::Registers);
        assert!(registers.holds(0x7FF8, 8) && registers.holds(0x8000, 0));
        assert!(!registers.holds(0x7FF9, 8) && !registers.holds(u64::MAX, 2));
    }
}
