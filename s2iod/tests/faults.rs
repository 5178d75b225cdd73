//! The fault matrix: what each fault does in each state of the driver, as readers, writers and statistics see it.
//!
//! The test makes the tables of `docs/faults.md` and compares; with `S2IOD_BLESS` set it writes them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use common::daemon::Daemon;
use common::frames::plain;
use common::{Bench, Machine, config};
use s2iod::front::Errno;
use s2iod::{Options, State};
use xframe::bits::{AdapterControl, PccErr, SmErr};
use xframe::registers as reg;
use xframe::rxd::Control1;

/// Frames that were delivered, or are being sent, when the fault comes.
const FRAMES: u32 = 4;
/// How long a fault may last: longer than any pause.
const SECONDS: u64 = 80;

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    Fatal,
    Counted,
    RingStops,
    RxdKept,
    TransmitStuck,
    EnableDrops,
    Windows,
    ResetsFail,
    Gone,
}

const FAULTS: [(Fault, &str); 9] = [
    (Fault::Fatal, "A fatal alarm (`sm_sm_err_alarm`)"),
    (Fault::Counted, "An alarm that the card survives (`pcc_fb_ecc_sg_err`)"),
    (Fault::RingStops, "The receive ring stops"),
    (Fault::RxdKept, "An RxD in the middle is never given back"),
    (Fault::TransmitStuck, "Nothing is sent any more"),
    (Fault::EnableDrops, "The hardware drops the adapter's enable bit"),
    (Fault::Windows, "Power fails for a moment: registers and configuration space are as after power-on"),
    (Fault::ResetsFail, "A fatal alarm, and for ten seconds no reset helps"),
    (Fault::Gone, "The card is pulled out: everything reads all ones"),
];

#[derive(Clone, Copy, PartialEq)]
enum When {
    Idle,
    Receiving,
    Sending,
    Recovering,
}

const STATES: [(When, &str); 4] = [
    (When::Idle, "idle"),
    (When::Receiving, "receiving"),
    (When::Sending, "sending"),
    (When::Recovering, "recovering"),
];

fn options() -> Options {
    Options { rx_slots: 16, rx_spare: 16, tx_slots: 8, ..Options::default() }
}

fn no_reset_helps(machine: &Machine) {
    machine.mischief.borrow_mut().stuck = Some((reg::PIF_RD_SWAPPER_FB, u64::MAX, 1));
}

fn break_card(machine: &Machine) {
    let alarm = SmErr::new().with_sm_sm_err_alarm(true);
    machine.card.borrow_mut().latch(reg::SM_ERR_REG, alarm.into());
}

/// The fault comes.
fn strike(fault: Fault, bench: &Bench) {
    let machine = &bench.machine;
    match fault {
        Fault::Fatal => break_card(machine),
        Fault::Counted => {
            let alarm = PccErr::new().with_fb_ecc_sg_err(1);
            machine.card.borrow_mut().latch(reg::PCC_ERR_REG, alarm.into());
        }
        Fault::RingStops => machine.write(reg::PRC_CTRL.first(), 0_u64),
        Fault::RxdKept => bench.alter_rxd(1, |_, two| (Control1::POSTED, two)),
        Fault::EnableDrops => {
            let control = AdapterControl::from(machine.read(reg::ADAPTER_CONTROL));
            machine.write(reg::ADAPTER_CONTROL, control.with_cntl_en(false));
        }
        Fault::Windows => machine.card.borrow_mut().reset(),
        Fault::ResetsFail => {
            no_reset_helps(machine);
            break_card(machine);
        }
        Fault::Gone => machine.mischief.borrow_mut().gone = true,
        // The card does no step until the driver has noticed.
        Fault::TransmitStuck => {}
    }
}

/// What was seen of one fault in one state.
struct Seen {
    state: State,
    read: u32,
    left: usize,
    next_read: Result<Vec<u8>, Errno>,
    next_write: Result<usize, Errno>,
    counters: String,
}

fn see(fault: Fault, when: When) -> Seen {
    let mut daemon = Daemon::new(options());
    if when == When::Recovering {
        no_reset_helps(&daemon.bench.machine);
        break_card(&daemon.bench.machine);
        daemon.bench.adapter.watch(daemon.now);
        assert_eq!(daemon.bench.adapter.state(), State::Recovering);
    }
    let before = counters(&mut daemon.bench);
    if when == When::Receiving {
        daemon.bench.arrive((0..FRAMES).map(|number| plain(number, 60)));
    }
    if when == When::Sending {
        for number in 0..FRAMES {
            daemon.try_write(plain(number, 60)).unwrap();
        }
    }
    strike(fault, &daemon.bench);
    for half in 0..2 * SECONDS {
        if half == 20 {
            daemon.bench.machine.mischief.borrow_mut().stuck = None;
        }
        daemon.now += Duration::from_millis(500);
        daemon.bench.adapter.watch(daemon.now);
        daemon.front.service(&mut daemon.bench.adapter, daemon.now);
        let stands_still = fault == Fault::Gone || (fault == Fault::TransmitStuck && half <= 12);
        if !stands_still {
            daemon.bench.settle();
        }
    }
    let left = daemon.sent().len();
    let mut read = 0;
    let next_read = loop {
        match daemon.try_read(1_514) {
            Ok(_) => read += 1,
            error => break error,
        }
    };
    let next_write = daemon.try_write(plain(9, 60));
    let after = counters(&mut daemon.bench);
    let moved = before.iter().zip(after).filter(|((_, before), (_, after))| before != after);
    let counters: Vec<_> = moved.map(|((name, before), (_, after))| format!("`{name}` +{}", after - before)).collect();
    Seen { state: daemon.bench.adapter.state(), read, left, next_read, next_write, counters: counters.join(", ") }
}

