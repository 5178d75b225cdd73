//! EEPROM, optics, and the self-test of packet memory, as the driver's tests use them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use common::{Host, MAC};
use model::{Bar, Config, Width};
use xframe::bits::*;
use xframe::constants::Asic;
use xframe::registers as r;
use xframe::swapper::Interrupts;

fn set_up(asic: Asic) -> Host {
    let mut host = Host::new(Config::new(asic, MAC));
    host.set_swapper(Interrupts::Line);
    host
}

/// Writes the lower half first, where the start code is in the upper.
fn lower_first(host: &mut Host, register: r::Register, value: u64) {
    let offset = u64::from(register.offset());
    host.card.write(Bar::Registers, offset, Width::Dword, value & 0xFFFF_FFFF);
    host.card.write(Bar::Registers, offset + 4, Width::Dword, value >> 32);
}

fn i2c(host: &mut Host, address: u16, write: Option<u32>) -> Option<u32> {
    let control = I2cControl::new()
        .with_dev_id(I2cControl::EEPROM)
        .with_addr(address)
        .with_byte_cnt(3)
        .with_read(write.is_none())
        .with_set_data(write.unwrap_or(0))
        .with_cntl_start(I2cControl::START);
    lower_first(host, r::I2C_CONTROL, control.into());
    let result: I2cControl = host.get();
    assert_ne!(result.cntl_start() & I2cControl::DONE, 0);
    (!result.nack()).then(|| result.set_data())
}

#[test]
fn the_eeprom_of_xena_is_protected_below_0x4f0() {
    let mut host = set_up(Asic::Xena);
    for address in [0x000, 0x07C, 0x080, 0x0FC, 0x100, 0x4EC] {
        assert_eq!(i2c(&mut host, address, Some(0x0001_2345)), None, "{address:#x}");
    }
    for address in [0x4F0, 0x7F0, 0x7FC] {
        assert_eq!(i2c(&mut host, address, Some(0x0001_2345)), Some(0x0001_2345));
        assert_eq!(i2c(&mut host, address, None), Some(0x0001_2345), "{address:#x}");
    }
}

#[test]
fn an_i2c_access_past_the_end_or_to_another_device_is_refused() {
    let mut host = set_up(Asic::Xena);
    assert_eq!(i2c(&mut host, 0x7FE, None), None);
    let other = I2cControl::new().with_dev_id(2).with_read(true).with_cntl_start(I2cControl::START);
    lower_first(&mut host, r::I2C_CONTROL, other.into());
    assert!(host.get::<I2cControl>().nack());
}

#[test]
fn single_bytes_are_written_over_i2c() {
    let mut host = set_up(Asic::Xena);
    i2c(&mut host, 0x500, Some(0x1122_3344));
    let byte = I2cControl::new()
        .with_dev_id(I2cControl::EEPROM)
        .with_addr(0x501)
        .with_set_data(0xAA00_0000)
        .with_cntl_start(I2cControl::START);
    lower_first(&mut host, r::I2C_CONTROL, byte.into());
    assert_eq!(i2c(&mut host, 0x500, None), Some(0x11AA_3344));
}

fn spi(host: &mut Host, command: u8, address: u32, bytes: u8) -> SpiControl {
    let control = SpiControl::new()
        .with_key(SpiControl::KEY)
        .with_sel1(true)
        .with_bytecnt(bytes)
        .with_cmd(command)
        .with_addr(address);
    lower_first(host, r::SPI_CONTROL, control.into());
    let idle: SpiControl = host.get();
    assert!(!idle.done() && !idle.nack());
    lower_first(host, r::SPI_CONTROL, control.with_req(true).into());
    host.get()
}

