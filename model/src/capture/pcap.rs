//! The pcap format: one header, then packets, each behind a header of its own.

use std::time::Duration;

use pcap_parser::{parse_pcap_frame, parse_pcap_frame_be, parse_pcap_header};

use super::error::{Problem, Record};
use super::source::{Endian, Source};
use super::{MAX_PACKET, Packet, Resolution};

const FILE_HEADER: usize = 24;
const PACKET_HEADER: usize = 16;

/// The upper bits of the link type say how many bytes of frame check sequence follow a frame.
const LINK_TYPE_MASK: u32 = 0x03FF_FFFF;
const ETHERNET: u32 = 1;

/// What the file header says of the packets.
pub(super) struct Header {
    endian: Endian,
    resolution: Resolution,
}

impl Header {
    /// Reads the file header, of which `source` holds the first four bytes.
    pub(super) fn begin(source: &mut Source) -> Result<Self, Problem> {
        let (endian, resolution) = match source.word(0) {
            [0xd4, 0xc3, 0xb2, 0xa1] => (Endian::Little, Resolution::Micro),
            [0x4d, 0x3c, 0xb2, 0xa1] => (Endian::Little, Resolution::Nano),
            [0xa1, 0xb2, 0xc3, 0xd4] => (Endian::Big, Resolution::Micro),
            [0xa1, 0xb2, 0x3c, 0x4d] => (Endian::Big, Resolution::Nano),
            _ => return Err(Problem::NotCapture),
        };
        source.extend(FILE_HEADER, Record::FileHeader)?;
        let (_, header) = parse_pcap_header(source.record()).map_err(|_| Problem::NotCapture)?;
        let link_type = header.network.0.cast_unsigned() & LINK_TYPE_MASK;
        if link_type != ETHERNET {
            return Err(Problem::LinkType { record: Record::FileHeader, link_type });
        }
        Ok(Self { endian, resolution })
    }

    pub(super) fn resolution(&self) -> Resolution {
        self.resolution
    }

    /// The packet after the first `before`, or none at the end of the file.
    pub(super) fn next(&self, source: &mut Source, before: u64) -> Result<Option<Packet>, Problem> {
        let record = Record::Packet(before + 1);
        if !source.begin(PACKET_HEADER, record)? {
            return Ok(None);
        }
        let claimed = self.endian.u32(source.word(8));
        let length = usize::try_from(claimed).unwrap_or(usize::MAX);
        let offset = source.start();
        if length > MAX_PACKET {
            return Err(Problem::Length { record, offset, claimed, least: 0, most: MAX_PACKET });
        }
        source.extend(PACKET_HEADER + length, record)?;
        let parse = match self.endian {
            Endian::Little => parse_pcap_frame,
            Endian::Big => parse_pcap_frame_be,
        };
        let (_, frame) = parse(source.record()).map_err(|_| Problem::Damaged { record, offset })?;
        Ok(Some(Packet {
            time: self.time(frame.ts_sec, frame.ts_usec),
            original_length: frame.origlen,
            data: frame.data.to_vec(),
        }))
    }

    /// A fraction of a second or more is carried into the seconds.
    fn time(&self, seconds: u32, fraction: u32) -> Duration {
        let fraction = match self.resolution {
            Resolution::Micro => Duration::from_micros(fraction.into()),
            Resolution::Nano => Duration::from_nanos(fraction.into()),
        };
        Duration::from_secs(seconds.into()) + fraction
    }
}
