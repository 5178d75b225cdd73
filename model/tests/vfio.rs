//! The vfio-user server, talked to as QEMU talks: what a machine needs to see, and nothing that keeps the next from it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod vfio_client;

use std::os::fd::{AsFd, OwnedFd};

use model::Wire;
use vfio_client::*;
use xframe::bits::{AdapterControl, PrcCtrl, RtsFrmLen, SwReset};
use xframe::registers as r;
use xframe::rxd::{self, Completion, Control1, Control2};
use xframe::swapper::{FEEDBACK, Interrupts, SwapperCtrl};

/// Where the machine's memory starts on the bus, and what is where in it.
const BASE: u64 = 0x1_0000_0000;
const SIZE: u64 = 1 << 20;
const BUFFER: u64 = 0x8000;

fn words(body: &[u8]) -> Vec<u32> {
    body.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect()
}

fn share(client: &mut Client, sealed: bool) -> Shared {
    let memory = Shared::new(SIZE, sealed);
    client.call(DMA_MAP, &mapping(3, 0, BASE, SIZE), &[memory.0.as_fd()]).unwrap();
    memory
}

/// As little as a driver can do to receive one frame into `memory`, with interrupts by messages.
fn bring_up(client: &mut Client, memory: &Shared) {
    client.enable();
    // Before the swapper is set a word is written with its bytes reversed.
    let little_endian = SwapperCtrl::little_endian(0xC0C0 << 48, Interrupts::MsiX);
    client.write(r::SWAPPER_CTRL, u64::from(little_endian).swap_bytes());
    client.write(r::SW_RESET, SwReset::XGXS_HELD.into());
    client.write(r::SW_RESET, 0);
    client.write(r::RTS_FRM_LEN.first(), RtsFrmLen::new().with_len_set(9622).into());
    client.write(r::RTS_QOS_STEERING, 0x8080_8080_8080_8080);
    memory.put_word(rxd::BUFFER0_PTR as u64, BASE + BUFFER);
    memory.put_word(rxd::CONTROL_2 as u64, Control2::posted(9622).into());
    memory.put_word(rxd::CONTROL_1 as u64, Control1::POSTED.into());
    client.write(r::PRC_RXD0.first(), BASE);
    client.write(r::PRC_CTRL.first(), PrcCtrl::new().with_rc_enabled(true).into());
    let control = AdapterControl::new().with_eoi_tx_on(true).with_cntl_en(true);
    client.write(r::ADAPTER_CONTROL, control.into());
}

/// MSI-X on, ring 0 on vector 1, and the event of that vector.
fn set_up_messages(client: &mut Client) -> OwnedFd {
    let event = event();
    client.set_irq(2, 1, &event).unwrap();
    client.region_write(7, 0x92, &[0x3F, 0x80]).unwrap();
    client.region_write(7, 0x42, &[1, 0]).unwrap();
    client.write(r::RX_MAT, 1 << 56);
    event
}

fn frame() -> Vec<u8> {
    let mut frame = [&MAC[..], &[2, 0, 0, 0, 0, 1, 0x88, 0xB5]].concat();
    frame.extend((0..500_u16).map(|byte| byte as u8));
    frame
}

fn receives_a_frame(sealed: bool) {
    let mut served = Served::new();
    let mut client = served.client();
    let memory = share(&mut client, sealed);
    bring_up(&mut client, &memory);
    let event = set_up_messages(&mut client);
    served.cable.send(&frame());
    assert_eq!(await_event(&event), 1);
    let control = |at: usize| memory.word(at as u64);
    let completion = Completion::decode(control(rxd::CONTROL_1).into(), control(rxd::CONTROL_2).into()).unwrap();
    let fcs = 4;
    assert_eq!(usize::from(completion.size), frame().len() + fcs);
    assert_eq!(memory.bytes(BUFFER, frame().len()), frame());
}

