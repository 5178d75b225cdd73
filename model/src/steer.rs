//! Owns steering: which ring a frame goes to.
//!
//! Classic steering goes by priority and length. Enhanced steering (Herc) asks the port table, the address CAM and the
//! hash before that, and has a ring for what nobody claims; the manual does not say in which order.

use xframe::bits::{RtsDefaultQ, RtsFrmLen, RtsMacCfg, RtsPnCamData};
use xframe::constants::{DS_ENTRIES, RINGS};
use xframe::registers::{RTS_FRM_LEN, RTS_QOS_STEERING};
use xframe::rxd::Hash;

use crate::chip::Chip;
use crate::parse::{Headers, TCP, UDP, be16};
use crate::store::Store;

pub(crate) struct Steering {
    /// Priority by differentiated services code point.
    pub ds: [u8; DS_ENTRIES],
    turn: usize,
}

/// Whether frames of `length` bytes, FCS included, may go to `ring`.
fn takes(store: &Store, ring: usize, length: usize) -> bool {
    let limit = RTS_FRM_LEN.at(ring).map_or(0, |at| RtsFrmLen::from(store.get(at)).len_set());
    length <= usize::from(limit)
}

impl Steering {
    pub const fn new() -> Self {
        Self { ds: [0; DS_ENTRIES], turn: 0 }
    }

    /// The ring by priority; `None` if no ring takes the frame. Rings that qualify alike take turns.
    fn classic(&mut self, store: &Store, headers: &Headers, length: usize) -> Option<usize> {
        let allowed = store.get(RTS_QOS_STEERING).to_be_bytes().get(self.priority(headers)).copied()?;
        let qualifies = |ring: usize| allowed & 0x80 >> ring != 0 && takes(store, ring, length);
        let ring = (0..RINGS).map(|step| (self.turn + step) % RINGS).find(|&ring| qualifies(ring))?;
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

impl Chip {
    /// The ring for a frame of `length` bytes, FCS included, and its hash; no ring if none that is on takes it.
    pub fn steer(&mut self, frame: &[u8], headers: &Headers, length: usize) -> (Option<usize>, Hash) {
        let mut hash = Hash::default();
        let mut ring = None;
        if self.enhanced() {
            ring = self.by_port(frame, headers).or_else(|| self.by_address(frame));
            hash = self.hash(frame, headers);
            let indirect = self.indirect(hash).filter(|_| ring.is_none());
            hash.hit = indirect.is_some();
            ring = ring.or(indirect).filter(|ring| takes(&self.store, *ring, length));
        }
        let mut ring = ring.or_else(|| self.steering.classic(&self.store, headers, length));
        if self.enhanced() {
            let default = usize::from(self.store.word::<RtsDefaultQ>().rts_default_q());
            ring = ring.or(Some(default)).filter(|ring| takes(&self.store, *ring, length));
        }
        (ring.filter(|ring| self.rings.rings.get(*ring).is_some_and(|ring| ring.enabled())), hash)
    }

    /// The ring that the port table names.
    fn by_port(&self, frame: &[u8], headers: &Headers) -> Option<usize> {
        let ip = headers.ip.as_ref().filter(|ip| !ip.fragment)?;
        let tcp = ip.carries(TCP);
        if !tcp && !ip.carries(UDP) {
            return None;
        }
        let (source, target) = (be16(frame, ip.payload.start)?, be16(frame, ip.payload.start + 2)?);
        let entries = self.ports.iter().map(|entry| RtsPnCamData::from(*entry));
        let matches = |entry: &RtsPnCamData| {
            let port = if entry.source() { source } else { target };
            entry.entry_en() && entry.tcp_select() == tcp && entry.port() == port
        };
        entries.into_iter().find(matches).map(|entry| entry.ring().into())
    }

    /// The ring of the CAM entry that the frame's destination matches, if its section steers.
    fn by_address(&self, frame: &[u8]) -> Option<usize> {
        const SECTION: usize = 32;
        let sections = self.store.word::<RtsMacCfg>().sections();
        if sections == 0 {
            return None;
        }
        let index = self.cam.find(*frame.first_chunk()?)?;
        (sections & 0x80 >> (index / SECTION).min(7) != 0).then_some(index % RINGS)
    }
}
