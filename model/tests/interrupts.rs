//! When the interrupt line is high.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::time::Duration;

use common::{Host, MAC, STATISTICS, frames};
use model::{Config, Step, Time, Width};
use xframe::bits::*;
use xframe::constants::Asic;
use xframe::registers as r;
use xframe::txd::{Control1, Control2};

const ALL: u64 = u64::MAX;

/// A running card with the traffic causes open.
fn open() -> Host {
    let mut host = Host::running(1);
    host.settle();
    host.write(r::TX_TRAFFIC_MASK, 0);
    host.write(r::RX_TRAFFIC_MASK, 0);
    let mask = GeneralInt::new().with_txpic(true).with_txtraffic(true).with_rxtraffic(true);
    host.write(r::GENERAL_INT_MASK, !u64::from(mask));
    assert!(!host.card.line());
    host
}

fn set_entry(host: &mut Host, command: r::Register, count: u64, flags: u64, entry: u8) {
    let (data1, data2) = if command == r::TTI_COMMAND_MEM {
        (r::TTI_DATA1_MEM, r::TTI_DATA2_MEM)
    } else {
        (r::RTI_DATA1_MEM, r::RTI_DATA2_MEM)
    };
    host.write(data1, flags | u64::from(RtiData1::new().with_timer_val(1000)));
    // The same in every range of the link's use.
    host.write(data2, count * 0x0001_0001_0001_0001);
    host.command(command, Command::write(entry));
}

#[test]
fn a_received_frame_raises_the_line_until_it_is_acknowledged() {
    let mut host = open();
    host.receive(&frames::tcp4(100));
    assert!(host.card.line());
    assert_eq!(host.get::<GeneralInt>(), GeneralInt::new().with_rxtraffic(true));
    assert_eq!(host.read(r::RX_TRAFFIC_INT), 1 << 63);
    host.write(r::RX_TRAFFIC_INT, ALL);
    assert!(!host.card.line());
}

#[test]
fn the_line_follows_the_masks_at_every_level() {
    let mut host = open();
    host.receive(&frames::tcp4(100));
    host.write(r::RX_TRAFFIC_MASK, ALL);
    assert!(!host.card.line());
    assert_eq!(host.get::<GeneralInt>(), GeneralInt::new());
    host.write(r::RX_TRAFFIC_MASK, 0);
    assert!(host.card.line());
    host.write(r::GENERAL_INT_MASK, ALL);
    assert!(!host.card.line());
    assert!(host.get::<GeneralInt>().rxtraffic(), "the status shows what the top mask hides");
}

#[test]
fn a_frame_between_acknowledge_and_unmask_is_not_lost() {
    let mut host = open();
    host.receive(&frames::tcp4(1));
    host.write(r::RX_TRAFFIC_MASK, ALL);
    host.write(r::RX_TRAFFIC_INT, ALL);
    host.receive(&frames::tcp4(2));
    host.write(r::RX_TRAFFIC_MASK, 0);
    assert!(host.card.line());
}

#[test]
fn the_bus_can_forbid_the_line() {
    let mut host = open();
    host.receive(&frames::tcp4(100));
    host.card.config_write(0x04, Width::Word, 0x0406);
    assert!(!host.card.line());
}

#[test]
fn a_completed_list_fires_the_entry_it_names() {
    let mut host = open();
    host.send_with(0, &[&frames::tcp4(100)], Control1::new(), Control2::new().with_int_number(9));
    host.settle();
    assert_eq!(host.read(r::TX_TRAFFIC_INT), 1 << 63 >> 9);
    assert!(host.card.line() && host.get::<GeneralInt>().txtraffic());
}

#[test]
fn an_entry_waits_for_its_count_while_frames_keep_coming() {
    let mut host = open();
    set_entry(&mut host, r::RTI_COMMAND_MEM, 3, 0, 0);
    host.post_many(3);
    host.card.wire_mut().frames.extend(vec![frames::tcp4(100); 3]);
    let lines = [(); 3].map(|()| {
        assert_eq!(host.card.step(), Step::Received { ring: 0 });
        host.card.line()
    });
    assert_eq!(lines, [false, false, true]);
}

