//! The host and a guest made of the same stack, at the two ends of a cable.

use std::thread::JoinHandle;

use super::*;
use crate::boot::redox::cable::MTU;

const OPEN: u16 = 5017;
const CLOSED: u16 = 9;
const PATIENCE: Duration = Duration::from_secs(10);

/// A guest that gives back what it gets at one port, until the cable is pulled.
fn guest(cable: UnixStream) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut cable = Cable::new(cable).unwrap();
        let config = Config::new(EthernetAddress([0, 0x0C, 0xFC, 0, 0, 1]).into());
        let mut interface = Interface::new(config, &mut cable, Instant::now());
        interface.update_ip_addrs(|addresses| addresses.push(IpCidr::new(GUEST.into(), PREFIX)).unwrap());
        let buffer = || tcp::SocketBuffer::new(vec![0; 65_535]);
        let mut sockets = SocketSet::new(Vec::new());
        let handle = sockets.add(tcp::Socket::new(buffer(), buffer()));
        while cable.wait(Duration::from_millis(1)).is_ok() {
            interface.poll(Instant::now(), &mut cable, &mut sockets);
            let socket = sockets.get_mut::<tcp::Socket<'_>>(handle);
            if !socket.is_open() {
                socket.listen(OPEN).unwrap();
            }
            if socket.can_send() && socket.can_recv() {
                let bytes = socket.recv(|bytes| (bytes.len(), bytes.to_vec())).unwrap();
                assert_eq!(socket.send_slice(&bytes), Ok(bytes.len()));
            }
            if socket.state() == tcp::State::CloseWait {
                socket.close();
            }
        }
    })
}

fn host() -> (Peer, JoinHandle<()>) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let (stop, sender) = UnixStream::pair().unwrap();
    // Dropped, it would tell the host to end.
    std::mem::forget(sender);
    (Peer::new(ours, 64 << 10, stop).unwrap(), guest(theirs))
}

#[test]
fn bytes_go_to_the_guest_and_come_back() {
    let (mut peer, guest) = host();
    for mtu in [MTU, 552] {
        peer.set_mtu(mtu);
        let sent: Vec<u8> = (0..50_000_u32).map(|number| number as u8).collect();
        let mut connection = peer.connect(OPEN, PATIENCE).unwrap();
        connection.write_all(&sent).unwrap();
        let mut received = vec![0; sent.len()];
        connection.read_exact(&mut received).unwrap();
        assert_eq!(received, sent);
    }
    drop(peer);
    guest.join().unwrap();
}

#[test]
fn a_port_where_nobody_listens_refuses() {
    let (mut peer, _guest) = host();
    assert!(peer.knock(CLOSED, PATIENCE).unwrap().is_some());
}

#[test]
fn a_host_that_is_told_to_end_says_so() {
    let (ours, _theirs) = UnixStream::pair().unwrap();
    let (stop, mut sender) = UnixStream::pair().unwrap();
    let mut peer = Peer::new(ours, 1024, stop).unwrap();
    sender.write_all(&[1]).unwrap();
    assert!(peer.run(Duration::ZERO).unwrap_err().to_string().contains("told to end"));
}
