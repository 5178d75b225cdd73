//! The pcapng format: sections of blocks, some of which hold packets.

use std::time::Duration;

use pcap_parser::pcapng::{
    Block, EPB_MAGIC, EnhancedPacketBlock, IDB_MAGIC, InterfaceDescriptionBlock, OptionCode, SHB_MAGIC, SPB_MAGIC,
    SimplePacketBlock, parse_block_be, parse_block_le,
};
use pcap_parser::traits::PcapNGPacketBlock;

use super::error::{Problem, Record};
use super::source::{Endian, Source};
use super::{MAX_PACKET, Packet};

/// What a pcapng file, and each section, begins with; the same in both byte orders.
pub(super) const MAGIC: [u8; 4] = SHB_MAGIC.to_le_bytes();

/// A block's type and its length, before and after the body.
const FRAMING: usize = 12;
const MAX_BLOCK: usize = 16 << 20;
const OBSOLETE_PACKET: u32 = 2;
const ETHERNET: u32 = 1;

/// The section being read.
pub(super) struct Section {
    endian: Endian,
    interfaces: Vec<Interface>,
}

/// What an interface description says of the interface's packets.
#[derive(Clone, Copy)]
struct Interface {
    link_type: u32,
    snap_length: usize,
    units_per_second: Option<u128>,
    /// Seconds to add to each timestamp.
    offset: i64,
}

impl Section {
    /// Reads the first section header, of which `source` holds the first four bytes.
    pub(super) fn begin(source: &mut Source) -> Result<Self, Problem> {
        let mut section = Self { endian: Endian::Little, interfaces: Vec::new() };
        source.extend(8, Record::FileHeader)?;
        section.read_block(source, Record::FileHeader)?;
        Ok(section)
    }

    /// The packet after the first `before`, or none at the end of the file.
    pub(super) fn next(&mut self, source: &mut Source, before: u64) -> Result<Option<Packet>, Problem> {
        while source.begin(8, Record::BlockAfter(before))? {
            let record = match self.endian.u32(source.word(0)) {
                EPB_MAGIC | SPB_MAGIC | OBSOLETE_PACKET => Record::Packet(before + 1),
                _ => Record::BlockAfter(before),
            };
            if let Some(packet) = self.read_block(source, record)? {
                return Ok(Some(packet));
            }
        }
        Ok(None)
    }

    /// Reads the block of which `source` holds the type and the length.
    fn read_block(&mut self, source: &mut Source, record: Record) -> Result<Option<Packet>, Problem> {
        if source.word(0) == MAGIC {
            self.begin_section(source, record)?;
        }
        self.read_body(source, record)?;
        let offset = source.start();
        let damaged = || Problem::Damaged { record, offset };
        let block_type = self.endian.u32(source.word(0));
        match block_type {
            SHB_MAGIC | IDB_MAGIC | EPB_MAGIC | SPB_MAGIC => {}
            OBSOLETE_PACKET => return Err(Problem::Obsolete { record, offset }),
            _ => return Ok(None),
        }
        let parse = match self.endian {
            Endian::Little => parse_block_le,
            Endian::Big => parse_block_be,
        };
        match parse(source.record()).map_err(|_| damaged())?.1 {
            Block::InterfaceDescription(block) => {
                self.interfaces.push(Interface::new(&block, self.endian));
                Ok(None)
            }
            Block::EnhancedPacket(block) => self.enhanced(&block, record, offset).map(Some),
            Block::SimplePacket(block) => self.simple(&block, record, offset).map(Some),
            _ => Ok(None),
        }
    }

    /// A section header gives the byte order in which its own length is already written.
    fn begin_section(&mut self, source: &mut Source, record: Record) -> Result<(), Problem> {
        source.extend(FRAMING, record)?;
        self.endian = match source.word(8) {
            [0x4d, 0x3c, 0x2b, 0x1a] => Endian::Little,
            [0x1a, 0x2b, 0x3c, 0x4d] => Endian::Big,
            _ if record == Record::FileHeader => return Err(Problem::NotCapture),
            _ => {
                return Err(Problem::Damaged { record, offset: source.start() });
            }
        };
        self.interfaces.clear();
        Ok(())
    }

