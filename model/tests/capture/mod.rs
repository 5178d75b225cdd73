//! Capture files made byte by byte, from the formats' descriptions alone, and a folder to put them in.
#![allow(dead_code, reason = "each test uses a part")]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use model::capture::{self, Packet, Resolution};
use tempfile::TempDir;

pub fn packet(time: Duration, data: &[u8]) -> Packet {
    Packet { time, original_length: data.len() as u32, data: data.to_vec() }
}

pub struct Folder(pub TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub fn file(&self, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join("in.pcap");
        fs::write(&path, bytes).unwrap();
        path
    }

    pub fn read(&self, bytes: &[u8]) -> Result<Vec<Packet>, String> {
        let path = self.file(bytes);
        capture::read(&path).map_err(|error| {
            let line = error.to_string();
            let prefix = format!("{}: ", path.display());
            line.strip_prefix(&prefix).expect(&line).to_owned()
        })
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

pub fn read(bytes: &[u8]) -> Result<Vec<Packet>, String> {
    Folder::new().read(bytes)
}

pub const ORDERS: [Order; 2] = [Order::Little, Order::Big];

#[derive(Clone, Copy)]
pub enum Order {
    Little,
    Big,
}

impl Order {
    pub fn u16(self, value: u16) -> [u8; 2] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }

    pub fn u32(self, value: u32) -> [u8; 4] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }

    pub fn i64(self, value: i64) -> [u8; 8] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }
}

pub struct Pcap {
    pub order: Order,
    pub bytes: Vec<u8>,
}

impl Pcap {
    pub fn new(order: Order, resolution: Resolution) -> Self {
        let magic = match resolution {
            Resolution::Micro => 0xa1b2_c3d4,
            Resolution::Nano => 0xa1b2_3c4d,
        };
        let mut bytes = order.u32(magic).to_vec();
        bytes.extend(order.u16(2));
        bytes.extend(order.u16(4));
        for word in [0, 0, 262_144, 1] {
            bytes.extend(order.u32(word));
        }
        Self { order, bytes }
    }

    pub fn packet(self, seconds: u32, fraction: u32, data: &[u8]) -> Self {
        let length = data.len() as u32;
        self.record([seconds, fraction, length, length], data)
    }

    pub fn cut_packet(self, original_length: u32, data: &[u8]) -> Self {
        self.record([0, 0, data.len() as u32, original_length], data)
    }

    fn record(mut self, header: [u32; 4], data: &[u8]) -> Self {
        for word in header {
            self.bytes.extend(self.order.u32(word));
        }
        self.bytes.extend(data);
        self
    }
}

pub struct Pcapng {
    order: Order,
    pub bytes: Vec<u8>,
}

impl Pcapng {
    pub fn new(order: Order) -> Self {
        let empty = Self { order, bytes: Vec::new() };
        empty.section(order)
    }

    pub fn section(mut self, order: Order) -> Self {
        self.order = order;
        let mut body = order.u32(0x1A2B_3C4D).to_vec();
        body.extend(order.u16(1));
        body.extend(order.u16(0));
        body.extend(order.i64(-1));
        self.block(0x0A0D_0D0A, &body)
    }

    pub fn interface(self, link_type: u16, options: &[(u16, Vec<u8>)]) -> Self {
        let mut body = self.order.u16(link_type).to_vec();
        body.extend(self.order.u16(0));
        body.extend(self.order.u32(0));
        for (code, value) in options {
            body.extend(self.order.u16(*code));
            body.extend(self.order.u16(value.len() as u16));
            body.extend(padded(value));
        }
        self.block(1, &body)
    }

    pub fn snapping_interface(self, snap_length: u32) -> Self {
        let mut body = self.order.u16(1).to_vec();
        body.extend(self.order.u16(0));
        body.extend(self.order.u32(snap_length));
        self.block(1, &body)
    }

    pub fn packet(self, interface: u32, ticks: u64, data: &[u8]) -> Self {
        let length = data.len() as u32;
        let header = [interface, (ticks >> 32) as u32, ticks as u32, length, length];
        let mut body: Vec<u8> = header.iter().flat_map(|word| self.order.u32(*word)).collect();
        body.extend(padded(data));
        self.block(6, &body)
    }

    pub fn simple_packet(self, original_length: u32, data: &[u8]) -> Self {
        let mut body = self.order.u32(original_length).to_vec();
        body.extend(padded(data));
        self.block(3, &body)
    }

    pub fn block(mut self, kind: u32, body: &[u8]) -> Self {
        let length = self.order.u32(body.len() as u32 + 12);
        self.bytes.extend(self.order.u32(kind));
        self.bytes.extend(length);
        self.bytes.extend(body);
        self.bytes.extend(length);
        self
    }
}

fn padded(data: &[u8]) -> Vec<u8> {
    let mut padded = data.to_vec();
    padded.resize(data.len().next_multiple_of(4), 0);
    padded
}
