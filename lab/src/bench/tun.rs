//! Owns tun-rs as a contestant: its table merges a batch of packets by copying them behind the first, checksums verified.

use anyhow::Result;
use tun_rs::{GROTable, VIRTIO_NET_HDR_LEN};

use super::contestant::Player;
use super::frames::{ETHERNET, FRAME, Frames, HEADERS, PAYLOAD};

/// Bytes that a packet has in its buffer: room for a virtio-net header, and what is behind the Ethernet header.
const LENGTH: usize = VIRTIO_NET_HDR_LEN + FRAME - ETHERNET;
/// Bytes that a buffer can grow to: packets merge into the first one's buffer.
const CAPACITY: usize = VIRTIO_NET_HDR_LEN + 65_535;

/// tun-rs's table, and the packets as its users hold them.
pub struct TunRs<'a> {
    table: GROTable,
    frames: &'a Frames,
    packets: Vec<Vec<u8>>,
    drain: usize,
}

impl<'a> TunRs<'a> {
    /// Merges `drain` packets of `frames` at a time.
    pub fn new(frames: &'a Frames, drain: usize) -> Self {
        let packet = |frame: &[u8]| {
            let mut packet = Vec::with_capacity(CAPACITY);
            packet.resize(VIRTIO_NET_HDR_LEN, 0);
            packet.extend_from_slice(frame.get(ETHERNET..).unwrap_or_default());
            packet
        };
        Self { table: GROTable::new(), packets: frames.iter().map(packet).collect(), frames, drain }
    }
}

impl Player for TunRs<'_> {
    fn restore(&mut self) {
        for (packet, frame) in self.packets.iter_mut().zip(self.frames.iter()) {
            packet.truncate(LENGTH);
            let to = packet.get_mut(VIRTIO_NET_HDR_LEN..VIRTIO_NET_HDR_LEN + HEADERS);
            let from = frame.get(ETHERNET..ETHERNET + HEADERS);
            to.unwrap_or_default().copy_from_slice(from.unwrap_or_default());
        }
    }

    fn play(&mut self) -> Result<()> {
        for batch in self.packets.chunks_mut(self.drain) {
            self.table.apply_gro(batch, VIRTIO_NET_HDR_LEN, false)?;
        }
        Ok(())
    }

    fn units(&self) -> Option<u32> {
        let joined: usize = self.packets.iter().map(|packet| packet.len().saturating_sub(LENGTH) / PAYLOAD).sum();
        Some((self.packets.len() - joined) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_merges_the_same() {
        let frames = Frames::new(32, 128).unwrap();
        let mut player = TunRs::new(&frames, 64);
        for _ in 0..3 {
            player.restore();
            assert!(player.packets.iter().all(|packet| packet.len() == LENGTH));
            player.play().unwrap();
            assert_eq!(player.units(), Some(64));
        }
    }
}
