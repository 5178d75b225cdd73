//! Segments of general shape, which only `Rules::Forward` merges.

use super::append::Payload;
use super::{Arrival, Chains};
use crate::flow::Flow;
use crate::general::{self, General};
use crate::queue::Frame;
use crate::shape::{HEAD, Kept, Place};
use crate::stats::End;
use crate::table::NONE;
use crate::{Checksums, Pool};

impl Chains {
    /// Appends a segment of general shape to the unit that it continues, or queues it as one that may grow.
    #[cold]
    pub(super) fn push_general<P: Pool>(&mut self, pool: &P, frame: &[u8], arrival: Arrival, place: Place) {
        let flow = Flow::of(frame, place.ip.into(), place.tcp.into(), place.shape.is_v6());
        let hash = flow.hash(self.seed);
        let header = frame.get(..place.payload.into()).unwrap_or_default();
        let alone = Frame::alone(arrival);
        let Some(fields) = general::fields(frame, place) else {
            return self.queue.push(alone, place, NONE, End::Empty);
        };
        let mut is_bad = false;
        if let Some(index) = self.table.find_flow(hash, &flow) {
            let end = if self.table.get(index).place == place && self.table.general_mut(index).agrees(header, place) {
                // The sum of the IP header, if it has one, was looked at when the frame was classified.
                match self.append_carefully(pool, index, fields, arrival, true) {
                    Some(end) => end,
                    None => return,
                }
            } else {
                End::Header
            };
            self.close(index, end);
            let (slot, at, length) = (arrival.slot, place.payload, fields.payload);
            let sum = fields.payload_sum(general::pseudo_sum(frame, place));
            is_bad = end == End::Checksum && !Payload { slot, at, length, sum }.is_good(pool);
        }
        if let Some(end) = self.ends_at_once(is_bad, fields.push) {
            return self.queue.push(alone, place, NONE, end);
        }
        let pseudo_sum = general::pseudo_sum(frame, place);
        let unit = self.queue.units.next();
        let Some((index, open)) = self.table.open(hash) else {
            return self.queue.push(alone, place, NONE, End::Sessions);
        };
        // No frame looks like this: only `agrees` says which do.
        open.head = Kept([0xFF; HEAD]);
        open.place = place;
        open.unit = unit;
        open.verified = arrival.checksums == Checksums::Verified;
        open.start_with(&fields, pseudo_sum);
        *self.table.general_mut(index) = General::new(flow, header);
        // At most 65,535 bytes of IP.
        let (payload, payload_sum) = (fields.payload as u16, fields.payload_sum(pseudo_sum));
        self.queue.push(Frame { payload, payload_sum, ..alone }, place, index, End::Read);
        self.queue.units.get_mut(unit).add(payload, payload_sum);
    }
}
