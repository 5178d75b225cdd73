//! Owns a conversation with one client: what each command means and what it is answered.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use serde_json::{Value, json};
use xframe::constants::Asic;

use super::access::{REGIONS, Region};
use super::device::Device;
use super::guest::Window;
use super::irqs::{self, Action, Data, Set, index};
use super::message::{Fields, HEADER, MAX_DESCRIPTORS, MAX_MAPPINGS, MAX_TRANSFER, Put, command};
use super::stream::Message;
use crate::wire::Wire;

/// The protocol's major version; clients of others are turned away.
const MAJOR: u16 = 0;

/// Device flags: it can be reset, and is a PCI device.
const DEVICE_RESETS: u32 = 1 << 0;
const DEVICE_PCI: u32 = 1 << 1;
/// Region flags.
const REGION_READS: u32 = 1 << 0;
const REGION_WRITES: u32 = 1 << 1;
/// Interrupt flags.
const IRQ_EVENTFD: u32 = 1 << 0;
const IRQ_MASKABLE: u32 = 1 << 1;
const IRQ_AUTOMASKED: u32 = 1 << 2;
const IRQ_NORESIZE: u32 = 1 << 3;

/// What is known of the client.
#[derive(Default)]
pub(crate) struct Session {
    negotiated: bool,
    /// The body of the reply under construction.
    body: Vec<u8>,
}

impl Session {
    /// Does what a message asks for, and appends the reply, if it wants one, to `output`.
    pub fn handle<W: Wire>(&mut self, device: &mut Device<W>, message: Message<'_>, output: &mut Vec<u8>) {
        let Message { header, body, descriptors } = message;
        // A reply: the card asks the client nothing, so it answers nothing.
        if !header.is_command() {
            return;
        }
        let mut reply = std::mem::take(&mut self.body);
        reply.clear();
        let result = self.command(device, header.command, body, descriptors, &mut reply);
        if let Err(errno) = result {
            log::debug!("command {} of {} bytes: {errno}", header.command, header.size);
        }
        if header.wants_reply() {
            header.reply(output, result, &reply);
        }
        self.body = reply;
    }

    fn command<W: Wire>(
        &mut self,
        device: &mut Device<W>,
        command: u16,
        body: &[u8],
        descriptors: Vec<OwnedFd>,
        reply: &mut Vec<u8>,
    ) -> Result<(), Errno> {
        if self.negotiated == (command == command::VERSION) {
            return Err(Errno::INVAL);
        }
        match command {
            command::VERSION => self.version(body, reply),
            command::DMA_MAP => dma_map(device, body, descriptors),
            command::DMA_UNMAP => dma_unmap(device, body, reply),
            command::DEVICE_GET_INFO => device_info(body, reply),
            command::DEVICE_GET_REGION_INFO => region_info(device.asic, body, reply),
            command::DEVICE_GET_REGION_IO_FDS => Err(Errno::NOTSUP),
            command::DEVICE_GET_IRQ_INFO => irq_info(device.asic, body, reply),
            command::DEVICE_SET_IRQS => set_irqs(device, body, descriptors),
            command::REGION_READ => region_read(device, body, reply),
            command::REGION_WRITE => region_write(device, body, reply),
            command::REGION_WRITE_MULTI => region_write_multi(device, body, reply),
            command::DEVICE_RESET => {
                device.reset();
                Ok(())
            }
            _ => Err(Errno::NOSYS),
        }
    }

    /// Agrees on the version, and tells the limits. Capabilities of the client that the card does not use are passed over.
    fn version(&mut self, body: &[u8], reply: &mut Vec<u8>) -> Result<(), Errno> {
        let mut fields = Fields(body);
        let (major, _minor) = (fields.u16()?, fields.u16()?);
        if major != MAJOR {
            return Err(Errno::NOTSUP);
        }
        let offered = capabilities(fields.0)?;
        let mut ours = json!({
            "max_msg_fds": MAX_DESCRIPTORS,
            "max_data_xfer_size": MAX_TRANSFER,
            "max_dma_maps": MAX_MAPPINGS,
            "pgsizes": 4096,
        });
        if let Some(ours) = ours.as_object_mut()
            && offered.pointer("/capabilities/write_multiple") == Some(&Value::Bool(true))
        {
            ours.insert("write_multiple".into(), Value::Bool(true));
        }
        reply.extend(MAJOR.to_ne_bytes());
        reply.extend(0_u16.to_ne_bytes());
        reply.extend(json!({ "capabilities": ours }).to_string().bytes());
        reply.push(0);
        self.negotiated = true;
        Ok(())
    }
}

/// The client's capabilities: nothing, or JSON that ends with a zero byte.
fn capabilities(text: &[u8]) -> Result<Value, Errno> {
    match text {
        [] => Ok(Value::Null),
        [text @ .., 0] => serde_json::from_slice(text).map_err(|_| Errno::INVAL),
        _ => Err(Errno::INVAL),
    }
}

fn dma_map<W: Wire>(device: &mut Device<W>, body: &[u8], descriptors: Vec<OwnedFd>) -> Result<(), Errno> {
    let mut fields = Fields(body);
    let (_argsz, flags) = (fields.u32()?, fields.u32()?);
    let (offset, address, size) = (fields.u64()?, fields.u64()?, fields.u64()?);
    let mut descriptors = descriptors.into_iter();
    let (file, None) = (descriptors.next(), descriptors.next()) else { return Err(Errno::INVAL) };
    let window = Window { address, size, offset, read: flags & 1 != 0, write: flags & 2 != 0 };
    device.card.memory_mut().map(window, file)
}

