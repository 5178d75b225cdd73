//! Owns how registers are named: the types of the map, its one table and the way back from an offset to a name.

mod table;

pub use table::*;

/// How a register answers host accesses. A 64-bit register, so 64 such bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::upper_case_acronyms, reason = "the hardware's own abbreviations")]
pub enum Access {
    /// Plain storage.
    RW,
    /// Computed or constant: writes are ignored.
    RO,
    /// Unlocks another register; its read value means nothing.
    WO,
    /// Status latch: writing 1 clears that bit, writing 0 leaves it.
    W1C,
    /// Holds a command bit that the hardware clears when the command is done.
    SC,
    /// A write counts only after the key register was written (Xena).
    KEY,
    /// Summary of lower-level registers: not stored.
    SUM,
}

/// One 64-bit register of BAR0, named by its byte offset, a multiple of 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(u16);

impl Register {
    /// The register that holds byte `offset` of BAR0.
    pub const fn containing(offset: u16) -> Self {
        Self(offset & !7)
    }

    /// Byte offset in BAR0.
    pub const fn offset(self) -> u16 {
        self.0
    }
}

/// Consecutive registers of one name, one per ring, FIFO pair or calendar word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterArray {
    first: u16,
    count: u16,
}

impl RegisterArray {
    /// The first register of the array.
    pub const fn first(self) -> Register {
        Register(self.first)
    }

    /// The register `index`; `None` beyond the end.
    pub const fn at(self, index: usize) -> Option<Register> {
        if index < self.count as usize { Some(Register(self.first + 8 * index as u16)) } else { None }
    }

    /// Which element `register` is; `None` if it is not of this array.
    pub const fn index_of(self, register: Register) -> Option<usize> {
        match register.0.checked_sub(self.first) {
            Some(distance) if distance / 8 < self.count => Some((distance / 8) as usize),
            _ => None,
        }
    }

    /// All registers of the array in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Register> {
        (0..self.count).map(move |index| Register(self.first + 8 * index))
    }
}

/// A row of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Byte offset of the first register.
    pub offset: u16,
    /// The hardware's name, in capitals.
    pub name: &'static str,
    /// Number of consecutive registers.
    pub count: u16,
    /// How it answers accesses.
    pub access: Access,
}

/// The row that byte `offset` of BAR0 lies in and the index within it, for traces and the model's decoder.
/// `None` in the holes of the map.
pub fn lookup(offset: u16) -> Option<(&'static Entry, usize)> {
    let after = TABLE.partition_point(|entry| entry.offset <= offset);
    let entry = TABLE.get(after.checked_sub(1)?)?;
    let index = (offset - entry.offset) / 8;
    (index < entry.count).then_some((entry, usize::from(index)))
}

/// Turns the rows of the map into one constant each and into `TABLE`.
macro_rules! registers {
    ($($offset:literal $name:ident $([$count:literal])? $access:ident $doc:literal;)*) => {
        $(registers!(@constant $offset $name $([$count])? $doc);)*

        /// The whole map in ascending order of offset.
        pub static TABLE: &[Entry] = &[$(Entry {
            offset: $offset,
            name: stringify!($name),
            count: registers!(@count $($count)?),
            access: Access::$access,
        }),*];
    };
    (@constant $offset:literal $name:ident $doc:literal) => {
        #[doc = $doc]
        pub const $name: Register = Register($offset);
    };
    (@constant $offset:literal $name:ident [$count:literal] $doc:literal) => {
        #[doc = $doc]
        pub const $name: RegisterArray = RegisterArray { first: $offset, count: $count };
    };
    (@count) => { 1 };
    (@count $count:literal) => { $count };
}
use registers;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_bounded() {
        assert_eq!(PRC_CTRL.at(7).map(Register::offset), Some(0x19A8));
        assert_eq!(PRC_CTRL.at(8), None);
        assert_eq!(PRC_CTRL.iter().count(), 8);
    }

    #[test]
    fn an_array_knows_its_elements() {
        assert_eq!(PRC_CTRL.index_of(Register::containing(0x19A8)), Some(7));
        assert_eq!(PRC_CTRL.index_of(PRC_ALARM_ACTION), None);
        assert_eq!(PRC_CTRL.index_of(PRC_RXD0.first()), None);
    }

    #[test]
    fn lookup_names_any_byte_of_a_register() {
        let (entry, index) = lookup(0x198C).unwrap();
        assert_eq!((entry.name, index), ("PRC_CTRL", 3));
        let (entry, index) = lookup(0x0000).unwrap();
        assert_eq!((entry.name, index), ("GENERAL_INT_STATUS", 0));
    }

    #[test]
    fn lookup_finds_nothing_in_a_hole() {
        assert_eq!(lookup(0x0010), None);
        assert_eq!(lookup(0x19D8), None);
        assert_eq!(lookup(0xFFFF), None);
    }

    #[test]
    fn the_table_ascends_without_overlap() {
        for pair in TABLE.windows(2) {
            let [low, high] = pair else { unreachable!() };
            assert!(low.offset + 8 * low.count <= high.offset, "{low:?} {high:?}");
        }
    }
}
