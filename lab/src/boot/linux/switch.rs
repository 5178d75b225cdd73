//! Owns a switch between the card and two networks of the host: one for frames without a tag, one for those of a VLAN.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::thread::JoinHandle;

use anyhow::{Context, Result};
use model::wire::{Socket, Tap, Wire};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// The VLAN's number, and the TAP interface of its network.
pub const VLAN: u16 = 5;
pub const TAGGED: &str = "tap5";

const TAG: [u8; 2] = [0x81, 0x00];
const IPV4: [u8; 2] = [0x08, 0x00];

/// Starts a switch in the network namespace `namespace`, on whose port a card will be plugged by connecting to `socket`. It
/// ends when the card goes, and lets go of both interfaces.
pub fn start(namespace: &str, untagged: &'static str, socket: &Path) -> Result<JoinHandle<()>> {
    let listener = UnixListener::bind(socket).with_context(|| format!("{}", socket.display()))?;
    let namespace = std::fs::File::open(Path::new("/run/netns").join(namespace))?;
    Ok(std::thread::spawn(move || {
        let network = || -> Result<[Tap; 2]> {
            move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
            Ok([Tap::open(untagged)?, Tap::open(TAGGED)?])
        };
        let served = network().and_then(|taps| Ok(serve(listener.accept()?.0, taps)?));
        if let Err(error) = served {
            log::error!("the switch: {error}");
        }
    }))
}

/// Moves frames until the card goes.
fn serve(card: std::os::unix::net::UnixStream, [mut plain, mut tagged]: [Tap; 2]) -> io::Result<()> {
    let mut card = Socket::new(card)?;
    let mut frame = Vec::new();
    while card.connected() {
        let mut moved = false;
        while card.receive(&mut frame) {
            moved = true;
            match untag(&mut frame) {
                Some(VLAN) => tagged.send(&frame),
                Some(_) => {}
                None => plain.send(&frame),
            }
        }
        while plain.receive(&mut frame) {
            moved = true;
            card.send(&frame);
        }
        while tagged.receive(&mut frame) {
            moved = true;
            tag(&mut frame);
            card.send(&frame);
        }
        if !moved && card.connected() {
            let ready: Vec<_> =
                [card.readiness(), plain.readiness(), tagged.readiness()].into_iter().flatten().collect();
            let mut ready: Vec<_> =
                ready.iter().map(|descriptor| PollFd::from_borrowed_fd(*descriptor, PollFlags::IN)).collect();
            poll(&mut ready, None)?;
        }
    }
    Ok(())
}

/// Takes the tag off; its VLAN.
fn untag(frame: &mut Vec<u8>) -> Option<u16> {
    let control = frame.get(12..16)?.strip_prefix(&TAG)?.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))?;
    frame.drain(12..16);
    Some(control & 0xFFF)
}

/// Puts a tag on, with the priority that the IP precedence asks for.
fn tag(frame: &mut Vec<u8>) {
    let precedence = match frame.get(12..16) {
        Some([a, b, _, service]) if [*a, *b] == IPV4 => service >> 5,
        _ => 0,
    };
    let [high, low] = (u16::from(precedence) << 13 | VLAN).to_be_bytes();
    if frame.len() >= 12 {
        frame.splice(12..12, [TAG[0], TAG[1], high, low]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_goes_on_with_the_precedence_and_comes_off() {
        let mut frame = vec![1; 60];
        frame[12..16].copy_from_slice(&[0x08, 0x00, 0x45, 0x60]);
        let plain = frame.clone();
        tag(&mut frame);
        assert_eq!(frame[12..18], [0x81, 0x00, 0x60, 0x05, 0x08, 0x00]);
        assert_eq!(untag(&mut frame), Some(VLAN));
        assert_eq!(frame, plain);
        assert_eq!(untag(&mut frame), None);
    }

    #[test]
    fn other_frames_have_no_priority() {
        let mut frame = vec![0xFF; 60];
        tag(&mut frame);
        assert_eq!(frame[12..16], [0x81, 0x00, 0x00, 0x05]);
    }
}