#[test]
fn frames_back_to_back_share_an_interrupt_and_frames_apart_have_their_own() {
    let interrupts = |together: bool| {
        let mut host = open();
        let ranges = RtiData1::new().with_timer_val(1000).with_timer_ac_en(true).with_urng_a(10).with_urng_b(16);
        host.put(ranges.with_urng_c(48));
        host.put(RtiData2::new().with_a(1).with_b(2).with_c(32).with_d(64));
        host.command(r::RTI_COMMAND_MEM, Command::write(0));
        host.post_many(120);
        let mut count = 0;
        for _ in 0..120 {
            host.card.wire_mut().frames.extend(vec![frames::tcp4(1400); if together { 120 } else { 1 }]);
            while host.card.step() != Step::Idle {
                count += u32::from(host.card.line());
                host.write(r::RX_TRAFFIC_INT, ALL);
            }
            if together {
                break;
            }
        }
        count
    };
    assert_eq!(interrupts(false), 120);
    let together = interrupts(true);
    assert!((5..25).contains(&together), "{together}: a dozen before the use is known, then one for 64");
}

#[test]
fn the_link_s_use_can_be_read() {
    let mut host = open();
    host.post_many(100);
    host.card.wire_mut().frames.extend(vec![frames::tcp4(1400); 100]);
    for _ in 0..90 {
        host.card.step();
    }
    let measured = host.get::<MacLinkUtil>();
    assert!(measured.rx_link_util() > 95 && measured.tx_link_util() == 0, "{measured:?}");
    assert_eq!((measured.rx_link_util_val(), measured.tx_link_util_val()), (5, 5));
    host.settle();
    assert_eq!(host.get::<MacLinkUtil>().rx_link_util(), 0, "nothing moves");
}

#[test]
fn the_timer_fires_an_entry_once_the_card_has_nothing_to_do() {
    let mut host = open();
    set_entry(&mut host, r::RTI_COMMAND_MEM, 100, 0, 0);
    host.post_many(1);
    host.card.wire_mut().frames.push_back(frames::tcp4(100));
    assert_eq!(host.card.step(), Step::Received { ring: 0 });
    assert!(!host.card.line());
    assert_eq!((host.card.step(), host.card.step()), (Step::Timer, Step::Idle));
    assert!(host.card.line());
}

#[test]
fn a_list_can_ask_for_its_own_interrupt() {
    let mut host = open();
    set_entry(&mut host, r::TTI_COMMAND_MEM, 100, 0, 0);
    host.send_with(0, &[&frames::tcp4(100)], Control1::new(), Control2::new().with_int_type_per_list(true));
    assert_eq!(host.card.step(), Step::Sent { fifo: 0 });
    assert!(host.card.line());
}

#[test]
fn a_continuous_entry_fires_at_every_tick() {
    let mut host = open();
    set_entry(&mut host, r::TTI_COMMAND_MEM, 100, TtiData1::new().with_timer_ci_en(true).into(), 0);
    for _ in 0..3 {
        host.card.tick();
        assert!(host.card.line());
        host.write(r::TX_TRAFFIC_INT, ALL);
        assert!(!host.card.line());
    }
}

#[test]
fn a_bimodal_ring_fires_a_transmit_entry() {
    let mut host = open();
    let ctrl = PrcCtrl::from(host.read(r::PRC_CTRL.first())).with_bimodal_interrupt(true);
    host.write(r::PRC_CTRL.first(), ctrl.into());
    host.receive(&frames::tcp4(100));
    assert_eq!((host.read(r::RX_TRAFFIC_INT), host.read(r::TX_TRAFFIC_INT)), (0, 1 << 63 >> 56));
}

#[test]
fn a_link_event_climbs_through_gpio_and_pic() {
    let mut host = open();
    host.put(GpioInt::new().with_link_up(true).with_link_down(true));
    host.settle();
    assert!(!host.card.line());
    host.write(r::PIC_INT_MASK, !u64::from(PicInt::new().with_gpio(true)));
    host.write(r::GPIO_INT_MASK, !u64::from(GpioInt::new().with_link_up(true)));
    assert!(host.card.line());
    assert_eq!(host.get::<GeneralInt>(), GeneralInt::new().with_txpic(true));
    assert_eq!(host.get::<PicInt>(), PicInt::new().with_gpio(true));
    // The driver masks what it has seen and waits for the other; nothing is written to the latch.
    host.write(r::GPIO_INT_MASK, !u64::from(GpioInt::new().with_link_down(true)));
    assert!(!host.card.line());
    host.card.set_link(false);
    host.settle();
    assert!(host.card.line());
}

