//! Owns the comparison of the driver's own LRO, from which the engine's `seed` rules were taken, with those rules: the same
//! frames go to both, in the same groups, and what either makes of them lies side by side.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use etherparse::{NetHeaders, PacketHeaders, TransportHeader};
use model::capture::{self, Resolution, Writer};
use model::wire::{Flows, Generator, Versions, Wire};

use super::MAC;
use crate::boot::packages::run;

/// Frames in a group, and what the card's server is told of it: the driver polls for 64 at a time, so a group is a poll. The
/// frames are on their way for as long as the guest takes to listen.
pub const GROUP: &str = "32";
pub const CABLE: &str = "delay=12s";
/// The capture that is played to both, and what the guest's stack got.
pub const PLAYED: &str = "played.pcap";
pub const UNITS: &str = "units.pcap";
/// A capture of a kernel's own TCP.
const KERNEL: &[u8] = include_bytes!("../../../captures/kernel-tcp.pcap");
/// Frames of it, and of each generated transfer: all of them fit on the cable at once.
const KERNEL_FRAMES: usize = 640;
const GENERATED: u64 = 320;

/// Writes the capture that is played: a kernel's TCP and generated transfers, all of them to the card's address.
pub fn write_capture(folder: &Path) -> Result<()> {
    let address: model::serve::Mac = MAC.parse().map_err(anyhow::Error::msg)?;
    let mut frames = Vec::new();
    let copy = folder.join("kernel.pcap");
    std::fs::write(&copy, KERNEL)?;
    let whole = |packet: &capture::Packet| packet.data.len() == packet.original_length as usize;
    frames.extend(capture::read(&copy)?.into_iter().filter(whole).take(KERNEL_FRAMES).map(|packet| packet.data));
    for (flows, burst, timestamps, payload) in
        [(1, 1, true, 1448), (4, 5, true, 1000), (40, 1, false, 500), (3, 2, false, 1460)]
    {
        let flows = Flows {
            flows,
            burst,
            timestamps,
            payload,
            versions: Versions::V4,
            frames: GENERATED,
            destination: address.0,
        };
        let mut generator = Generator::new(&flows);
        let mut frame = Vec::new();
        while generator.receive(&mut frame) {
            frames.push(frame.clone());
        }
    }
    let mut writer = Writer::create(folder.join(PLAYED), Resolution::Micro)?;
    for (number, frame) in frames.iter_mut().enumerate() {
        for (to, from) in frame.iter_mut().zip(address.0) {
            *to = from;
        }
        writer.write(Duration::from_micros(number as u64), frame.len() as u32, frame)?;
    }
    Ok(writer.finish()?)
}

/// A unit as far as a receiver cares: where in its flow it is, how long, and its bytes.
#[derive(Debug)]
struct Unit {
    sequence: u32,
    payload: Vec<u8>,
    acknowledgment: u32,
    window: u16,
}

impl Unit {
    /// Whether both are the same, but for the window if that does not count.
    fn agrees(&self, other: &Self, but_window: bool) -> bool {
        let same = (self.sequence, &self.payload) == (other.sequence, &other.payload);
        same && self.acknowledgment == other.acknowledgment && (but_window || self.window == other.window)
    }

    /// The sequence number behind it.
    fn end(&self) -> u32 {
        self.sequence.wrapping_add(self.payload.len() as u32)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sequence, payload, acknowledgment, window } = self;
        write!(f, "{} bytes from {sequence}, ack {acknowledgment}, window {window}", payload.len())
    }
}

type Flow = ([u8; 4], u16, [u8; 4], u16);

/// The units of every flow, in their order.
fn units(path: &Path) -> Result<BTreeMap<Flow, Vec<Unit>>> {
    let mut flows: BTreeMap<Flow, Vec<Unit>> = BTreeMap::new();
    for packet in capture::read(path)? {
        let Ok(headers) = PacketHeaders::from_ethernet_slice(&packet.data) else { continue };
        let (Some(NetHeaders::Ipv4(ip, _)), Some(TransportHeader::Tcp(tcp))) = (headers.net, headers.transport) else {
            continue;
        };
        let flow = (ip.source, tcp.source_port, ip.destination, tcp.destination_port);
        flows.entry(flow).or_default().push(Unit {
            sequence: tcp.sequence_number,
            payload: headers.payload.slice().to_vec(),
            acknowledgment: tcp.acknowledgment_number,
            window: tcp.window_size,
        });
    }
    Ok(flows)
}

