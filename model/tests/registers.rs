//! Registers as a host sees them: byte order, widths, halves, latches, tables, reset values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{Host, MAC};
use model::{Bar, Config, Width};
use xframe::bits::*;
use xframe::constants::{Asic, CSR_SIZE, reset};
use xframe::registers::{self as r, Access};
use xframe::swapper::{FEEDBACK, Interrupts, SwapperCtrl};

/// The factory address as a CAM entry holds it.
const ADDRESS: u64 = 0x000C_FC01_0203;
const FREE: u64 = 0xFFFF_FFFF_FFFF;

fn set_up() -> Host {
    let mut host = Host::herc();
    host.set_swapper(Interrupts::Line);
    host
}

#[test]
fn after_power_on_every_word_is_reversed() {
    let mut host = Host::herc();
    assert_eq!(host.read(r::PIF_RD_SWAPPER_FB), 0xEFCD_AB89_6745_2301);
    assert_eq!(host.read(r::SW_RESET), 0x0000_0000_A5A5_0000);
}

#[test]
fn the_swapper_search_ends_with_the_final_setting() {
    for (interrupts, setting) in [(Interrupts::MsiX, 0xC3C3_FE00_F880_C000), (Interrupts::Line, 0xC3C3_FE00_F8C0_C000)]
    {
        let mut host = Host::herc();
        host.set_swapper(interrupts);
        assert_eq!(host.read(r::SWAPPER_CTRL), setting);
    }
}

#[test]
fn all_ones_set_the_swapper_whatever_it_was() {
    let mut host = Host::herc();
    host.write(r::SWAPPER_CTRL, u64::MAX);
    host.write(r::SWAPPER_CTRL, 0xC0F0_FE00_F880_C000);
    assert_eq!(host.read(r::PIF_RD_SWAPPER_FB), FEEDBACK);
    assert_eq!(host.read(r::SWAPPER_CTRL), 0xC0F0_FE00_F880_C000);
}

#[test]
fn a_write_goes_through_the_setting_it_replaces() {
    let mut host = set_up();
    host.write(r::SWAPPER_CTRL, SwapperCtrl::new().with_pif_r_se(true).into());
    assert_eq!(host.read(r::PIF_RD_SWAPPER_FB), FEEDBACK);
    host.write(r::XMSI_DATA, 1);
    assert_eq!(host.read(r::XMSI_DATA), 1 << 56);
}

#[test]
fn halves_lie_little_endian_once_the_swapper_is_set() {
    let mut host = set_up();
    let at = u64::from(r::PIF_RD_SWAPPER_FB.offset());
    assert_eq!(host.card.read(Bar::Registers, at, Width::Dword), 0x89AB_CDEF);
    assert_eq!(host.card.read(Bar::Registers, at + 4, Width::Dword), 0x0123_4567);
    assert_eq!(host.card.read(Bar::Registers, at + 1, Width::Byte), 0xCD);
    assert_eq!(host.card.read(Bar::Registers, at + 6, Width::Word), 0x0123);
}

#[test]
fn halves_lie_big_endian_and_reversed_before() {
    let mut host = Host::herc();
    let at = u64::from(r::PIF_RD_SWAPPER_FB.offset());
    assert_eq!(host.card.read(Bar::Registers, at, Width::Dword), 0x6745_2301);
    assert_eq!(host.card.read(Bar::Registers, at + 4, Width::Dword), 0xEFCD_AB89);
}

#[test]
fn a_narrow_write_keeps_the_rest_of_the_register() {
    let mut host = set_up();
    let at = u64::from(r::XMSI_MASK_REG.offset());
    host.card.write(Bar::Registers, at + 7, Width::Byte, 0x3F);
    host.card.write(Bar::Registers, at, Width::Dword, 0xAABB_CCDD);
    assert_eq!(host.read(r::XMSI_MASK_REG), 0x3F00_0000_AABB_CCDD);
}

#[test]
fn holes_read_zero_and_take_no_writes() {
    let mut host = set_up();
    for offset in [0x0010, 0x19D8, CSR_SIZE as u64, 0x7FF8, 0xFFFF_0000] {
        host.card.write(Bar::Registers, offset, Width::Qword, u64::MAX);
        assert_eq!(host.card.read(Bar::Registers, offset, Width::Qword), 0, "{offset:#x}");
    }
}

#[test]
fn nothing_answers_while_memory_decoding_is_off() {
    let mut host = set_up();
    host.card.config_write(0x04, Width::Word, 0);
    host.write(r::XMSI_DATA, 5);
    assert_eq!(host.read(r::XMSI_DATA), u64::MAX);
    assert_eq!(host.card.read(Bar::Doorbells, 0, Width::Dword), 0xFFFF_FFFF);
    host.card.config_write(0x04, Width::Word, 6);
    assert_eq!(host.read(r::XMSI_DATA), 0);
}

