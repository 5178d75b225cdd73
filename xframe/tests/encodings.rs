//! The worked examples of the hardware's documents, word for word.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use xframe::bits::{Command, I2cControl, MdioControl, PrcCtrl, RingMode, SpiControl, XmsiAccess};
use xframe::rxd::{self, Completion, FrameType};
use xframe::txd::{Control1, Control2, ListControl, LsoCof, TCode, doorbell};

#[test]
fn a_frame_in_one_buffer() {
    let control_1 = Control1::new().with_own(true).with_gather_first(true).with_gather_last(true).with_buffer0_size(60);
    assert_eq!(u64::from(control_1), 0x0100_0300_0000_003C);
    assert_eq!(u64::from(Control2::new().with_int_type_utilz(true)), 0x0000_0000_0002_0000);
    assert_eq!(u64::from(ListControl::single(0)), 0x0003_0000_0000_0000);
    let completed = control_1.with_own(false).with_t_code(TCode::Ok);
    assert_eq!(u64::from(completed), 0x0000_0300_0000_003C);
}

#[test]
fn a_segment_in_two_buffers_with_checksums_and_a_vlan_tag() {
    let control_1 = Control1::new().with_own(true).with_gather_first(true).with_buffer0_size(54);
    assert_eq!(u64::from(control_1), 0x0100_0200_0000_0036);
    let control_2 = Control2::new()
        .with_tx_cko_ipv4_en(true)
        .with_tx_cko_tcp_en(true)
        .with_tx_cko_udp_en(true)
        .with_vlan_enable(true)
        .with_vlan_tag(5)
        .with_int_number(2);
    assert_eq!(u64::from(control_2), 0x0701_0005_0200_0000);
    let last = Control1::new().with_gather_last(true).with_buffer0_size(1448);
    assert_eq!(u64::from(last), 0x0000_0100_0000_05A8);
    assert_eq!(u64::from(ListControl::single(1)), 0x0103_0000_0000_0000);
}

#[test]
fn a_large_send() {
    let control_1 = Control1::new().with_lso_cof_ctrl(LsoCof::TcpLso).with_lso_mss(1448);
    assert_eq!(u64::from(control_1), 0x0000_0002_05A8_0000);
    assert_eq!(u64::from(ListControl::new().with_special_func(true)), 0x0000_0100_0000_0000);
}

#[test]
fn a_posted_receive_descriptor() {
    assert_eq!(u64::from(rxd::Control1::POSTED), 0x0100_0000_0000_0000);
    assert_eq!(u64::from(rxd::Control2::posted(1522)), 0xC5F2_0000_0000_0000);
}

/// Both directions of a completion.
fn completion(words: (u64, u64)) -> Completion {
    let (control_1, control_2) = (rxd::Control1::from(words.0), rxd::Control2::from(words.1));
    let completion = Completion::decode(control_1, control_2).unwrap();
    assert_eq!(completion.encode(), (control_1, control_2));
    completion
}

#[test]
fn a_received_icmp_frame() {
    let frame = completion((0x0000_0010_FFFF_0000, 0x0062_0000_0000_0000));
    assert_eq!((frame.size, frame.ipv4, frame.tcp, frame.l3, frame.l4), (98, true, false, 0xFFFF, 0));
    assert!(!frame.checksums_good());
}

#[test]
fn a_received_tcp_frame() {
    let frame = completion((0x0000_0012_FFFF_FFFF, 0x05EA_0000_0000_0000));
    assert_eq!(
        (frame.size, frame.ipv4, frame.tcp, frame.vlan, frame.frame_type),
        (1514, true, true, false, FrameType::Dix)
    );
    assert!(frame.checksums_good());
}

#[test]
fn a_received_tcp_frame_whose_tag_was_stripped() {
    let frame = completion((0x0000_0092_FFFF_FFFF, 0x05EA_0000_0000_0005));
    assert_eq!((frame.vlan, frame.vlan_tag), (true, 5));
}

#[test]
fn a_descriptor_is_complete_only_when_both_words_say_so() {
    let done = (0x0000_0012_FFFF_FFFF, 0x05EA_0000_0000_0000);
    let posted = (0x0100_0000_0000_0000, 0xC5F2_0000_0000_0000);
    let complete = |one: u64, two: u64| rxd::is_complete(one.into(), two.into());
    assert!(complete(done.0, done.1));
    assert!(!complete(posted.0, posted.1));
    assert!(!complete(posted.0, done.1));
    assert!(!complete(done.0, posted.1));
    assert!(!complete(done.0, 0x8000_0000_0000_0000));
}

#[test]
fn indirect_table_commands() {
    assert_eq!(u64::from(Command::write(3)), 0x0101_0003_0000_0000);
    assert_eq!(u64::from(Command::write(17)), 0x0101_0011_0000_0000);
    assert_eq!(u64::from(Command::read(17)), 0x0001_0011_0000_0000);
    assert_eq!(u64::from(Command::write(255)), 0x0101_00FF_0000_0000);
    assert_eq!(u64::from(Command::write(46)), 0x0101_002E_0000_0000);
    assert_eq!(u64::from(XmsiAccess::new().with_wr_rdn(true).with_strobe(true).with_no(5)), 0x0101_0005_0000_0000);
}

#[test]
fn an_i2c_read() {
    let read = I2cControl::new()
        .with_dev_id(I2cControl::EEPROM)
        .with_addr(0x4F0)
        .with_byte_cnt(3)
        .with_read(true)
        .with_cntl_start(I2cControl::START);
    assert_eq!(u64::from(read), 0x54F0_038E_0000_0000);
}

#[test]
fn an_spi_read() {
    let read = SpiControl::new()
        .with_key(SpiControl::KEY)
        .with_sel1(true)
        .with_bytecnt(3)
        .with_cmd(SpiControl::READ)
        .with_addr(0x4F0);
    assert_eq!(u64::from(read), 0x9800_0003_0300_04F0);
    assert_eq!(u64::from(read.with_req(true)), 0x9900_0003_0300_04F0);
    assert!(SpiControl::from(0x0200_0000_0000_0000).done());
}

#[test]
fn an_mdio_read() {
    let address = MdioControl::new().with_mmd_dev_addr(1);
    assert_eq!(u64::from(address), 0x0000_0100_0000_0000);
    assert_eq!(u64::from(address.with_ctrl_start_trans(MdioControl::START)), 0x0000_0100_0000_00E0);
    let read = address.with_op(3);
    assert_eq!(u64::from(read), 0x0000_0100_0000_000C);
    assert_eq!(u64::from(read.with_ctrl_start_trans(MdioControl::START)), 0x0000_0100_0000_00EC);
}

#[test]
fn a_ring_is_started() {
    let ctrl = PrcCtrl::new()
        .with_rc_enabled(true)
        .with_ring_mode(RingMode::OneBuffer)
        .with_group_reads(true)
        .with_rxd_backoff_interval(0x1000);
    assert_eq!(u64::from(ctrl), 0x0100_0000_0200_1000);
}

#[test]
fn doorbell_windows_are_128_kib_apart() {
    assert_eq!((doorbell::pointer(0), doorbell::control(0)), (Some(0), Some(8)));
    assert_eq!((doorbell::pointer(7), doorbell::control(7)), (Some(0xE_0000), Some(0xE_0008)));
    assert_eq!((doorbell::pointer(8), doorbell::control(8)), (None, None));
}
