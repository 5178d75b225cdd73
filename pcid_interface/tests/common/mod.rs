//! A pcid at the other end of a socket pair, which answers by a script.
#![allow(dead_code, reason = "each test uses a part")]

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};

use pcid_interface::{
    FullDeviceId, LegacyInterruptLine, PciAddress, PciBar, PciFunction, PciFunctionHandle, PcidClientRequest,
    PcidClientResponse, SubdriverArguments,
};

pub const XFRAME: FullDeviceId =
    FullDeviceId { vendor_id: 0x17d5, device_id: 0x5832, class: 2, subclass: 0, interface: 0, revision: 2 };

pub fn arguments() -> SubdriverArguments {
    let memory = |addr, size| PciBar::Memory64 { addr, size };
    let bars = [
        memory(0xfe00_0000, 0x8000),
        PciBar::None,
        memory(0xfe10_0000, 0x1000),
        PciBar::None,
        memory(0xfe20_0000, 0x1000),
        PciBar::None,
    ];
    let line = LegacyInterruptLine { irq: 11, phandled: None };
    let addr = PciAddress::new(0, 0, 3, 0);
    let func = PciFunction { addr, bars, rom: None, legacy_interrupt_line: Some(line), full_device_id: XFRAME };
    SubdriverArguments { func }
}

/// What a response is on the wire.
pub fn framed(response: &PcidClientResponse) -> Vec<u8> {
    let body = bincode::serialize(response).unwrap();
    [&(body.len() as u64).to_le_bytes()[..], &body].concat()
}

/// Answers requests with bytes, one after the other, and returns the requests that came.
pub fn serve(script: Vec<Vec<u8>>) -> (UnixStream, JoinHandle<Vec<PcidClientRequest>>) {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let server = thread::spawn(move || {
        let mut requests = Vec::new();
        for answer in script {
            let mut bytes = [0; 64];
            let length = theirs.read(&mut bytes).unwrap();
            requests.push(bincode::deserialize(&bytes[..length]).unwrap());
            theirs.write_all(&answer).unwrap();
        }
        requests
    });
    (ours, server)
}

/// A handle whose configuration was answered, and the answers to what comes next.
pub fn connected(
    answers: &[PcidClientResponse],
) -> (PciFunctionHandle<UnixStream>, JoinHandle<Vec<PcidClientRequest>>) {
    let config = framed(&PcidClientResponse::Config(arguments()));
    let (channel, server) = serve(std::iter::once(config).chain(answers.iter().map(framed)).collect());
    (PciFunctionHandle::connect(channel).unwrap(), server)
}

/// A channel that takes only `room` bytes of a write.
pub struct Narrow {
    pub room: usize,
}

impl Write for Narrow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len().min(self.room))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Narrow {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }
}