#[test]
fn registers_hold_their_reset_values() {
    for asic in [Asic::Herc, Asic::Xena] {
        let mut host = Host::new(Config::new(asic, MAC));
        host.set_swapper(Interrupts::Line);
        let queues = if asic == Asic::Herc { 0x0404_0404_0404_0404 } else { 0x0808_0808_0808_0808 };
        assert_eq!(host.read(r::RX_QUEUE_CFG), queues);
        assert_eq!(host.read(r::RMAC_PAUSE_CFG), 0xC000_FFFF_0000_0000);
        assert_eq!(host.read(r::XGXS_EFIFO_CFG), 0x1923_141E);
        assert_eq!(host.read(r::MAC_CFG), reset::MAC_CFG);
        assert!(host.get::<RxPaCfg>().strip_vlan_tag_mode());
        assert_eq!(host.read(r::RX_MAT), 0);
        assert_eq!(host.read(r::XMSI_MASK_REG), 0);
        assert_eq!(host.read(r::SCHEDULED_INT_CTRL), 0);
        assert_eq!(host.get::<AdapterControl>(), AdapterControl::new());
        let held = if asic == Asic::Herc { SwReset::AFTER_RESET_HERC } else { SwReset::AFTER_RESET_XENA };
        assert_eq!(host.get::<SwReset>(), held);
    }
}

#[test]
fn every_interrupt_mask_is_closed_after_reset() {
    let mut host = set_up();
    let masks = r::TABLE.iter().filter(|entry| entry.name.ends_with("_INT_MASK") || entry.name.ends_with("_ERR_MASK"));
    for entry in masks {
        assert_eq!(host.card.read(Bar::Registers, entry.offset.into(), Width::Qword), u64::MAX, "{}", entry.name);
    }
}

#[test]
fn plain_registers_store_every_bit() {
    let mut host = set_up();
    // These act on what is written to them, or show something beside.
    let acting = ["SWAPPER_CTRL", "SW_RESET", "MC_RLDRAM_TEST_CTRL", "SPI_CONTROL", "MAC_LINK_UTIL"];
    for entry in r::TABLE.iter().filter(|entry| entry.access == Access::RW && !acting.contains(&entry.name)) {
        let at = u64::from(entry.offset);
        host.card.write(Bar::Registers, at, Width::Qword, 0x5A5A_0123_89AB_5A5A);
        assert_eq!(host.card.read(Bar::Registers, at, Width::Qword), 0x5A5A_0123_89AB_5A5A, "{}", entry.name);
    }
}

#[test]
fn computed_registers_take_no_writes() {
    let mut host = set_up();
    let computed = [Access::RO, Access::SUM];
    for entry in r::TABLE.iter().filter(|entry| computed.contains(&entry.access)) {
        let at = u64::from(entry.offset);
        let before = host.card.read(Bar::Registers, at, Width::Qword);
        host.card.write(Bar::Registers, at, Width::Qword, !before);
        assert_eq!(host.card.read(Bar::Registers, at, Width::Qword), before, "{}", entry.name);
    }
}

#[test]
fn reading_everything_changes_nothing() {
    let mut host = Host::running(1);
    let mut dump = || -> Vec<u64> {
        (0..CSR_SIZE as u64 / 8).map(|index| host.card.read(Bar::Registers, 8 * index, Width::Qword)).collect()
    };
    assert_eq!(dump(), dump());
}

#[test]
fn a_latch_loses_only_the_bits_written_as_one() {
    let mut host = set_up();
    host.card.latch(r::PFC_ERR_REG, 0x0101_0000_0100_0000);
    host.write(r::PFC_ERR_REG, 0x0001_0000_0000_0000);
    assert_eq!(host.read(r::PFC_ERR_REG), 0x0100_0000_0100_0000);
}

#[test]
fn half_a_latch_can_be_cleared_alone() {
    let mut host = set_up();
    host.card.latch(r::TX_TRAFFIC_INT, u64::MAX);
    let at = u64::from(r::TX_TRAFFIC_INT.offset());
    host.card.write(Bar::Registers, at + 4, Width::Dword, 0xFFFF_FFFF);
    assert_eq!(host.read(r::TX_TRAFFIC_INT), 0x0000_0000_FFFF_FFFF);
}

#[test]
fn the_cam_holds_the_factory_address_and_free_entries() {
    for (asic, entries) in [(Asic::Herc, 256_u16), (Asic::Xena, 64)] {
        let mut host = Host::new(Config::new(asic, MAC));
        host.set_swapper(Interrupts::Line);
        assert_eq!(host.cam_read(0), (ADDRESS, 0));
        for entry in 1..entries {
            assert_eq!(host.cam_read(entry as u8), (FREE, 0), "{entry}");
        }
    }
}

