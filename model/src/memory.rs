//! Owns what the card knows of the host's memory: a bus it masters.

/// The host did not answer a read or write that the card mastered: no memory there, or not for the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing on the bus answers at {bus:#x}")]
pub struct MasterAbort {
    /// The address the card asked for.
    pub bus: u64,
}

/// The host's memory as the card reaches it. The card trusts no address it is given: an implementation must refuse every
/// range that is not wholly the card's to touch, whatever it overlaps or wraps.
pub trait Memory {
    /// Reads `into.len()` bytes from bus address `bus`.
    ///
    /// # Errors
    ///
    /// `MasterAbort` when any byte of the range is out of reach; `into` is then unspecified.
    fn read(&mut self, bus: u64, into: &mut [u8]) -> Result<(), MasterAbort>;

    /// Writes `from` to bus address `bus`. The host sees writes in the order they were made.
    ///
    /// # Errors
    ///
    /// `MasterAbort` when any byte of the range is out of reach; nothing is then written.
    fn write(&mut self, bus: u64, from: &[u8]) -> Result<(), MasterAbort>;
}

/// Reads one quadword and turns it by the setting of a swapper path.
pub(crate) fn read_word<M: Memory>(memory: &mut M, bus: u64, se: bool) -> Result<u64, MasterAbort> {
    let mut bytes = [0; 8];
    memory.read(bus, &mut bytes)?;
    Ok(xframe::swapper::transform(u64::from_le_bytes(bytes), se))
}

/// Writes one quadword turned by the setting of a swapper path.
pub(crate) fn write_word<M: Memory>(memory: &mut M, bus: u64, word: u64, se: bool) -> Result<(), MasterAbort> {
    memory.write(bus, &xframe::swapper::transform(word, se).to_le_bytes())
}

/// Reads frame data. Hosts leave this path's SE off; with it on, whole quadwords arrive reversed.
pub(crate) fn read_data<M: Memory>(memory: &mut M, bus: u64, into: &mut [u8], se: bool) -> Result<(), MasterAbort> {
    memory.read(bus, into)?;
    if se {
        reverse_quadwords(into);
    }
    Ok(())
}

/// Writes frame data; see [`read_data`].
pub(crate) fn write_data<M: Memory>(memory: &mut M, bus: u64, from: &[u8], se: bool) -> Result<(), MasterAbort> {
    if !se {
        return memory.write(bus, from);
    }
    let mut reversed = from.to_vec();
    reverse_quadwords(&mut reversed);
    memory.write(bus, &reversed)
}

fn reverse_quadwords(bytes: &mut [u8]) {
    bytes.chunks_exact_mut(8).for_each(<[u8]>::reverse);
}
