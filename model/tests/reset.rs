//! Resets, configuration space, readiness, and the link.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{BLOCKS, Host, MAC, frames};
use model::{Bar, Config, Step, Width};
use xframe::bits::*;
use xframe::constants::{Asic, VENDOR, config as at};
use xframe::registers as r;
use xframe::statistics::LINK_FAULT_CNT;
use xframe::swapper::Interrupts;
use xframe::txd;

/// What the operating system does after a reset: polls for the device ID, then turns the windows on again.
fn restore(host: &mut Host) {
    let reads = (1..100).find(|_| host.card.config_read(0x02, Width::Word) == u64::from(host.asic.device_id()));
    assert!(reads.is_some(), "configuration space does not come back");
    host.card.config_write(0x04, Width::Word, 6);
}

fn reset(host: &mut Host) {
    host.put(SwReset::FULL);
    restore(host);
}

#[test]
fn configuration_space_names_the_card() {
    for asic in [Asic::Herc, Asic::Xena] {
        let mut host = Host::new(Config::new(asic, MAC));
        assert_eq!(host.card.config_read(0x00, Width::Word), u64::from(VENDOR));
        assert_eq!(Asic::from_device_id(host.card.config_read(0x02, Width::Word) as u16), Some(asic));
        assert_eq!(host.card.config_read(0x08, Width::Dword) >> 8, 0x02_0000);
    }
}

#[test]
fn windows_tell_their_sizes() {
    let mut host = Host::herc();
    for (offset, size) in [(0x10, 32 << 10), (0x18, 1 << 20), (0x20, 8 << 10)] {
        host.card.config_write(offset, Width::Dword, 0xFFFF_FFFF);
        host.card.config_write(offset + 4, Width::Dword, 0xFFFF_FFFF);
        let mask = host.card.config_read(offset, Width::Qword) & !0xF;
        assert_eq!(!mask + 1, size, "{offset:#x}");
        assert_eq!(host.card.config_read(offset, Width::Dword) & 0xF, 4);
    }
}

#[test]
fn the_capability_list_is_whole() {
    let walk = |host: &mut Host| {
        let mut found = Vec::new();
        let mut next = host.card.config_read(0x34, Width::Byte);
        while next != 0 {
            found.push((next as u8, host.card.config_read(next as u16, Width::Byte) as u8));
            next = host.card.config_read(next as u16 + 1, Width::Byte);
        }
        found
    };
    let herc = walk(&mut Host::herc());
    assert_eq!(herc, [(at::MSI, 5), (at::PCIX, 7), (at::VPD_HERC, 3), (at::MSIX, 0x11)]);
    let xena = walk(&mut Host::new(Config::new(Asic::Xena, MAC)));
    assert_eq!(xena, [(at::MSI, 5), (at::PCIX, 7), (at::VPD_XENA, 3)]);
    let mut config = Config::new(Asic::Herc, MAC);
    config.msi_capability = false;
    assert_eq!(walk(&mut Host::new(config)), [(at::PCIX, 7), (at::VPD_HERC, 3), (at::MSIX, 0x11)]);
}

#[test]
fn vital_product_data_is_read_four_bytes_at_a_time() {
    let mut host = Host::herc();
    let v = u16::from(at::VPD_HERC);
    let mut data = Vec::new();
    for address in (0..256).step_by(4) {
        host.card.config_write(v + 2, Width::Byte, address);
        host.card.config_write(v + 3, Width::Byte, 0);
        assert_eq!(host.card.config_read(v + 3, Width::Byte), 0x80);
        data.extend((host.card.config_read(v + 4, Width::Dword) as u32).to_le_bytes());
    }
    assert_eq!(data[0], 0x82);
    let name = &data[3..3 + usize::from(data[1])];
    assert_eq!(name, b"Xframe II 10GbE Server Adapter");
    assert!(data.windows(12).any(|window| window == b"SN\x09MODEL0001"));
}