#[test]
fn every_error_latch_has_its_way_to_the_top() {
    let paths = [
        (r::PFC_ERR_REG, r::PFC_ERR_MASK, r::TXDMA_INT_MASK, r::TXDMA_INT_STATUS, 1),
        (r::SM_ERR_REG, r::SM_ERR_MASK, r::TXDMA_INT_MASK, r::TXDMA_INT_STATUS, 1),
        (r::RC_ERR_REG, r::RC_ERR_MASK, r::RXDMA_INT_MASK, r::RXDMA_INT_STATUS, 33),
        (r::PRC_PCIX_ERR_REG, r::PRC_PCIX_ERR_MASK, r::RXDMA_INT_MASK, r::RXDMA_INT_STATUS, 33),
        (r::MAC_TMAC_ERR_REG, r::MAC_TMAC_ERR_MASK, r::MAC_INT_MASK, r::MAC_INT_STATUS, 2),
        (r::MAC_RMAC_ERR_REG, r::MAC_RMAC_ERR_MASK, r::MAC_INT_MASK, r::MAC_INT_STATUS, 34),
        (r::MC_ERR_REG, r::MC_ERR_MASK, r::MC_INT_MASK, r::MC_INT_STATUS, 35),
        (r::XGXS_TXGXS_ERR_REG, r::XGXS_TXGXS_ERR_MASK, r::XGXS_INT_MASK, r::XGXS_INT_STATUS, 3),
        (r::XGXS_RXGXS_ERR_REG, r::XGXS_RXGXS_ERR_MASK, r::XGXS_INT_MASK, r::XGXS_INT_STATUS, 36),
        (r::FLSH_INT_REG, r::FLSH_INT_MASK, r::PIC_INT_MASK, r::PIC_INT_STATUS, 0),
        (r::RXPIC_INT_REG, r::RXPIC_INT_MASK, r::PIC_INT_MASK, r::PIC_INT_STATUS, 32),
    ];
    for (latch, mask, block_mask, status, bit) in paths {
        let mut host = Host::running(1);
        host.settle();
        host.write(latch, ALL);
        host.card.latch(latch, 1 << 40);
        assert_eq!(host.read(status), 0, "{status:?} hides what is masked");
        host.write(mask, !(1 << 40));
        assert_ne!(host.read(status), 0);
        assert_eq!(host.get::<GeneralInt>(), GeneralInt::new());
        host.write(block_mask, 0);
        assert_eq!(u64::from(host.get::<GeneralInt>()), 1 << 63 >> bit);
        host.write(r::GENERAL_INT_MASK, 0);
        assert!(host.card.line());
        host.write(latch, 1 << 40);
        assert!(!host.card.line());
    }
}

/// A card whose time is its host's, with a receive entry that waits for a hundred frames or 30 microseconds.
fn with_a_clock() -> Host {
    let mut host = Host::new(Config { time: Time::Host, ..Config::new(Asic::Herc, MAC) });
    host.bring_up(1);
    host.settle();
    host.write(r::RX_TRAFFIC_MASK, 0);
    host.write(r::GENERAL_INT_MASK, !u64::from(GeneralInt::new().with_rxtraffic(true)));
    set_entry(&mut host, r::RTI_COMMAND_MEM, 100, 0, 0);
    host
}

#[test]
fn a_host_with_a_clock_lets_the_timer_expire() {
    let mut host = with_a_clock();
    assert_eq!(host.card.patience(), None);
    host.receive(&frames::tcp4(100));
    assert!(!host.card.line());
    let left = host.card.patience().unwrap();
    assert!((Duration::from_micros(29)..Duration::from_micros(31)).contains(&left), "1000 ticks of 8 clocks: {left:?}");
    host.card.elapse(left - Duration::from_nanos(10));
    assert!(!host.card.line());
    host.card.elapse(Duration::from_nanos(10));
    assert!(host.card.line());
    assert_eq!(host.card.patience(), None);
}

#[test]
fn a_frame_without_a_descriptor_is_not_waited_with_for_ever() {
    let mut host = with_a_clock();
    host.arrive(&frames::tcp4(100));
    assert!(host.card.patience().is_some_and(|patience| patience < Duration::from_millis(1)));
    host.post(9622);
    assert_eq!(host.card.step(), Step::Received { ring: 0 });
}

#[test]
fn periodic_statistics_follow_the_clock() {
    let mut host = with_a_clock();
    // In thousands of clocks at 266 MHz.
    host.put(StatCfg::new().with_stat_en(true).with_set_updt_period(266));
    for _ in 0..3 {
        assert_eq!(host.card.patience(), Some(Duration::from_millis(1)));
        host.card.memory_mut().put(STATISTICS, &[0xEE; 8]);
        host.card.elapse(Duration::from_micros(999));
        assert_eq!(host.card.memory().bytes(STATISTICS, 8), [0xEE; 8]);
        host.card.elapse(Duration::from_micros(1));
        assert_ne!(host.card.memory().bytes(STATISTICS, 8), [0xEE; 8]);
    }
    host.put(StatCfg::new());
    assert_eq!(host.card.patience(), None);
}