#[test]
fn three_bytes_go_to_the_eeprom_of_herc_and_come_back() {
    let mut host = set_up(Asic::Herc);
    for address in [0x000, 0x4F0, 0x7F0] {
        host.write(r::SPI_DATA, 0x0123_4500_0000_0000);
        assert!(spi(&mut host, SpiControl::WRITE, address, 3).done());
        host.write(r::SPI_DATA, 0);
        assert!(spi(&mut host, SpiControl::READ, address, 3).done());
        assert_eq!(host.read(r::SPI_DATA) & 0xFF_FFFF, 0x01_2345);
    }
}

#[test]
fn an_spi_access_past_the_end_or_without_the_key_comes_to_nothing() {
    let mut host = set_up(Asic::Herc);
    let past = spi(&mut host, SpiControl::READ, 0xFF_FFFF, 0);
    assert!(past.nack() && !past.done());
    lower_first(&mut host, r::SPI_CONTROL, SpiControl::new().with_sel1(true).with_req(true).into());
    assert!(!host.get::<SpiControl>().done());
}

#[test]
fn the_eeprom_outlives_a_reset() {
    let mut host = set_up(Asic::Xena);
    i2c(&mut host, 0x600, Some(7));
    host.put(SwReset::FULL);
    while host.card.config_read(2, Width::Word) == 0xFFFF {}
    host.card.config_write(4, Width::Word, 6);
    host.set_swapper(Interrupts::Line);
    assert_eq!(i2c(&mut host, 0x600, None), Some(7));
}

/// An address cycle and a data cycle to the optics.
fn mdio(host: &mut Host, register: u16, operation: u8, data: u16) -> u16 {
    let cycle = MdioControl::new().with_mmd_indx_addr(register).with_mmd_dev_addr(1);
    for cycle in [cycle, cycle.with_op(operation).with_mdio_data(data)] {
        host.write(r::MDIO_CONTROL, cycle.into());
        host.write(r::MDIO_CONTROL, cycle.with_ctrl_start_trans(MdioControl::START).into());
        assert_eq!(host.get::<MdioControl>().ctrl_start_trans(), MdioControl::DONE);
    }
    host.get::<MdioControl>().mdio_data()
}

#[test]
fn the_optics_answer_as_a_ten_gigabit_module() {
    let mut host = set_up(Asic::Herc);
    assert_eq!(mdio(&mut host, 0x0000, 3, 0), 0x2040);
    assert_eq!(mdio(&mut host, 0xA070, 3, 0), 0, "no alarm");
    mdio(&mut host, 0x8000, 1, 3);
    assert_eq!(mdio(&mut host, 0x8000, 3, 0) & 0x000C, 0x0004, "the command succeeded");
}

#[test]
fn nobody_answers_at_another_device() {
    let mut host = set_up(Asic::Herc);
    let cycle = MdioControl::new().with_mmd_dev_addr(7).with_op(3).with_ctrl_start_trans(MdioControl::START);
    host.write(r::MDIO_CONTROL, cycle.into());
    assert_eq!(host.get::<MdioControl>().mdio_data(), 0xFFFF);
}

#[test]
fn the_packet_memory_test_passes_if_the_pattern_is_found_again() {
    let mut host = set_up(Asic::Herc);
    host.write(r::MC_RLDRAM_TEST_D0, 0x5555_5555_AAAA_0000);
    host.write(r::MC_RLDRAM_TEST_ADD, 0x0000_003F_FFFE_0100);
    let go = McRldramTestCtrl::new().with_mode(true).with_go(true);
    lower_first(&mut host, r::MC_RLDRAM_TEST_CTRL, go.with_write(true).into());
    assert!(host.get::<McRldramTestCtrl>().done());
    lower_first(&mut host, r::MC_RLDRAM_TEST_CTRL, go.into());
    let result: McRldramTestCtrl = host.get();
    assert!(result.done() && result.pass());
    host.write(r::MC_RLDRAM_TEST_D0, 0);
    lower_first(&mut host, r::MC_RLDRAM_TEST_CTRL, go.into());
    assert!(!host.get::<McRldramTestCtrl>().pass());
}