    /// Reads the block to its end, where its length stands once more.
    fn read_body(&self, source: &mut Source, record: Record) -> Result<(), Problem> {
        let claimed = self.endian.u32(source.word(4));
        let length = usize::try_from(claimed).unwrap_or(usize::MAX);
        let offset = source.start();
        if !(FRAMING..=MAX_BLOCK).contains(&length) {
            return Err(Problem::Length { record, offset, claimed, least: FRAMING, most: MAX_BLOCK });
        }
        source.extend(length, record)?;
        if source.word(length - 4) != source.word(4) {
            return Err(Problem::Damaged { record, offset });
        }
        Ok(())
    }

    fn enhanced(&self, block: &EnhancedPacketBlock<'_>, record: Record, offset: u64) -> Result<Packet, Problem> {
        let interface = self.interface(block.if_id, record, offset)?;
        let ticks = u64::from(block.ts_high) << 32 | u64::from(block.ts_low);
        Ok(Packet {
            time: interface.time(ticks),
            original_length: block.origlen,
            data: checked(block.packet_data(), record, offset)?.to_vec(),
        })
    }

    /// A simple packet belongs to interface 0 and does not say how much of it was captured.
    fn simple(&self, block: &SimplePacketBlock<'_>, record: Record, offset: u64) -> Result<Packet, Problem> {
        let interface = self.interface(0, record, offset)?;
        let data = block.packet_data();
        let captured = match interface.snap_length {
            0 => data,
            limit => data.get(..limit).unwrap_or(data),
        };
        Ok(Packet {
            time: Duration::ZERO,
            original_length: block.origlen,
            data: checked(captured, record, offset)?.to_vec(),
        })
    }

    fn interface(&self, index: u32, record: Record, offset: u64) -> Result<Interface, Problem> {
        let found = usize::try_from(index).ok().and_then(|i| self.interfaces.get(i));
        let interface = *found.ok_or(Problem::Interface { record, offset, interface: index })?;
        if interface.link_type != ETHERNET {
            return Err(Problem::LinkType { record, link_type: interface.link_type });
        }
        Ok(interface)
    }
}

fn checked(data: &[u8], record: Record, offset: u64) -> Result<&[u8], Problem> {
    if data.len() > MAX_PACKET {
        return Err(Problem::Length {
            record,
            offset,
            claimed: u32::try_from(data.len()).unwrap_or(u32::MAX),
            least: 0,
            most: MAX_PACKET,
        });
    }
    Ok(data)
}

impl Interface {
    fn new(block: &InterfaceDescriptionBlock<'_>, endian: Endian) -> Self {
        let exponent = u32::from(block.if_tsresol & 0x7F);
        let base: u128 = if block.if_tsresol & 0x80 == 0 { 10 } else { 2 };
        let offset = block
            .options
            .iter()
            .find(|option| option.code == OptionCode::IfTsoffset)
            .and_then(|option| option.value().first_chunk());
        Self {
            link_type: block.linktype.0.cast_unsigned(),
            snap_length: usize::try_from(block.snaplen).unwrap_or(usize::MAX),
            units_per_second: base.checked_pow(exponent),
            offset: offset.map_or(0, |bytes| endian.i64(*bytes)),
        }
    }

    /// A unit too small for 128 bits counts as no time; times before 1970 count as 1970.
    fn time(&self, ticks: u64) -> Duration {
        let nanoseconds = self.units_per_second.map_or(0, |units| u128::from(ticks) * 1_000_000_000 / units);
        let seconds = u64::try_from(nanoseconds / 1_000_000_000).unwrap_or(u64::MAX);
        let fraction = u32::try_from(nanoseconds % 1_000_000_000).unwrap_or(0);
        Duration::new(seconds.saturating_add_signed(self.offset), fraction)
    }
}
