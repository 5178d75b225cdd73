//! Owns capture files at the cable's other end: one to play, one to record.

use std::path::Path;
use std::time::Duration;

use super::Wire;
use crate::capture::{self, Error, Packet, Resolution, Writer};

/// Plays a capture's frames to the card, back to back, and records what the card sends.
///
/// There is no clock: frames are played as fast as the card takes them, and recorded one microsecond apart.
#[derive(Default)]
pub struct Pcap {
    packets: std::vec::IntoIter<Packet>,
    record: Option<Writer>,
    recorded: u32,
    failed: Option<Error>,
}

impl Pcap {
    /// A wire that plays the capture at `path`.
    ///
    /// # Errors
    ///
    /// What is wrong with the capture.
    pub fn play(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self { packets: capture::read(path)?.into_iter(), ..Self::default() })
    }

    /// Records what the card sends in a capture that will stand at `path`.
    ///
    /// # Errors
    ///
    /// The file cannot be made.
    pub fn record(self, path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self { record: Some(Writer::create(path, Resolution::Micro)?), ..self })
    }

    /// Packets not played yet.
    pub fn left(&self) -> usize {
        self.packets.len()
    }

    /// Ends the recording.
    ///
    /// # Errors
    ///
    /// The first frame that could not be recorded, or the end that could not be written.
    pub fn finish(self) -> Result<(), Error> {
        match (self.failed, self.record) {
            (Some(error), _) => Err(error),
            (None, Some(record)) => record.finish(),
            (None, None) => Ok(()),
        }
    }
}

impl Wire for Pcap {
    /// A packet that the capture cut short is no frame, and is passed over.
    fn receive(&mut self, frame: &mut Vec<u8>) -> bool {
        let whole = |packet: &Packet| packet.data.len() == packet.original_length as usize;
        match self.packets.find(whole) {
            Some(packet) => {
                *frame = packet.data;
                true
            }
            None => false,
        }
    }

    fn send(&mut self, frame: &[u8]) {
        let Some(record) = self.record.as_mut().filter(|_| self.failed.is_none()) else { return };
        let time = Duration::from_micros(self.recorded.into());
        self.recorded = self.recorded.wrapping_add(1);
        self.failed = record.write(time, frame.len() as u32, frame).err();
    }
}
