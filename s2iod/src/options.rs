//! What an owner of a card can choose.

use lro::Rules;
use xframe::constants::{MAX_MTU, RINGS};

use crate::error::Error;
use crate::platform::{FIRST_RING_VECTOR, Interrupts};

/// How the card is to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which segments may share a unit.
    pub rules: Rules,
    /// Flows that can have a growing unit at once; `None`: what the rules say.
    pub lro_sessions: Option<u32>,
    /// Segments in the longest unit; `None`: no limit.
    pub lro_max_segments: Option<u32>,
    /// Bytes of IP in the longest frame.
    pub mtu: u16,
    /// Receive rings: one for everything, or ring 0 for what is no TCP and further ones that share the flows of TCP.
    pub rings: u8,
    /// Receive slots that the card is given at once, for each ring.
    pub rx_slots: u32,
    /// Receive slots beyond those, for frames that the reader has not taken yet, for each ring.
    pub rx_spare: u32,
    /// Transmit slots.
    pub tx_slots: u32,
    /// Microseconds that received frames wait for their interrupt at the most.
    pub rx_usecs: u32,
    /// The same for frames that were sent: their slots become free.
    pub tx_usecs: u32,
    /// Frames that share a receive interrupt on a busy link.
    pub rx_frames: u16,
    /// Frames that share a transmit interrupt on a busy link.
    pub tx_frames: u16,
    /// Pause frames.
    pub pause: Pause,
    /// Take every frame, whatever its destination address.
    pub promiscuous: bool,
    /// How interrupts are wanted; the next best is used when they do not come.
    pub interrupts: Interrupts,
}

/// Whether the card sends pause frames when its packet memory fills up, and obeys those of the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Both.
    Both,
    /// It obeys only.
    Receive,
    /// It sends only.
    Send,
    /// Neither.
    Off,
}

impl Pause {
    pub(crate) fn sends(self) -> bool {
        matches!(self, Self::Both | Self::Send)
    }

    pub(crate) fn obeys(self) -> bool {
        matches!(self, Self::Both | Self::Receive)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rules: Rules::Endpoint,
            lro_sessions: None,
            lro_max_segments: None,
            mtu: 1500,
            rings: 1,
            rx_slots: 1024,
            rx_spare: 1024,
            tx_slots: 256,
            rx_usecs: 2000,
            tx_usecs: 4000,
            rx_frames: 64,
            tx_frames: 128,
            pause: Pause::Both,
            promiscuous: false,
            interrupts: Interrupts::MsiX,
        }
    }
}

/// Ethernet header, two VLAN tags and the FCS.
const FRAMING: u16 = 14 + 2 * 4 + FCS;
const FCS: u16 = 4;

/// Receive slots at the most, and with them flows and segments that the engine can hold.
const MOST_FRAMES: usize = 16_384 + 65_536;

/// Microseconds that a frame may wait for an interrupt: a tenth of a second.
const LONGEST_WAIT: usize = 100_000;

impl Options {
    /// Bytes of the longest frame with its framing. At the largest MTU the hardware has no room for a second tag.
    pub(crate) fn longest_frame(&self) -> u16 {
        (self.mtu + FRAMING).min(MAX_MTU + FRAMING - 4)
    }

    /// Bytes of FCS that the card leaves behind each frame. It takes the FCS off only where it hashes none: no driver is
    /// known to have it do both.
    pub(crate) fn fcs(&self) -> u16 {
        if self.rings == 1 { 0 } else { FCS }
    }

    /// Vectors of MSI-X that a card with these options needs, from 0; none if its interrupts are not to be messages.
    pub fn vectors(&self) -> u8 {
        if self.interrupts == Interrupts::MsiX { FIRST_RING_VECTOR + self.rings } else { 0 }
    }

    /// Checks every number against what hardware and engine can do.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] with the first that is out of bounds.
    pub fn check(&self) -> Result<(), Error> {
        let checks = [
            ("--mtu", usize::from(self.mtu), 46, usize::from(MAX_MTU)),
            ("--rings", self.rings.into(), 1, RINGS),
            ("--rx-slots", self.rx_slots as usize, 8, 16_384),
            ("--rx-spare", self.rx_spare as usize, 0, 65_536),
            ("--tx-slots", self.tx_slots as usize, 2, 4096),
            ("--rx-usecs", self.rx_usecs as usize, 1, LONGEST_WAIT),
            ("--tx-usecs", self.tx_usecs as usize, 1, LONGEST_WAIT),
            ("--rx-frames", self.rx_frames.into(), 1, usize::from(u16::MAX)),
            ("--tx-frames", self.tx_frames.into(), 1, usize::from(u16::MAX)),
            ("--lro-sessions", self.lro_sessions.unwrap_or(1) as usize, 1, MOST_FRAMES),
            ("--lro-max-segments", self.lro_max_segments.unwrap_or(1) as usize, 1, MOST_FRAMES),
        ];
        for (option, value, least, most) in checks {
            if !(least..=most).contains(&value) {
                return Err(Error::Option { option, value, least, most });
            }
        }
        Ok(())
    }
}
