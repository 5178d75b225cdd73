//! What an owner of a card can choose.

use lro::Rules;
use xframe::constants::MAX_MTU;

use crate::error::Error;
use crate::platform::Interrupts;

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
    /// Receive slots that the card is given at once.
    pub rx_slots: u32,
    /// Receive slots beyond those, for frames that the reader has not taken yet.
    pub rx_spare: u32,
    /// Transmit slots.
    pub tx_slots: u32,
    /// Take every frame, whatever its destination address.
    pub promiscuous: bool,
    /// How interrupts are wanted; the next best is used when they do not come.
    pub interrupts: Interrupts,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rules: Rules::Endpoint,
            lro_sessions: None,
            lro_max_segments: None,
            mtu: 1500,
            rx_slots: 1024,
            rx_spare: 1024,
            tx_slots: 256,
            promiscuous: false,
            interrupts: Interrupts::MsiX,
        }
    }
}

/// Ethernet header, two VLAN tags and the FCS.
const FRAMING: u16 = 14 + 2 * 4 + 4;

/// Receive slots at the most, and with them flows and segments that the engine can hold.
const MOST_FRAMES: usize = 16_384 + 65_536;

impl Options {
    /// Bytes of the longest frame with its framing. At the largest MTU the hardware has no room for a second tag.
    pub(crate) fn longest_frame(&self) -> u16 {
        (self.mtu + FRAMING).min(MAX_MTU + FRAMING - 4)
    }

    /// Checks every number against what hardware and engine can do.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] with the first that is out of bounds.
    pub fn check(&self) -> Result<(), Error> {
        let checks = [
            ("--mtu", usize::from(self.mtu), 46, usize::from(MAX_MTU)),
            ("--rx-slots", self.rx_slots as usize, 8, 16_384),
            ("--rx-spare", self.rx_spare as usize, 0, 65_536),
            ("--tx-slots", self.tx_slots as usize, 2, 4096),
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