#[test]
fn a_reset_loses_configuration_space_for_a_while() {
    let mut host = Host::running(1);
    host.card.config_write(u16::from(at::PCIX_COMMAND), Width::Word, 0x1D);
    host.put(SwReset::FULL);
    assert_eq!(host.card.config_read(0x02, Width::Word), 0xFFFF);
    restore(&mut host);
    assert_eq!(host.card.config_read(u16::from(at::PCIX_COMMAND), Width::Word), 0);
}

#[test]
fn registers_do_not_answer_until_configuration_space_is_back() {
    let mut host = Host::running(1);
    host.put(SwReset::FULL);
    assert_eq!(host.read(r::SW_RESET), u64::MAX);
}

#[test]
fn a_reset_leaves_the_card_as_new() {
    let mut host = Host::running(1);
    host.cam_write(5, 0x0102_0304_0506, 0);
    reset(&mut host);
    assert_eq!(host.read(r::SW_RESET), 0x0000_0000_A5A5_0000, "the swapper is off again");
    host.set_swapper(Interrupts::Line);
    assert_eq!(host.cam_read(0).0, 0x000C_FC01_0203);
    assert_eq!(host.cam_read(5).0, 0xFFFF_FFFF_FFFF);
    assert_eq!(host.read(r::GENERAL_INT_MASK), u64::MAX);
    assert!(!host.get::<AdapterControl>().cntl_en());
}

#[test]
fn the_upper_half_alone_resets() {
    let mut host = Host::running(1);
    let offset = u64::from(r::SW_RESET.offset());
    host.card.write(Bar::Registers, offset + 4, Width::Dword, 0xA5A5_A5A5);
    restore(&mut host);
    assert_eq!(host.read(r::SW_RESET), 0x0000_0000_A5A5_0000);
}

#[test]
fn nothing_reaches_memory_after_a_reset() {
    let mut host = Host::running(1);
    host.arrive(&frames::tcp4(100));
    host.send_with(0, &[&frames::tcp4(100)], txd::Control1::new(), txd::Control2::new());
    host.put(SwReset::FULL);
    restore(&mut host);
    host.post_many(4);
    host.card.memory_mut().record();
    host.settle();
    assert!(host.card.memory().recorded().is_empty());
}

#[test]
fn a_card_can_be_brought_up_again() {
    for asic in [Asic::Herc, Asic::Xena] {
        let mut host = Host::new(Config::new(asic, MAC));
        for _ in 0..3 {
            host.bring_up(1);
            assert_eq!(host.settle(), if asic == Asic::Herc { vec![Step::Link] } else { vec![] });
            reset(&mut host);
        }
    }
}

#[test]
fn initialisation_takes_a_while_after_the_xgxs_is_released() {
    let mut host = Host::herc();
    host.set_swapper(Interrupts::Line);
    for _ in 0..10 {
        assert!(host.get::<AdapterStatus>().ric_running());
    }
    host.put(SwReset::XGXS_HELD);
    host.put(SwReset::new());
    let polls = (0..10).take_while(|_| host.get::<AdapterStatus>().ric_running()).count();
    assert!((1..5).contains(&polls), "{polls}");
}

#[test]
fn initialisation_never_ends_if_the_eoi_was_not_released_first() {
    let mut host = Host::herc();
    host.set_swapper(Interrupts::Line);
    host.put(SwReset::new());
    assert!((0..100).all(|_| host.get::<AdapterStatus>().ric_running()));
}

#[test]
fn the_memory_controller_is_ready_once_the_rldram_is_enabled() {
    let mut host = Host::herc();
    host.set_swapper(Interrupts::Line);
    host.release_resets();
    let status: AdapterStatus = host.get();
    assert!(!status.mc_dram_ready() && !status.mc_queues_ready() && !status.quiescent(true));
    host.write_halves(r::MC_RLDRAM_MRS, 0x0000_0000_0101_0000);
    assert_eq!(u64::from(host.get::<AdapterStatus>()), 0xF400_FFC3_0000_0000);
}

#[test]
fn the_transmit_controllers_look_idle_only_after_the_first_enable() {
    let mut host = Host::running(1);
    assert_eq!(u64::from(host.get::<AdapterStatus>()), 0xF4FF_FFC3_0000_0000);
    host.put(AdapterControl::new());
    assert_eq!(host.get::<AdapterStatus>().rmac_pcc_idle(), 0xFF);
}

