//! Owns the transmit side's memory formats: the TxD, the list control word and the doorbell window of BAR2.

use bitfield_struct::bitfield;

/// Bytes of a TxD.
pub const SIZE: usize = 32;
/// Byte offset of Control_1 in a TxD.
pub const CONTROL_1: usize = 0x00;
/// Byte offset of Control_2 in a TxD.
pub const CONTROL_2: usize = 0x08;
/// Byte offset of Buffer_Pointer, the bus address of the fragment.
pub const BUFFER_POINTER: usize = 0x10;
/// Byte offset of Host_Control, which the card never reads or writes.
pub const HOST_CONTROL: usize = 0x18;
/// The most TxDs a list can have.
pub const MAX_LIST: usize = 256;

/// First word of a TxD.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct Control1 {
    #[bits(7)]
    __: u64,
    /// The card owns the list (first TxD only); cleared by the card on completion.
    pub own: bool,
    #[bits(4)]
    __: u64,
    /// Completion code, written by the card into the first TxD.
    #[bits(4)]
    pub t_code: TCode,
    #[bits(6)]
    __: u64,
    /// First fragment of the frame.
    pub gather_first: bool,
    /// Last fragment of the frame.
    pub gather_last: bool,
    #[bits(6)]
    __: u64,
    /// Segmentation asked for.
    #[bits(2)]
    pub lso_cof_ctrl: LsoCof,
    #[bits(2)]
    __: u64,
    /// TCP segment size, or payload of a UDP fragment, in bytes.
    #[bits(14)]
    pub lso_mss: u16,
    /// Bytes of the fragment, 1 to 65,535.
    pub buffer0_size: u16,
}

impl Control1 {
    /// On completion of a segmented list (Herc): bytes sent. It overlays the gather and segmentation bits.
    pub const fn lso_bytes_sent(self) -> u16 {
        (self.0 >> 32) as u16
    }
}

/// Second word of a TxD; counts in the first TxD of a list only.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct Control2 {
    #[bits(5)]
    __: u64,
    /// Compute the IPv4 header checksum.
    pub tx_cko_ipv4_en: bool,
    /// Compute the TCP checksum.
    pub tx_cko_tcp_en: bool,
    /// Compute the UDP checksum.
    pub tx_cko_udp_en: bool,
    #[bits(7)]
    __: u64,
    /// Insert an 802.1Q tag.
    pub vlan_enable: bool,
    /// The tag to insert.
    pub vlan_tag: u16,
    #[bits(2)]
    __: u64,
    /// The TTI that this list's completion counts for.
    #[bits(6)]
    pub int_number: u8,
    #[bits(6)]
    __: u64,
    /// Interrupt by the TTI's utilisation and timer settings.
    pub int_type_utilz: bool,
    /// Interrupt when this list completes.
    pub int_type_per_list: bool,
    #[bits(16)]
    __: u64,
}

/// Second word of a doorbell.
#[bitfield(u64, order = Msb)]
#[derive(PartialEq, Eq)]
pub struct ListControl {
    /// TxDs in the list, less one.
    pub last_txd_num: u8,
    #[bits(6)]
    __: u64,
    /// First list of a frame.
    pub first_list: bool,
    /// Last list of a frame; a frame in one list sets both.
    pub last_list: bool,
    #[bits(7)]
    __: u64,
    /// The list asks for segmentation.
    pub special_func: bool,
    #[bits(6)]
    __: u64,
    /// PCI-X no-snoop for buffers.
    pub buff_no_snoop: bool,
    /// PCI-X no-snoop for descriptors.
    pub ds_no_snoop: bool,
    #[bits(32)]
    __: u64,
}

impl ListControl {
    /// A frame in one list of `last_txd_num + 1` TxDs.
    pub const fn single(last_txd_num: u8) -> Self {
        Self::new().with_last_txd_num(last_txd_num).with_first_list(true).with_last_list(true)
    }
}

/// The doorbell window of BAR2: for each FIFO a pointer word, then a control word, always written in that order.
pub mod doorbell {
    /// Bytes between the windows of two FIFOs.
    pub const STRIDE: u64 = 0x2_0000;
    /// Number of FIFOs.
    pub const FIFOS: usize = 8;

    /// Where FIFO `fifo` takes the bus address of the first TxD; `None` beyond the last FIFO.
    pub const fn pointer(fifo: usize) -> Option<u64> {
        if fifo < FIFOS { Some(fifo as u64 * STRIDE) } else { None }
    }

    /// Where FIFO `fifo` takes the list control word, which starts the list.
    pub const fn control(fifo: usize) -> Option<u64> {
        match pointer(fifo) {
            Some(pointer) => Some(pointer + 8),
            None => None,
        }
    }
}

/// Segmentation of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LsoCof {
    /// None.
    None,
    /// UDP checksum over fragments.
    Cof,
    /// TCP large send.
    TcpLso,
    /// UDP fragmentation.
    Ufo,
}

impl LsoCof {
    const fn from_bits(code: u8) -> Self {
        match code {
            1 => Self::Cof,
            2 => Self::TcpLso,
            3 => Self::Ufo,
            _ => Self::None,
        }
    }

    const fn into_bits(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Cof => 1,
            Self::TcpLso => 2,
            Self::Ufo => 3,
        }
    }
}

/// How a list ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TCode {
    /// Sent.
    Ok,
    /// Target abort while fetching a fragment.
    BufferAbort,
    /// Abort while fetching a TxD.
    DescriptorAbort,
    /// Parity error in the data.
    Parity,
    /// The link was down.
    LinkLoss,
    /// The list made no sense.
    ListError,
    /// A code the hardware does not define.
    Other(u8),
}

impl TCode {
    const fn from_bits(code: u8) -> Self {
        match code {
            0x0 => Self::Ok,
            0x2 => Self::BufferAbort,
            0x3 => Self::DescriptorAbort,
            0x7 => Self::Parity,
            0xA => Self::LinkLoss,
            0xF => Self::ListError,
            other => Self::Other(other),
        }
    }

    const fn into_bits(self) -> u8 {
        match self {
            Self::Ok => 0x0,
            Self::BufferAbort => 0x2,
            Self::DescriptorAbort => 0x3,
            Self::Parity => 0x7,
            Self::LinkLoss => 0xA,
            Self::ListError => 0xF,
            Self::Other(code) => code,
        }
    }

    /// The code as a number, for messages.
    pub const fn code(self) -> u8 {
        self.into_bits()
    }
}
