//! Owns what an RxD of three buffers has other than one of one: its size, its second control word, its pointers.

use bitfield_struct::bitfield;

use super::Completion;

/// Bytes of an RxD of three buffers.
pub const SIZE: usize = 48;
/// RxDs of three buffers in a block.
pub const RXDS: usize = 85;
/// Byte offset of Buffer1_ptr.
pub const BUFFER1_PTR: usize = 0x20;
/// Byte offset of Buffer2_ptr.
pub const BUFFER2_PTR: usize = 0x28;

/// Second control word of an RxD of three buffers. Posted: bytes of each buffer. Completed: bytes written to each.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct Control2 {
    /// The host writes 3, the card 0: tells that this word, too, is the card's.
    #[bits(2)]
    pub marker: u8,
    #[bits(6)]
    __: u64,
    /// Buffer 0.
    pub buffer_0_size: u8,
    /// Buffer 1.
    pub buffer_1_size: u16,
    /// Buffer 2.
    pub buffer_2_size: u16,
    /// The tag that was stripped (completed); 0 if none was.
    pub vlan_tag: u16,
}

impl Control2 {
    /// What a card writes back: how much it wrote to each buffer, and the frame's tag.
    pub const fn completed(sizes: [u16; 3], completion: Completion) -> Self {
        let [first, second, third] = sizes;
        let first = if first > 0xFF { 0xFF } else { first as u8 };
        let sizes = Self::new().with_buffer_0_size(first).with_buffer_1_size(second).with_buffer_2_size(third);
        sizes.with_vlan_tag(completion.vlan_tag)
    }
}

const _: () = assert!(RXDS * SIZE <= crate::block::HOST);