#[test]
fn the_bus_clock_never_locks_in_a_pci_33_slot() {
    let mut config = Config::new(Asic::Herc, MAC);
    config.bus = BusMode::Pci33;
    let mut host = Host::new(config);
    host.set_swapper(Interrupts::Line);
    assert!(!host.get::<AdapterStatus>().p_pll_lock());
}

#[test]
fn frames_that_wait_for_an_rxd_keep_the_card_from_resting() {
    let mut host = Host::running(1);
    host.arrive(&frames::tcp4(100));
    assert_eq!(host.get::<AdapterStatus>().rc_prc_quiescent(), 0x7F);
    host.put(host_off());
    host.post_many(1);
    host.settle();
    assert!(host.get::<AdapterStatus>().quiescent(true));
}

/// The adapter control of a card that is being stopped.
fn host_off() -> AdapterControl {
    AdapterControl::new().with_eoi_tx_on(true)
}

#[test]
fn a_ring_that_is_turned_off_rests() {
    let mut host = Host::running(1);
    host.arrive(&frames::tcp4(100));
    host.write(r::PRC_CTRL.first(), 0);
    assert_eq!(host.get::<AdapterStatus>().rc_prc_quiescent(), 0xFF);
}

#[test]
fn a_link_that_is_up_is_latched_once_the_xgxs_is_released() {
    let mut host = Host::herc();
    host.set_swapper(Interrupts::Line);
    assert!(!host.get::<AdapterStatus>().link_up());
    host.release_resets();
    assert!(host.get::<AdapterStatus>().link_up());
    assert_eq!(host.settle(), [Step::Link]);
    let latch: GpioInt = host.get();
    assert!(latch.link_up() && !latch.link_down());
    assert!(host.get::<RmacErr>().link_state_change_int());
}

#[test]
fn a_link_lost_stops_the_adapter_and_turns_the_latch() {
    let mut host = Host::running(1);
    host.settle();
    host.card.set_link(false);
    assert!(!host.get::<AdapterControl>().cntl_en());
    assert!(host.get::<AdapterStatus>().rmac_local_fault());
    host.settle();
    let latch: GpioInt = host.get();
    assert!(latch.link_down() && !latch.link_up());
    assert_eq!(host.card.counter(LINK_FAULT_CNT), 1);
}

#[test]
fn a_link_that_comes_back_does_not_start_the_adapter() {
    let mut host = Host::running(1);
    host.card.set_link(false);
    host.card.set_link(true);
    host.settle();
    assert!(host.get::<GpioInt>().link_up());
    assert!(!host.get::<AdapterControl>().cntl_en());
}

#[test]
fn clearing_the_link_latch_sets_the_state_anew() {
    let mut host = Host::running(1);
    host.settle();
    host.put(GpioInt::new().with_link_up(true).with_link_down(true));
    assert_eq!(host.get::<GpioInt>(), GpioInt::new());
    host.settle();
    assert_eq!(host.get::<GpioInt>(), GpioInt::new().with_link_up(true));
}

#[test]
fn xena_latches_link_changes_in_the_mac_alone() {
    let mut host = Host::new(Config::new(Asic::Xena, MAC));
    host.bring_up(1);
    host.put(RmacErr::new().with_link_state_change_int(true));
    host.card.set_link(false);
    host.settle();
    assert!(host.get::<RmacErr>().link_state_change_int());
    assert_eq!(host.get::<GpioInt>(), GpioInt::new());
}

#[test]
fn a_ring_starts_only_when_its_enable_bit_rises() {
    let mut host = Host::running(2);
    host.post_many(2);
    host.arrive(&frames::tcp4(10));
    let ctrl = host.read(r::PRC_CTRL.first());
    host.write(r::PRC_CTRL.first(), ctrl);
    host.arrive(&frames::tcp4(20));
    assert_eq!((host.take().unwrap().1.len(), host.take().unwrap().1.len()), (64, 74));
    assert_eq!(host.read(r::PRC_RXD0.first()), BLOCKS);
}
