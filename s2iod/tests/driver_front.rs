//! The scheme's front on the adapter on the card: calls in, answers and events out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::MAC;
use common::daemon::{Daemon, WRITE};
use common::frames::{payload_of, plain, segments};
use s2iod::Options;
use s2iod::front::{Errno, Events, FIRST_DELAY};

#[test]
fn a_read_that_waits_is_answered_when_a_frame_comes() {
    let mut daemon = Daemon::new(Options::default());
    let tag = daemon.read();
    assert_eq!(daemon.answer(), None);
    daemon.arrive([plain(1, 100)]);
    assert_eq!(daemon.answer(), Some((tag, Ok(plain(1, 100)))));
    assert_eq!(daemon.events(), None, "nobody needs to be told");
}

#[test]
fn reads_that_wait_are_answered_in_their_order() {
    let mut daemon = Daemon::new(Options::default());
    let tags: Vec<u32> = (0..5).map(|_| daemon.read()).collect();
    daemon.arrive((0..7).map(|number| plain(number, 100)));
    for (number, tag) in (0..).zip(tags) {
        assert_eq!(daemon.answer(), Some((tag, Ok(plain(number, 100)))));
    }
    assert_eq!(daemon.answer(), None);
    assert_eq!(daemon.try_read(2_000), Ok(plain(5, 100)));
}

#[test]
fn without_a_frame_a_read_that_does_not_wait_gets_eagain_and_the_next_frame_an_event() {
    let mut daemon = Daemon::new(Options::default());
    for number in 0..20 {
        assert_eq!(daemon.try_read(2_000), Err(Errno::EAGAIN));
        assert_eq!(daemon.events(), None);
        daemon.arrive([plain(number, 100)]);
        assert_eq!(daemon.events(), Some(Events { read: true, write: false }));
        assert_eq!(daemon.events(), None);
        assert_eq!(daemon.try_read(2_000), Ok(plain(number, 100)));
    }
}

#[test]
fn frames_that_come_while_the_reader_lags_take_no_interrupt_and_few_reads() {
    let mut daemon = Daemon::new(Options::default());
    daemon.arrive(segments(1, 1_448));
    let interrupts = daemon.bench.statistic("interrupts");
    daemon.arrive(segments(45, 1_448).into_iter().skip(1));
    assert_eq!(daemon.bench.statistic("interrupts"), interrupts);
    let unit = daemon.try_read(lro::MAX_UNIT).unwrap();
    assert_eq!(payload_of(&unit).len(), 45 * 1_448);
    assert_eq!(daemon.try_read(2_000), Err(Errno::EAGAIN));
}

#[test]
fn a_reader_s_buffer_bounds_what_merges() {
    for (buffer, merged) in [(1_054, 1), (2_053, 1), (2_054, 2), (10_054, 10), (65_557, 65)] {
        let mut daemon = Daemon::new(Options::default());
        daemon.arrive(segments(100, 1_000));
        assert_eq!(payload_of(&daemon.try_read(buffer).unwrap()).len(), merged * 1_000, "{buffer}");
    }
}

#[test]
fn a_read_shorter_than_the_frame_gets_its_first_bytes_and_is_counted() {
    let mut daemon = Daemon::new(Options::default());
    daemon.arrive([plain(1, 1_514), plain(2, 1_500)]);
    assert!(daemon.try_read(1_500) == Ok(plain(1, 1_514)[..1_500].to_vec()));
    assert!(daemon.try_read(1_500) == Ok(plain(2, 1_500)));
    assert_eq!(daemon.front.counters().reads_truncated, 1);
    assert_eq!(daemon.try_read(1_500), Err(Errno::EAGAIN));
}

#[test]
fn a_write_leaves_on_the_wire() {
    let mut daemon = Daemon::new(Options::default());
    let tag = daemon.call(WRITE, plain(1, 100), false);
    assert_eq!(daemon.answer(), Some((tag, Ok(plain(1, 100)))));
    daemon.settle();
    assert!(daemon.sent() == [plain(1, 100)]);
}

#[test]
fn writes_beyond_the_slots_wait_in_order_and_none_is_lost() {
    let mut daemon = Daemon::new(Options { tx_slots: 4, ..Options::default() });
    let tags: Vec<u32> = (0..50).map(|number| daemon.call(WRITE, plain(number, 100), false)).collect();
    let answered: Vec<u32> = std::iter::from_fn(|| daemon.answer()).map(|(tag, _)| tag).collect();
    assert_eq!(answered, tags[..4]);
    daemon.settle();
    let answered: Vec<u32> = std::iter::from_fn(|| daemon.answer()).map(|(tag, _)| tag).collect();
    assert_eq!(answered, tags[4..]);
    assert!(daemon.sent() == (0..50).map(|number| plain(number, 100)).collect::<Vec<_>>());
}

