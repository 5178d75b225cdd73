//! Owns classic steering: which ring a frame goes to, by priority and length.

use xframe::bits::RtsFrmLen;
use xframe::constants::{DS_ENTRIES, RINGS};
use xframe::registers::{RTS_FRM_LEN, RTS_QOS_STEERING};

use crate::parse::Headers;
use crate::store::Store;

pub(crate) struct Steering {
    /// Priority by differentiated services code point.
    pub ds: [u8; DS_ENTRIES],
    turn: usize,
}

impl Steering {
    pub const fn new() -> Self {
        Self { ds: [0; DS_ENTRIES], turn: 0 }
    }

    /// The ring for a frame of `length` bytes, FCS included; `None` if no ring takes it. Rings that qualify alike take turns.
    pub fn ring(&mut self, store: &Store, headers: &Headers, length: usize) -> Option<usize> {
        let allowed = store.get(RTS_QOS_STEERING).to_be_bytes().get(self.priority(headers)).copied()?;
        let takes = |ring: usize| {
            let limit = RTS_FRM_LEN.at(ring).map_or(0, |at| RtsFrmLen::from(store.get(at)).len_set());
            allowed & 0x80 >> ring != 0 && length <= usize::from(limit)
        };
        let ring = (0..RINGS).map(|step| (self.turn + step) % RINGS).find(|&ring| takes(ring))?;
        self.turn = (ring + 1) % RINGS;
        Some(ring)
    }

    fn priority(&self, headers: &Headers) -> usize {
        let priority = match (headers.tag, &headers.ip) {
            (Some(tag), _) => (tag >> 13) as u8,
            (None, Some(ip)) => self.ds.get(usize::from(ip.traffic_class >> 2)).copied().unwrap_or(0),
            (None, None) => 0,
        };
        usize::from(priority & 7)
    }
}
