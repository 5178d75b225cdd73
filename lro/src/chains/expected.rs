//! The way of most segments: each is just what a unit expects next.

use super::append::{goes_back, has_sum, start};
use super::{Arrival, Chains};
use crate::Checksums;
use crate::field::{be32, ne64};
use crate::queue::{Frame, Queue};
use crate::shape::{Head, Place, TCP_BITS, is_expected};
use crate::stats::End;
use crate::sum::Sum;
use crate::table::{NONE, Open};

impl Chains {
    /// Appends a verified frame to the unit that grew last, if that expects it. Otherwise nothing has happened.
    #[inline(always)]
    pub(super) fn append_to_recent(&mut self, bytes: &[u8], slot: u32, length: u32) -> bool {
        let Some(head) = bytes.first_chunk() else { return false };
        let Some(open) = self.table.recent(head) else { return false };
        if length as usize > bytes.len() {
            return false;
        }
        let is_good = |_, _, _| true;
        let Ok(segments) = append_expected(open, &mut self.queue, head, slot, length, is_good) else { return false };
        if segments >= self.max_segments {
            self.close(self.table.recent, End::Segments);
        }
        true
    }

    /// Appends a frame to the one unit that may be of its flow, if that expects it and its checksums are good or found to be.
    /// Otherwise nothing has happened. The rules must be a host's.
    #[inline(always)]
    pub(super) fn append_to(
        &mut self,
        index: u32,
        bytes: &[u8],
        head: &Head,
        Arrival { slot, length, checksums }: Arrival,
    ) -> Result<(), Unexpected> {
        let open = self.table.get_mut(index);
        if !open.started {
            start(open, &mut self.queue);
        }
        if !open.verified {
            return Err(Unexpected::Other);
        }
        let is_good = |place: Place, payload: u16, sum| {
            checksums == Checksums::Verified || is_good(place, bytes, head, payload, sum)
        };
        let segments = append_expected(open, &mut self.queue, head, slot, length, is_good)?;
        self.table.recent = index;
        if segments >= self.max_segments {
            self.close(index, End::Segments);
        }
        Ok(())
    }
}

/// Checks a frame's sums in software: the IP header's, and the payload's, which its TCP checksum says is `sum`.
#[inline(never)]
fn is_good(place: Place, bytes: &[u8], head: &Head, payload: u16, sum: u16) -> bool {
    let start = usize::from(place.payload);
    let payload = bytes.get(start..start + usize::from(payload)).unwrap_or_default();
    place.shape.has_good_ip_sum(head) && has_sum(payload, sum)
}

/// What is wrong with a frame.
pub(super) enum Unexpected {
    /// Nothing, but the unit would grow too long.
    Size,
    /// It has to be looked at closely.
    Other,
}

/// Appends a frame to a unit if it looks as the unit's next segment is expected to: the next in sequence, as long as the newest,
/// without PSH, and if `is_good` says so of its place, payload and the payload's sum. Returns how many segments the unit has then;
/// or else nothing has happened.
#[inline(always)]
fn append_expected(
    open: &mut Open,
    queue: &mut Queue,
    head: &Head,
    slot: u32,
    length: u32,
    is_good: impl FnOnce(Place, u16, u16) -> bool,
) -> Result<u32, Unexpected> {
    let tcp = usize::from(open.place.tcp) & TCP_BITS;
    let stamped = open.place.shape.is_stamped();
    if length != open.length || !is_expected(&open.head, head, open.place.shape) {
        return Err(Unexpected::Other);
    }
    let (acknowledgment, timestamp) = (be32(head, tcp + 8), be32(head, tcp + 24));
    if goes_back(open.acknowledgment, acknowledgment) || stamped && goes_back(open.timestamp, timestamp) {
        return Err(Unexpected::Other);
    }
    let unit = queue.units.get_mut(open.unit);
    if unit.payload > open.room {
        return Err(Unexpected::Size);
    }
    let mut sum = Sum::default().word32(open.common_sum).word64(ne64(head, tcp + 4)).word64(ne64(head, tcp + 12));
    if stamped {
        sum = sum.word64(ne64(head, tcp + 24));
    }
    let (payload, payload_sum) = (open.payload, !sum.fold());
    if !is_good(open.place, payload, payload_sum) {
        return Err(Unexpected::Other);
    }
    if stamped {
        open.timestamp = timestamp;
    }
    open.acknowledgment = acknowledgment;
    open.follow();
    unit.add_no_larger(payload, payload_sum);
    unit.segments += 1;
    unit.tail = queue.frames.chain(unit.tail, Frame { slot, length, next: NONE, payload, payload_sum });
    Ok(unit.segments)
}