#[test]
fn cam_entries_are_written_and_read_back() {
    let mut host = set_up();
    host.cam_write(17, 0x0102_0304_0506, 0xFEFF_FFFF_FFFF);
    host.cam_write(255, 0x0A0B_0C0D_0E0F, 0);
    assert_eq!(host.cam_read(17), (0x0102_0304_0506, 0xFEFF_FFFF_FFFF));
    assert_eq!(host.cam_read(255), (0x0A0B_0C0D_0E0F, 0));
    assert_eq!(host.cam_read(63), (FREE, 0));
}

#[test]
fn moderation_tables_are_written_and_read_back() {
    let mut host = set_up();
    for (command, data1, data2, entry) in [
        (r::TTI_COMMAND_MEM, r::TTI_DATA1_MEM, r::TTI_DATA2_MEM, 63),
        (r::RTI_COMMAND_MEM, r::RTI_DATA1_MEM, r::RTI_DATA2_MEM, 7),
    ] {
        host.write(data1, 0x1234);
        host.write(data2, 0x5678);
        host.command(command, Command::write(entry));
        host.command(command, Command::read(0));
        assert_eq!((host.read(data1), host.read(data2)), (0, 0));
        host.command(command, Command::read(entry));
        assert_eq!((host.read(data1), host.read(data2)), (0x1234, 0x5678));
    }
}

#[test]
fn steering_tables_are_written_and_read_back() {
    let mut host = set_up();
    for (command, data) in [
        (r::RTS_DS_MEM_CTRL, r::RTS_DS_MEM_DATA),
        (r::RTS_PN_CAM_CTRL, r::RTS_PN_CAM_DATA),
        (r::RTS_RTH_MAP_MEM_CTRL, r::RTS_RTH_MAP_MEM_DATA),
    ] {
        host.write(data, 0x0700_0000_0000_0000);
        host.command(command, Command::write(46));
        host.command(command, Command::read(0));
        assert_eq!(host.read(data), 0);
        host.command(command, Command::read(46));
        assert_eq!(host.read(data), 0x0700_0000_0000_0000);
    }
}

#[test]
fn a_command_starts_with_its_upper_half() {
    let mut host = set_up();
    let at = u64::from(r::RMAC_ADDR_CMD_MEM.offset());
    let command = u64::from(Command::read(0));
    host.card.write(Bar::Registers, at, Width::Dword, 0);
    host.card.write(Bar::Registers, at + 4, Width::Dword, command >> 32);
    assert_eq!(host.get::<RmacAddrData0>().addr(), ADDRESS);
}

#[test]
fn on_xena_one_key_opens_one_write_of_the_mac_configuration() {
    let mut host = Host::new(Config::new(Asic::Xena, MAC));
    host.set_swapper(Interrupts::Line);
    host.write(r::MAC_CFG, 0);
    assert_eq!(host.read(r::MAC_CFG), reset::MAC_CFG);
    host.put(RmacCfgKey::UNLOCK);
    let at = u64::from(r::MAC_CFG.offset());
    host.card.write(Bar::Registers, at + 4, Width::Dword, 0x1234_0000);
    host.card.write(Bar::Registers, at, Width::Dword, 0x5678);
    assert_eq!(host.read(r::MAC_CFG), 0x1234_0000_0000_0000);
}

#[test]
fn on_xena_a_wrong_key_opens_nothing() {
    let mut host = Host::new(Config::new(Asic::Xena, MAC));
    host.set_swapper(Interrupts::Line);
    host.write(r::RMAC_CFG_KEY, 0x4C0E_0000_0000_0000);
    host.write(r::MAC_CFG, 0);
    assert_eq!(host.read(r::MAC_CFG), reset::MAC_CFG);
}

#[test]
fn on_herc_the_mac_configuration_needs_no_key() {
    let mut host = set_up();
    host.write(r::MAC_CFG, 0x1234);
    assert_eq!(host.read(r::MAC_CFG), 0x1234);
}

#[test]
fn the_bus_mode_is_herc_s_alone() {
    let mut config = Config::new(Asic::Herc, MAC);
    config.bus = BusMode::PcixM2At133;
    let mut herc = Host::new(config);
    herc.set_swapper(Interrupts::Line);
    assert_eq!(herc.read(r::PCI_MODE), 0x7000_0000_0000_0000);
    let mut xena = Host::new(Config::new(Asic::Xena, MAC));
    xena.set_swapper(Interrupts::Line);
    assert_eq!(xena.read(r::PCI_MODE), 0);
}