/// Differences that are known: the driver's own ways, which the rules leave out.
#[derive(Default)]
struct Known {
    /// The driver writes its session's window into the first frame even if no second came, and has none to write then.
    no_window: usize,
    /// The driver sends a segment out of order up at once; by the rules the one that follows it may join it.
    alone: usize,
}

/// Compares the units of one flow.
fn compare_flow(theirs: Vec<Unit>, ours: &[Unit], known: &mut Known) -> Result<()> {
    let mut theirs = theirs.into_iter().peekable();
    let mut end = None;
    for (at, our) in ours.iter().enumerate() {
        let mut their = theirs.next().context("the driver has fewer units")?;
        let out_of_order = end.is_some_and(|end| end != their.sequence);
        if out_of_order && their.payload.len() < our.payload.len() {
            let next = theirs.next().filter(|next| next.sequence == their.end()).context("nothing follows")?;
            known.alone += 1;
            let payload = [their.payload, next.payload].concat();
            their = Unit { sequence: their.sequence, payload, ..next };
        }
        end = Some(their.end());
        let no_window = their.window == 0 && our.window != 0;
        known.no_window += usize::from(no_window);
        ensure!(their.agrees(our, no_window), "unit {at}: the driver's is {their}, ours {our}");
    }
    ensure!(theirs.next().is_none(), "the driver has more units");
    Ok(())
}

/// Compares what the guest's stack got with what the `seed` rules make of the same frames. Returns what can be said of it.
///
/// # Errors
///
/// The first unit that differs in what is not known.
pub fn compare(folder: &Path) -> Result<String> {
    let ours = folder.join("seed.pcap");
    let mut lab = Command::new(std::env::current_exe()?);
    lab.args(["coalesce", "--rules", "seed", "--sessions", "32", "--batch", GROUP]);
    run(lab.arg(folder.join(PLAYED)).arg(&ours))?;
    let (mut theirs, ours) = (units(&folder.join(UNITS))?, units(&ours)?);
    ensure!(theirs.keys().eq(ours.keys()), "the guest saw {} flows of {}", theirs.len(), ours.len());
    let mut known = Known::default();
    for (flow, ours) in &ours {
        let theirs = theirs.remove(flow).unwrap_or_default();
        compare_flow(theirs, ours, &mut known).with_context(|| format!("port {}", flow.1))?;
    }
    let frames = capture::read(folder.join(PLAYED))?.len();
    let units: usize = ours.values().map(Vec::len).sum();
    let Known { no_window, alone } = known;
    Ok(format!(
        "{frames} frames of {} flows are the same {units} units, {no_window} of them with window 0 from the driver, {alone} \
         out of order and alone",
        ours.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(sequence: u32, length: usize, window: u16) -> Unit {
        Unit { sequence, payload: vec![sequence as u8; length], acknowledgment: 1, window }
    }

    fn joined(first: Unit, second: Unit) -> Unit {
        let payload = [first.payload, second.payload].concat();
        Unit { sequence: first.sequence, payload, ..second }
    }

    #[test]
    fn only_the_known_differences_pass() {
        let mut known = Known::default();
        let flow = || vec![unit(0, 10, 5), unit(10, 10, 5)];
        assert!(compare_flow(flow(), &flow(), &mut known).is_ok());
        assert!(compare_flow(vec![unit(0, 10, 5), unit(10, 10, 0)], &flow(), &mut known).is_ok());
        assert!(compare_flow(vec![unit(0, 10, 5), unit(10, 10, 4)], &flow(), &mut known).is_err());
        assert!(compare_flow(vec![unit(0, 10, 5)], &flow(), &mut known).is_err());
        assert!(compare_flow(flow(), &[unit(0, 10, 5)], &mut known).is_err());
        assert_eq!((known.no_window, known.alone), (1, 0));
    }

    #[test]
    fn a_segment_out_of_order_may_be_alone_and_one_in_order_may_not() {
        let mut known = Known::default();
        let late = || vec![unit(0, 10, 5), unit(50, 10, 5), unit(60, 10, 5)];
        let ours = [unit(0, 10, 5), joined(unit(50, 10, 5), unit(60, 10, 5))];
        assert!(compare_flow(late(), &ours, &mut known).is_ok());
        assert_eq!(known.alone, 1);
        let ours = [joined(unit(0, 10, 5), unit(10, 10, 5))];
        assert!(compare_flow(vec![unit(0, 10, 5), unit(10, 10, 5)], &ours, &mut known).is_err());
    }
}