#[test]
fn a_frame_reaches_memory_and_its_message_the_machine() {
    receives_a_frame(true);
}

#[test]
fn memory_that_might_shrink_works_too() {
    receives_a_frame(false);
}

#[test]
fn memory_that_shrinks_under_the_card_harms_nobody() {
    let mut served = Served::new();
    let mut client = served.client();
    let memory = share(&mut client, false);
    bring_up(&mut client, &memory);
    memory.0.set_len(0).unwrap();
    served.cable.send(&frame());
    until(|| client.register(r::PRC_PCIX_ERR_REG) != 0);
}

#[test]
fn the_device_is_what_pci_says_it_is() {
    let served = Served::new();
    let mut client = served.client();
    assert_eq!(
        words(&client.call(DEVICE_GET_INFO, &[16, 0, 0, 0].map(u32::to_ne_bytes).concat(), &[]).unwrap()),
        [16, 0b11, 9, 5]
    );
    assert_eq!(client.region_read(7, 0, 4).unwrap(), [0xD5, 0x17, 0x32, 0x58]);
    let sizes: Vec<_> = (0..9)
        .map(|index| {
            let body = client.call(REGION_INFO, &[32, 0, index, 0].map(u32::to_ne_bytes).concat(), &[]).unwrap();
            u64::from_ne_bytes(body[16..24].try_into().unwrap())
        })
        .collect();
    assert_eq!(sizes, [32 << 10, 0, 1 << 20, 0, 8 << 10, 0, 0, 256, 0]);
    let counts: Vec<_> = (0..5)
        .map(|index| words(&client.call(IRQ_INFO, &[16, 0, index, 0].map(u32::to_ne_bytes).concat(), &[]).unwrap())[3])
        .collect();
    assert_eq!(counts, [1, 0, 64, 0, 0]);
}

#[test]
fn accesses_of_every_width_reach_a_register() {
    let served = Served::new();
    let mut client = served.client();
    assert_eq!(client.region_read(0, 0x910, 8).unwrap(), [0xFF; 8], "memory decoding is off");
    client.enable();
    let bytes = FEEDBACK.to_be_bytes();
    for (offset, count) in [(0_usize, 8), (0, 4), (4, 4), (2, 2), (7, 1), (1, 5)] {
        let read = client.region_read(0, 0x910 + offset as u64, count as u32).unwrap();
        assert_eq!(read, bytes[offset..offset + count]);
    }
    assert_eq!(client.region_read(7, 0, 256).unwrap().len(), 256);
}

#[test]
fn several_writes_can_come_in_one_message() {
    let served = Served::new();
    let mut client = served.client();
    client.enable();
    let mut body = 2_u64.to_ne_bytes().to_vec();
    for (register, value) in [(r::XMSI_ADDRESS, 0x1111_u64), (r::XMSI_DATA, 0x2222)] {
        body.extend(access(0, register.offset().into(), 8, &value.to_ne_bytes()));
    }
    assert_eq!(client.call(WRITE_MULTI, &body, &[]).unwrap(), 2_u64.to_ne_bytes());
    assert_eq!((client.register(r::XMSI_ADDRESS), client.register(r::XMSI_DATA)), (0x1111, 0x2222));
}

#[test]
fn a_command_that_wants_no_reply_gets_none() {
    let served = Served::new();
    let mut client = served.client();
    client.enable();
    let posted = client.message(REGION_WRITE, NO_REPLY, &access(0, r::XMSI_DATA.offset().into(), 8, &[7; 8]));
    let wrong = client.message(REGION_WRITE, NO_REPLY, &access(99, 0, 8, &[7; 8]));
    client.send(&[posted, wrong].concat(), &[]);
    assert_eq!(client.register(r::XMSI_DATA).to_le_bytes(), [7; 8]);
}

