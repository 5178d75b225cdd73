//! Which segments may share a unit: the table of rule sets, line by line.

use lro::{Checksums, Rules};

use super::frame::{ACK, CWR, PSH};
use super::parse::Segment;

/// Right as a checksum wherever 0 is, but never what a computation yields.
const OTHER_ZERO: u16 = 0xFFFF;
const ROUTING: u8 = 43;

/// Whether the rules let this segment share a unit at all.
pub fn is_eligible(segment: &Segment, rules: Rules, checksums: Checksums) -> bool {
    let flags = segment.flags();
    let usual = segment.extensions().is_empty() && (segment.options().is_empty() || segment.timestamps().is_some());
    let by_rules = match rules {
        Rules::Off => false,
        Rules::Seed => {
            let echo = segment.timestamps().map(|[_, echo]| echo);
            usual && flags == ACK && !segment.is_v6() && !segment.is_congested() && echo != Some(0)
        }
        Rules::Endpoint => usual && flags & !PSH == ACK,
        Rules::Forward => {
            let checksums = [segment.tcp_sum(), segment.ip_sum()];
            flags & !(PSH | CWR) == ACK && !segment.extensions().contains(&ROUTING) && !checksums.contains(&OTHER_ZERO)
        }
    };
    by_rules
        && checksums != Checksums::Bad
        && segment.ip_sum_is_true()
        && segment.tcp_sum_is_true()
        && segment.ip_options().is_empty()
        && segment.urgent() == 0
        && !segment.payload().is_empty()
}

/// Whether `next` may follow these segments in their unit, its length aside; all are eligible.
pub fn may_join(rules: Rules, unit: &[&Segment], next: &Segment) -> bool {
    let (Some(first), Some(last)) = (unit.first(), unit.last()) else { return true };
    let follows = !is_whole(rules, unit) && next.sequence() == last.next_sequence();
    let by_rules = if rules == Rules::Forward {
        last.exact_headers() == next.exact_headers()
            && next.payload().len() <= first.payload().len()
            && keeps_step(ip_id_step(rules, unit), step(last, next))
    } else {
        last.shared_headers() == next.shared_headers()
            && !goes_back(last.acknowledgment(), next.acknowledgment())
            && !last.timestamps().zip(next.timestamps()).is_some_and(|([from, _], [to, _])| goes_back(from, to))
    };
    follows && by_rules
}

/// Whether these segments are a unit that has its last one: with PSH, or, where only the last may be shorter, a shorter one.
pub fn is_whole(rules: Rules, unit: &[&Segment]) -> bool {
    let (Some(first), Some(last)) = (unit.first(), unit.last()) else { return false };
    last.flags() & PSH != 0 || rules == Rules::Forward && last.payload().len() < first.payload().len()
}

/// By how much the identification grows within a unit, where the rules keep it.
pub fn ip_id_step(rules: Rules, unit: &[&Segment]) -> Option<u16> {
    match unit {
        [first, second, ..] if rules == Rules::Forward => step(first, second),
        _ => None,
    }
}

/// By how much the identification grows; IPv6 has none.
fn step(from: &Segment, to: &Segment) -> Option<u16> {
    from.identification().zip(to.identification()).map(|(from, to)| to.wrapping_sub(from))
}

fn keeps_step(before: Option<u16>, now: Option<u16>) -> bool {
    now.is_none_or(|now| now <= 1 && before.is_none_or(|before| before == now))
}

/// Whether `to` lies before `from`, modulo 2^32.
fn goes_back(from: u32, to: u32) -> bool {
    to.wrapping_sub(from) >= 1 << 31
}