/// The counters that tell of faults.
fn counters(bench: &mut Bench) -> Vec<(String, u64)> {
    let mut text = String::new();
    bench.adapter.write_stats(&mut text).unwrap();
    let told = ["faults", "recoveries", "tx_lost", "tx_errors", "rx_errors", "alarm_"];
    let lines = text.lines().filter(|line| told.iter().any(|name| line.starts_with(name)));
    lines.map(|line| line.split_once(' ').unwrap()).map(|(name, value)| (name.into(), value.parse().unwrap())).collect()
}

/// What comes of starting a card on which the fault lies already.
fn start(fault: Fault) -> String {
    let machine = Machine::new(config());
    match fault {
        Fault::Fatal => break_card(&machine),
        Fault::Windows => machine.card.borrow_mut().reset(),
        Fault::ResetsFail => no_reset_helps(&machine),
        Fault::Gone => machine.mischief.borrow_mut().gone = true,
        _ => return "as without it: bring-up begins with a reset".into(),
    }
    match machine.bring_up(options()) {
        Ok(_) => "comes up".into(),
        Err(error) => format!("does not come up: \"{error}\""),
    }
}

fn outcome<T>(result: Result<T, Errno>, ok: &str) -> String {
    match result {
        Ok(_) => ok.into(),
        Err(Errno::EAGAIN) => "waits (`EAGAIN`)".into(),
        Err(errno) => format!("`{errno:?}`"),
    }
}

fn matrix() -> String {
    let mut out = String::new();
    for (fault, title) in FAULTS {
        writeln!(out, "## {title}\n\nStarting: {}.\n", start(fault)).unwrap();
        writeln!(
            out,
            "| when | card | delivered before, read | written before, left | next read | next write | counters |"
        )
        .unwrap();
        writeln!(out, "|---|---|---|---|---|---|---|").unwrap();
        for (when, name) in STATES {
            // An RxD is kept only while frames come, and nothing is stuck that nobody sends.
            let applies = match fault {
                Fault::RxdKept => when == When::Receiving,
                Fault::TransmitStuck => when == When::Sending,
                Fault::RingStops | Fault::EnableDrops => when != When::Recovering,
                _ => true,
            };
            if !applies {
                continue;
            }
            let seen = see(fault, when);
            let of = |count, wanted| if when == wanted { format!("{count} of {FRAMES}") } else { "-".into() };
            writeln!(
                out,
                "| {name} | {} | {} | {} | {} | {} | {} |",
                format!("{:?}", seen.state).to_lowercase(),
                of(seen.read as usize, When::Receiving),
                of(seen.left, When::Sending),
                outcome(seen.next_read, "a frame"),
                outcome(seen.next_write, "done"),
                seen.counters,
            )
            .unwrap();
        }
        out.push('\n');
    }
    out
}

const HEAD: &str = "# Faults

What each fault does to the driver on the software card, 80 seconds after it has come. The tables are made by
`s2iod/tests/faults.rs`, which also checks them.

While a card is being reset, readers get the frames that it had delivered and then wait, and writers wait: nobody sees an
error. Frames that the card had not sent are lost, as on any wire, and counted (`tx_lost`). The first reset in a minute
comes at once, further ones after pauses that double up to 64 seconds. Only a card that does not answer at all any more is
an error to the clients: `EIO`, after the last frame has been read.

";

#[test]
fn every_fault_does_in_every_state_what_the_documentation_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/faults.md");
    let made = format!("{HEAD}{}", matrix().trim_end()) + "\n";
    if std::env::var_os("S2IOD_BLESS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let documented = std::fs::read_to_string(&path).unwrap();
    for (made, documented) in made.lines().zip(documented.lines()) {
        assert_eq!(made, documented);
    }
    assert_eq!(made.lines().count(), documented.lines().count());
}

#[test]
fn whatever_the_fault_nothing_that_was_delivered_is_lost() {
    for (fault, title) in FAULTS {
        // The frame in the RxD that was kept was never delivered.
        let delivered = FRAMES - u32::from(fault == Fault::RxdKept);
        assert!(fault == Fault::TransmitStuck || see(fault, When::Receiving).read == delivered, "{title}");
    }
}