fn dma_unmap<W: Wire>(device: &mut Device<W>, body: &[u8], reply: &mut Vec<u8>) -> Result<(), Errno> {
    const ALL: u32 = 1 << 1;
    let mut fields = Fields(body);
    let (argsz, flags, address, size) = (fields.u32()?, fields.u32()?, fields.u64()?, fields.u64()?);
    match flags {
        0 => device.card.memory_mut().unmap(address, size)?,
        ALL if address == 0 && size == 0 => device.card.memory_mut().clear(),
        _ => return Err(Errno::INVAL),
    }
    reply.put32(argsz);
    reply.put32(flags);
    reply.put64(address);
    reply.put64(size);
    Ok(())
}

/// A reply begins with the length it has, and the client must have room for it.
fn check_room(argsz: u32, needed: u32) -> Result<(), Errno> {
    if argsz < needed { Err(Errno::INVAL) } else { Ok(()) }
}

fn device_info(body: &[u8], reply: &mut Vec<u8>) -> Result<(), Errno> {
    const SIZE: u32 = 16;
    let mut fields = Fields(body);
    let (argsz, _flags, _regions, _irqs) = (fields.u32()?, fields.u32()?, fields.u32()?, fields.u32()?);
    check_room(argsz, SIZE)?;
    [SIZE, DEVICE_RESETS | DEVICE_PCI, REGIONS, index::COUNT].into_iter().for_each(|field| reply.put32(field));
    Ok(())
}

fn region_info(asic: Asic, body: &[u8], reply: &mut Vec<u8>) -> Result<(), Errno> {
    const SIZE: u32 = 32;
    let mut fields = Fields(body);
    let (argsz, _flags, index) = (fields.u32()?, fields.u32()?, fields.u32()?);
    check_room(argsz, SIZE)?;
    if index >= REGIONS {
        return Err(Errno::INVAL);
    }
    let region = Region::new(index, asic);
    let flags = region.map_or(0, |_| REGION_READS | REGION_WRITES);
    [SIZE, flags, index, 0].into_iter().for_each(|field| reply.put32(field));
    reply.put64(region.map_or(0, Region::size));
    reply.put64(0);
    Ok(())
}

fn irq_info(asic: Asic, body: &[u8], reply: &mut Vec<u8>) -> Result<(), Errno> {
    const SIZE: u32 = 16;
    let mut fields = Fields(body);
    let (argsz, _flags, index) = (fields.u32()?, fields.u32()?, fields.u32()?);
    check_room(argsz, SIZE)?;
    if index >= index::COUNT {
        return Err(Errno::INVAL);
    }
    let flags = match index {
        index::LINE => IRQ_EVENTFD | IRQ_MASKABLE | IRQ_AUTOMASKED,
        _ => IRQ_EVENTFD | IRQ_NORESIZE,
    };
    let count = irqs::count(index, asic == Asic::Herc);
    [SIZE, flags, index, count].into_iter().for_each(|field| reply.put32(field));
    Ok(())
}

fn set_irqs<W: Wire>(device: &mut Device<W>, body: &[u8], descriptors: Vec<OwnedFd>) -> Result<(), Errno> {
    let mut fields = Fields(body);
    let (_argsz, flags, index) = (fields.u32()?, fields.u32()?, fields.u32()?);
    let (start, count) = (fields.u32()?, fields.u32()?);
    let data = match flags & 0b111 {
        0b001 => Data::Now,
        0b010 => Data::Selected(fields.bytes(count as usize)?),
        0b100 => Data::Descriptors(descriptors),
        _ => return Err(Errno::INVAL),
    };
    let action = match flags >> 3 {
        0b001 => Action::Mask,
        0b010 => Action::Unmask,
        0b100 => Action::Trigger,
        _ => return Err(Errno::INVAL),
    };
    device.irqs.set(Set { index, start, count, action, data }, device.asic == Asic::Herc)?;
    device.deliver();
    Ok(())
}

fn region_read<W: Wire>(device: &mut Device<W>, body: &[u8], reply: &mut Vec<u8>) -> Result<(), Errno> {
    let mut fields = Fields(body);
    let (offset, region, count) = (fields.u64()?, fields.u32()?, fields.u32()?);
    if count > MAX_TRANSFER {
        return Err(Errno::INVAL);
    }
    reply.put64(offset);
    reply.put32(region);
    reply.put32(count);
    device.read(region, offset, count as usize, reply)
}

fn region_write<W: Wire>(device: &mut Device<W>, body: &[u8], reply: &mut Vec<u8>) -> Result<(), Errno> {
    let mut fields = Fields(body);
    let (offset, region, count) = (fields.u64()?, fields.u32()?, fields.u32()?);
    if count > MAX_TRANSFER {
        return Err(Errno::INVAL);
    }
    device.write(region, offset, fields.bytes(count as usize)?)?;
    reply.put64(offset);
    reply.put32(region);
    reply.put32(count);
    Ok(())
}

/// Several writes of at most eight bytes, each in a field of eight. Those before an invalid one are done.
fn region_write_multi<W: Wire>(device: &mut Device<W>, body: &[u8], reply: &mut Vec<u8>) -> Result<(), Errno> {
    let mut fields = Fields(body);
    let writes = fields.u64()?;
    for _ in 0..writes {
        let (offset, region, count) = (fields.u64()?, fields.u32()?, fields.u32()?);
        let data = fields.bytes(8)?;
        device.write(region, offset, data.get(..count as usize).ok_or(Errno::INVAL)?)?;
    }
    reply.put64(writes);
    Ok(())
}

const _: () = assert!(MAX_TRANSFER as usize + 2 * HEADER < super::message::LONGEST);
