//! Owns plans of faults: when each comes, how it is written, and which is due.

use std::str::FromStr;
use std::time::Duration;

use xframe::registers::{Access, TABLE};

use super::Fault;
use crate::duration;

/// What goes wrong when, counted from the moment at which frames first can move.
///
/// As text: `5s:link=200ms,10s..:lose-message=2`. The first comes once, after five seconds; the second every ten. See
/// [`Plan::HELP`] for all faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    events: Vec<Event>,
}

/// A fault at its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Event {
    at: Duration,
    /// How long after that it comes again.
    every: Option<Duration>,
    fault: Fault,
}

impl Plan {
    /// The faults by name.
    pub const HELP: &str = "lose-message[=COUNT], repeat-message[=COUNT], receive-code=T_CODE, send-code=T_CODE, \
                            size=BYTES, keep-rxd, keep-txd, abort, alarm=REGISTER.BIT, link=TIME, stuck-reset=TIME, \
                            gone=TIME";
}

impl FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut events = Vec::new();
        for entry in text.split(',') {
            let wrong = || format!("{entry:?} is no TIME:FAULT or TIME..:FAULT; the faults are {}", Self::HELP);
            let (time, what) = entry.split_once(':').ok_or_else(wrong)?;
            let (time, again) = time.strip_suffix("..").map_or((time, false), |time| (time, true));
            let at = duration::parse(time).ok_or_else(wrong)?;
            let every = again.then_some(at);
            if every.is_some_and(|every| every.is_zero()) {
                return Err(wrong());
            }
            let (name, value) = what.split_once('=').map_or((what, None), |(name, value)| (name, Some(value)));
            for (after, fault) in faults(name, value).ok_or_else(wrong)? {
                events.push(Event { at: at + after, every, fault });
            }
        }
        Ok(Self { events })
    }
}

/// What a fault's name and value mean: one fault now, or one that begins now and ends after a time.
fn faults(name: &str, value: Option<&str>) -> Option<Vec<(Duration, Fault)>> {
    let count = || value.map_or(Some(1), |value| value.parse().ok());
    let code = || value?.parse().ok().filter(|code: &u8| *code < 16);
    let lasts = |fault: fn(bool) -> Fault, on: bool| {
        let time = duration::parse(value?)?;
        Some(vec![(Duration::ZERO, fault(on)), (time, fault(!on))])
    };
    let fault = match name {
        "lose-message" => Fault::LoseMessages(count()?),
        "repeat-message" => Fault::RepeatMessages(count()?),
        "receive-code" => Fault::ReceiveCode(code()?),
        "send-code" => Fault::SendCode(code()?),
        "size" => Fault::Size(value?.parse().ok()?),
        "keep-rxd" if value.is_none() => Fault::KeepRxd,
        "keep-txd" if value.is_none() => Fault::KeepTxd,
        "abort" if value.is_none() => Fault::Abort,
        "alarm" => alarm(value?)?,
        "link" => return lasts(Fault::Link, false),
        "stuck-reset" => return lasts(Fault::StuckReset, true),
        "gone" => return lasts(Fault::Gone, true),
        _ => return None,
    };
    Some(vec![(Duration::ZERO, fault)])
}

/// A bit, counted from the most significant, of a register of latched causes.
fn alarm(text: &str) -> Option<Fault> {
    let (name, bit) = text.split_once('.')?;
    let bit: u32 = bit.parse().ok().filter(|bit| *bit < 64)?;
    let entry = TABLE.iter().find(|entry| entry.name == name && entry.access == Access::W1C)?;
    Some(Fault::Alarm(xframe::registers::Register::containing(entry.offset), 1 << 63 >> bit))
}

/// A plan under way.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    events: Vec<Event>,
}

impl Schedule {
    /// A plan at its beginning.
    pub fn new(plan: &Plan) -> Self {
        Self { events: plan.events.clone() }
    }

    fn first(&self) -> Option<usize> {
        self.events.iter().enumerate().min_by_key(|(_, event)| event.at).map(|(index, _)| index)
    }

    /// When something comes next.
    pub fn next(&self) -> Option<Duration> {
        self.events.iter().map(|event| event.at).min()
    }

    /// The next fault whose time has come.
    pub fn due(&mut self, now: Duration) -> Option<Fault> {
        let index = self.first()?;
        let event = self.events.get_mut(index).filter(|event| event.at <= now)?;
        let fault = event.fault;
        match event.every {
            Some(every) => event.at += every,
            None => drop(self.events.remove(index)),
        }
        Some(fault)
    }
}

#[cfg(test)]
mod tests {
    use xframe::registers::SM_ERR_REG;

    use super::*;

    /// What comes in the first `seconds`, each with its time in milliseconds.
    fn comes(plan: &str, seconds: u64) -> Vec<(u128, Fault)> {
        let mut schedule = Schedule::new(&plan.parse().unwrap());
        let mut faults = Vec::new();
        while let Some(next) = schedule.next().filter(|next| next.as_secs() < seconds) {
            assert_eq!(schedule.due(next - Duration::from_nanos(1)), None);
            faults.push((next.as_millis(), schedule.due(next).unwrap()));
        }
        faults
    }

    #[test]
    fn faults_come_at_their_times_in_order() {
        let plan = "5s:keep-rxd,300ms:receive-code=8,1s:alarm=SM_ERR_REG.15,2s:size=9000";
        let expected = [
            (300, Fault::ReceiveCode(8)),
            (1_000, Fault::Alarm(SM_ERR_REG, 1 << 63 >> 15)),
            (2_000, Fault::Size(9000)),
            (5_000, Fault::KeepRxd),
        ];
        assert_eq!(comes(plan, 100), expected);
    }

    #[test]
    fn what_lasts_begins_and_ends() {
        assert_eq!(comes("1s:link=200ms", 9), [(1_000, Fault::Link(false)), (1_200, Fault::Link(true))]);
        assert_eq!(comes("1s:gone=2s", 9), [(1_000, Fault::Gone(true)), (3_000, Fault::Gone(false))]);
        assert_eq!(
            comes("1s:stuck-reset=2s", 9),
            [(1_000, Fault::StuckReset(true)), (3_000, Fault::StuckReset(false))]
        );
    }

    #[test]
    fn what_comes_again_comes_again_whole() {
        let expected = [
            (2_000, Fault::Link(false)),
            (2_500, Fault::Link(true)),
            (4_000, Fault::Link(false)),
            (4_500, Fault::Link(true)),
        ];
        assert_eq!(comes("2s..:link=500ms", 5), expected);
        assert_eq!(comes("3s..:lose-message", 7), [(3_000, Fault::LoseMessages(1)), (6_000, Fault::LoseMessages(1))]);
    }

    #[test]
    fn every_fault_of_the_help_can_be_written() {
        for fault in Plan::HELP.split(", ") {
            let example = fault.replace("[=COUNT]", "=3").replace("T_CODE", "7").replace("BYTES", "70");
            let example = example.replace("REGISTER.BIT", "MC_ERR_REG.3").replace("TIME", "1s");
            assert!(format!("1s:{example}").parse::<Plan>().is_ok(), "{example}");
        }
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        for wrong in [
            "",
            "link=1s",
            "5:abort",
            "5s:",
            "5s:nonsense",
            "0s..:abort",
            "5s:link",
            "5s:abort=1",
            "5s:receive-code=16",
            "5s:alarm=SM_ERR_REG",
            "5s:alarm=SM_ERR_REG.64",
            "5s:alarm=MAC_CFG.1",
            "5s:abort,",
        ] {
            assert!(wrong.parse::<Plan>().is_err(), "{wrong}");
        }
    }
}
