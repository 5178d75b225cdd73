//! What can happen.

#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A frame that is no segment comes over the wire.
    Frame(usize),
    /// The next segment of a flow comes over the wire.
    Segment(u16, usize),
    Steps(usize),
    /// The daemon serves an interrupt, if there is one.
    Interrupt,
    InterruptLost,
    InterruptDoubled,
    /// So many milliseconds later the daemon looks after the card.
    Watch(u16),
    /// The client reads, and waits or not.
    Read(usize, bool),
    /// The client writes, and waits or not.
    Write(usize, bool),
    /// The client closes its handle and opens another.
    Reopen,
    Plug(bool),
    Statistics,
    Mtu(u16),
    Fault(Fault),
}

#[derive(Clone, Copy, Debug)]
pub enum Fault {
    Fatal,
    Counted,
    /// All registers and configuration space are as after power-on.
    PowerCut,
    RingStops,
    EnableDrops,
    /// A fatal alarm, and so many resets that do not help.
    ResetsFail(u8),
}
