//! Owns byte order: the swapper register, how a host finds out its setting, and what it does to a 64-bit word.
//!
//! After a reset the card is big-endian: a little-endian host sees every word with its eight bytes reversed, and the
//! swapper register itself is written through the path that it controls.

use bitfield_struct::bitfield;

/// What the feedback register reads through a read path set right.
pub const FEEDBACK: u64 = 0x0123_4567_89AB_CDEF;

/// Settings of the read path to try in turn until the feedback register reads right. Each half is a palindrome of bytes:
/// it means the same whichever way the write path swaps.
pub const SEARCH_READ: [u64; 4] = [0xC300_00C3_C300_00C3, 0x8100_0081_8100_0081, 0x4200_0042_4200_0042, 0];

/// Settings of the write path to try in turn, each OR'ed with what `SEARCH_READ` found, until a word written reads back.
pub const SEARCH_WRITE: [u64; 4] = [0x00C3_C300_00C3_C300, 0x0081_8100_0081_8100, 0x0042_4200_0042_4200, 0];

/// The swapper register. Every path has an FE and an SE bit; only SE changes the order of bytes.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct SwapperCtrl {
    /// Host reads of registers.
    pub pif_r_fe: bool,
    /// Host reads of registers.
    pub pif_r_se: bool,
    #[bits(6)]
    __: u64,
    /// Host writes of registers.
    pub pif_w_fe: bool,
    /// Host writes of registers.
    pub pif_w_se: bool,
    /// Hash and socket-pair path (Herc).
    pub rth_fe: bool,
    /// Hash and socket-pair path (Herc).
    pub rth_se: bool,
    #[bits(4)]
    __: u64,
    /// Host writes of doorbells.
    pub txp_fe: bool,
    /// Host writes of doorbells.
    pub txp_se: bool,
    /// Card reads of TxDs.
    pub txd_r_fe: bool,
    /// Card reads of TxDs.
    pub txd_r_se: bool,
    /// Card writes of TxDs.
    pub txd_w_fe: bool,
    /// Card writes of TxDs.
    pub txd_w_se: bool,
    /// Card reads of frames to send: SE must be 0.
    pub txf_r_fe: bool,
    /// Card reads of frames to send: SE must be 0.
    pub txf_r_se: bool,
    #[bits(8)]
    __: u64,
    /// Card reads of RxDs and block links.
    pub rxd_r_fe: bool,
    /// Card reads of RxDs and block links.
    pub rxd_r_se: bool,
    /// Card writes of RxDs.
    pub rxd_w_fe: bool,
    /// Card writes of RxDs.
    pub rxd_w_se: bool,
    /// Card writes of received frames: SE must be 0.
    pub rxf_w_fe: bool,
    /// Card writes of received frames: SE must be 0.
    pub rxf_w_se: bool,
    #[bits(2)]
    __: u64,
    /// MSI(-X) messages.
    pub xmsi_fe: bool,
    /// MSI(-X) messages.
    pub xmsi_se: bool,
    #[bits(6)]
    __: u64,
    /// Statistics block.
    pub stats_fe: bool,
    /// Statistics block.
    pub stats_se: bool,
    #[bits(14)]
    __: u64,
}

/// How interrupts reach the host; decides the order of message words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupts {
    /// The INTA# line.
    Line,
    /// MSI-X messages.
    MsiX,
}

impl SwapperCtrl {
    /// The final setting of a little-endian host: `found` is what the searches left in the register, of which the host
    /// paths (the top 16 bits) are kept.
    pub const fn little_endian(found: u64, interrupts: Interrupts) -> Self {
        Self::from_bits(found & 0xFFFF_0000_0000_0000)
            .with_txp_fe(true)
            .with_txp_se(true)
            .with_txd_r_fe(true)
            .with_txd_r_se(true)
            .with_txd_w_fe(true)
            .with_txd_w_se(true)
            .with_txf_r_fe(true)
            .with_rxd_r_fe(true)
            .with_rxd_r_se(true)
            .with_rxd_w_fe(true)
            .with_rxd_w_se(true)
            .with_rxf_w_fe(true)
            .with_xmsi_fe(true)
            .with_xmsi_se(matches!(interrupts, Interrupts::Line))
            .with_stats_fe(true)
            .with_stats_se(true)
    }
}

/// A word as it lies in a little-endian quadword on the other side of a path whose SE bit is `se`. Its own inverse.
pub const fn transform(word: u64, se: bool) -> u64 {
    if se { word } else { word.swap_bytes() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn final_settings_are_those_of_the_hardware() {
        let found = SEARCH_READ[0] | SEARCH_WRITE[0];
        assert_eq!(u64::from(SwapperCtrl::little_endian(found, Interrupts::MsiX)), 0xC3C3_FE00_F880_C000);
        assert_eq!(u64::from(SwapperCtrl::little_endian(found, Interrupts::Line)), 0xC3C3_FE00_F8C0_C000);
    }

    #[test]
    fn search_settings_mean_the_same_both_ways() {
        for setting in SEARCH_READ.into_iter().chain(SEARCH_WRITE) {
            assert_eq!(setting.swap_bytes(), setting);
        }
    }

    #[test]
    fn frames_are_never_swapped() {
        let set = SwapperCtrl::little_endian(u64::MAX, Interrupts::Line);
        assert!(!set.txf_r_se() && !set.rxf_w_se());
    }

    #[test]
    fn a_path_without_se_reverses_a_word() {
        assert_eq!(transform(FEEDBACK, false), 0xEFCD_AB89_6745_2301);
        assert_eq!(transform(FEEDBACK, true), FEEDBACK);
    }
}
