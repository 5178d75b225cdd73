//! Owns the ring: prebuilt frames in slots of 2 KiB, as a driver cuts its memory.

use anyhow::{Context, Result};
use etherparse::{IpHeaders, IpNumber, Ipv4Header, PacketBuilder, TcpOptionElement};

/// Bytes of a slot: every frame's headers lie in memory of their own.
pub const SLOT: usize = 2048;
/// Bytes of payload in a frame: an MTU of 1,500 with timestamps.
pub const PAYLOAD: usize = 1448;
/// Bytes of Ethernet header.
pub const ETHERNET: usize = 14;
/// Bytes of IPv4 and TCP headers, with timestamps.
pub const HEADERS: usize = 20 + 32;
/// Bytes of a frame.
pub const FRAME: usize = ETHERNET + HEADERS + PAYLOAD;

const FIRST_PORT: u16 = 1024;
const SERVER: u16 = 5001;

/// Frames of some flows, round robin, each flow in sequence, all mergeable: what every contestant gets, byte for byte.
pub struct Frames {
    memory: Vec<u8>,
}

impl Frames {
    /// `count` frames of `flows` flows.
    ///
    /// # Errors
    ///
    /// A flow that has no port.
    pub fn new(flows: usize, count: usize) -> Result<Self> {
        let mut memory = vec![0; count * SLOT];
        let mut payload = [0; PAYLOAD];
        for (index, slot) in memory.chunks_exact_mut(SLOT).enumerate() {
            for (at, byte) in payload.iter_mut().enumerate() {
                *byte = (index + at) as u8;
            }
            let port = u16::try_from(index % flows).ok().and_then(|flow| FIRST_PORT.checked_add(flow));
            write(slot, port.context("more flows than ports")?, index / flows, &payload)?;
        }
        Ok(Self { memory })
    }

    /// All slots, one after the other.
    pub fn memory(&self) -> &[u8] {
        &self.memory
    }

    /// The frames, in the order in which they arrive.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.memory.chunks_exact(SLOT).filter_map(|slot| slot.get(..FRAME))
    }

    /// The frames' payloads.
    pub fn payloads(&self) -> impl Iterator<Item = &[u8]> {
        self.iter().filter_map(|frame| frame.get(ETHERNET + HEADERS..))
    }

    /// How many frames there are.
    pub fn count(&self) -> usize {
        self.memory.len() / SLOT
    }
}

/// Writes the `number`th segment of the flow with that port. All segments carry the same timestamps, as those of a burst do:
/// the peers merge no others.
fn write(slot: &mut [u8], port: u16, number: usize, payload: &[u8]) -> Result<()> {
    let mut ip = Ipv4Header::new(0, 64, IpNumber::TCP, [10, 0, 0, 1], [10, 0, 0, 2])?;
    ip.identification = number as u16;
    ip.dont_fragment = true;
    let sequence = 1_u32.wrapping_add((number * PAYLOAD) as u32);
    let options = [TcpOptionElement::Noop, TcpOptionElement::Noop, TcpOptionElement::Timestamp(1, 1)];
    PacketBuilder::ethernet2([2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2])
        .ip(IpHeaders::Ipv4(ip, Default::default()))
        .tcp(port, SERVER, sequence, 500)
        .ack(1)
        .options(&options)?
        .write_to_slice(slot, payload)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use etherparse::SlicedPacket;
    use etherparse::TransportSlice::Tcp;

    use super::*;

    #[test]
    fn flows_take_turns_and_each_is_in_sequence() {
        let frames = Frames::new(2, 6).unwrap();
        let seen: Vec<(u16, u32)> = frames
            .iter()
            .map(|frame| match SlicedPacket::from_ethernet(frame).unwrap().transport {
                Some(Tcp(tcp)) => (tcp.source_port(), tcp.sequence_number()),
                other => panic!("{other:?}"),
            })
            .collect();
        let second = 1 + PAYLOAD as u32;
        let third = 1 + 2 * PAYLOAD as u32;
        assert_eq!(seen, [(1024, 1), (1025, 1), (1024, second), (1025, second), (1024, third), (1025, third)]);
    }

    #[test]
    fn a_frame_fills_an_mtu_of_1500() {
        let frames = Frames::new(1, 1).unwrap();
        let packet = SlicedPacket::from_ethernet(frames.iter().next().unwrap()).unwrap();
        assert_eq!(packet.ip_payload().unwrap().payload.len(), 1480);
        assert_eq!(frames.payloads().next().unwrap().len(), PAYLOAD);
    }
}