#[test]
fn a_write_without_room_that_does_not_wait_gets_eagain_and_an_event_when_there_is_room() {
    let mut daemon = Daemon::new(Options { tx_slots: 4, ..Options::default() });
    for number in 0..4 {
        assert_eq!(daemon.try_write(plain(number, 100)), Ok(100));
    }
    assert_eq!(daemon.try_write(plain(4, 100)), Err(Errno::EAGAIN));
    assert_eq!(daemon.events(), None);
    daemon.settle();
    assert_eq!(daemon.events(), Some(Events { read: false, write: true }));
    assert_eq!(daemon.try_write(plain(4, 100)), Ok(100));
}

#[test]
fn a_write_that_is_too_long_or_too_short_is_refused() {
    let mut daemon = Daemon::new(Options::default());
    assert_eq!(daemon.try_write(plain(1, 1_523)), Err(Errno::EMSGSIZE));
    assert_eq!(daemon.try_write(vec![0; 13]), Err(Errno::EINVAL));
    daemon.settle();
    assert!(daemon.sent().is_empty());
}

#[test]
fn a_reader_that_stops_early_is_told_again_though_nothing_comes() {
    let mut daemon = Daemon::new(Options::default());
    daemon.arrive((0..100).map(|number| plain(number, 100)));
    assert!(daemon.events().is_some());
    for number in 0..10 {
        assert_eq!(daemon.try_read(2_000), Ok(plain(number, 100)));
    }
    assert_eq!(daemon.events(), None);
    assert_eq!(daemon.front.deadline(), Some(daemon.now + FIRST_DELAY));
    daemon.now += FIRST_DELAY;
    daemon.front.service(&mut daemon.bench.adapter, daemon.now);
    assert_eq!(daemon.events(), Some(Events { read: true, write: false }));
}

#[test]
fn readiness_on_subscription_is_what_the_card_has_at_that_moment() {
    let mut daemon = Daemon::new(Options { tx_slots: 2, ..Options::default() });
    let ready = |daemon: &mut Daemon| daemon.front.fevent(daemon.frames, &mut daemon.bench.adapter).unwrap();
    assert_eq!(ready(&mut daemon), Events { read: false, write: true });
    daemon.bench.arrive([plain(1, 100)]);
    assert_eq!(ready(&mut daemon), Events { read: true, write: true });
    daemon.try_write(plain(1, 100)).unwrap();
    daemon.try_write(plain(2, 100)).unwrap();
    assert_eq!(ready(&mut daemon), Events { read: true, write: false });
}

#[test]
fn the_address_is_the_card_s() {
    assert_eq!(Daemon::new(Options::default()).text("mac"), MAC);
}

#[test]
fn the_statistics_hold_card_driver_engine_and_front() {
    let mut daemon = Daemon::new(Options::default());
    daemon.arrive([plain(1, 100)]);
    daemon.try_read(2_000).unwrap();
    let text = String::from_utf8(daemon.text("stats")).unwrap();
    for line in ["rmac_vld_frms 1", "interrupts_not_ours 0", "lro_units 1", "reads 1"] {
        assert!(text.lines().any(|other| other == line), "{line} is missing in\n{text}");
    }
}

#[test]
fn a_card_that_goes_answers_everybody_and_for_ever() {
    let mut daemon = Daemon::new(Options { tx_slots: 2, ..Options::default() });
    let reads = [daemon.read(), daemon.read()];
    daemon.try_write(plain(1, 100)).unwrap();
    daemon.try_write(plain(2, 100)).unwrap();
    let write = daemon.call(WRITE, plain(3, 100), false);
    daemon.bench.machine.mischief.borrow_mut().gone = true;
    daemon.bench.machine.step();
    assert!(daemon.bench.adapter.service().is_err());
    daemon.front.service(&mut daemon.bench.adapter, daemon.now);
    for tag in [reads[0], reads[1], write] {
        assert_eq!(daemon.answer(), Some((tag, Err(Errno::EIO))));
    }
    assert_eq!(daemon.try_read(2_000), Err(Errno::EIO));
    assert_eq!(daemon.try_write(plain(4, 100)), Err(Errno::EIO));
}