#[test]
fn the_line_is_triggered_once_and_again_after_unmask() {
    let served = Served::new();
    let mut client = served.client();
    let memory = share(&mut client, true);
    bring_up(&mut client, &memory);
    let event = event();
    client.set_irq(0, 0, &event).unwrap();
    for mask in [r::GPIO_INT_MASK, r::PIC_INT_MASK, r::GENERAL_INT_MASK] {
        client.write(mask, 0);
    }
    assert_eq!(await_event(&event), 1, "the link came up");
    client.register(r::GENERAL_INT_STATUS);
    assert!(rustix::io::read(&event, &mut [0; 8]).is_err(), "the line is masked");
    client.call(SET_IRQS, &irqs(0b010_001, 0, 0, 1), &[]).unwrap();
    assert_eq!(await_event(&event), 1, "the cause was not taken away");
    client.write(r::GENERAL_INT_MASK, u64::MAX);
    client.call(SET_IRQS, &irqs(0b010_001, 0, 0, 1), &[]).unwrap();
    assert!(rustix::io::read(&event, &mut [0; 8]).is_err(), "the line is down");
}

#[test]
fn a_reset_leaves_nothing_behind() {
    let served = Served::new();
    let mut client = served.client();
    client.enable();
    client.write(r::XMSI_DATA, 5);
    client.call(RESET, &[], &[]).unwrap();
    assert_eq!(client.register(r::XMSI_DATA), u64::MAX, "memory decoding is off again");
    client.enable();
    assert_eq!(client.register(r::XMSI_DATA), 0);
}

#[test]
fn the_next_client_finds_a_card_as_after_power_on() {
    let served = Served::new();
    for _ in 0..3 {
        let mut client = served.client();
        assert_eq!(client.region_read(7, 4, 2).unwrap(), [0, 0]);
        let memory = share(&mut client, true);
        bring_up(&mut client, &memory);
    }
}

#[test]
fn memory_is_mapped_once_and_taken_back_exactly() {
    let served = Served::new();
    let mut client = served.client();
    let memory = share(&mut client, true);
    for (address, size) in [(BASE, SIZE), (BASE + SIZE - 1, 4096), (BASE - 4096, 4097)] {
        let result = client.call(DMA_MAP, &mapping(3, 0, address, size), &[memory.0.as_fd()]);
        assert_eq!(result, Err(EEXIST));
    }
    let unmap = |address: u64, size: u64| mapping(0, address, size, 0)[..24].to_vec();
    assert!(client.call(DMA_UNMAP, &unmap(BASE, SIZE - 4096), &[]).is_err());
    assert_eq!(client.call(DMA_UNMAP, &unmap(BASE, SIZE), &[]).unwrap().len(), 24);
    assert!(client.call(DMA_UNMAP, &unmap(BASE, SIZE), &[]).is_err());
    share(&mut client, true);
}

#[test]
fn windows_that_no_memory_can_be_are_refused() {
    let served = Served::new();
    let mut client = served.client();
    let memory = Shared::new(SIZE, true);
    for (offset, address, size) in
        [(0, BASE, 0), (0, u64::MAX, 2), (u64::MAX, BASE, 2), (4096, BASE, SIZE), (0, BASE, SIZE + 1), (0, 0, u64::MAX)]
    {
        let result = client.call(DMA_MAP, &mapping(3, offset, address, size), &[memory.0.as_fd()]);
        assert_eq!(result, Err(EINVAL), "{offset:#x} {address:#x} {size:#x}");
    }
    let (no_file, _other_end) = std::os::unix::net::UnixStream::pair().unwrap();
    assert_eq!(client.call(DMA_MAP, &mapping(3, 0, BASE, 4096), &[no_file.as_fd()]), Err(EINVAL));
    assert_eq!(client.call(DMA_MAP, &mapping(3, 0, BASE, 4096), &[memory.0.as_fd(); 2]), Err(EINVAL));
    client.call(DMA_MAP, &mapping(3, 0, BASE, SIZE), &[memory.0.as_fd()]).unwrap();
}
