//! Owns the address that the guest is given: the little of DHCP that a guest without one asks for.

use smoltcp::socket::udp;
use smoltcp::wire::{
    DHCP_CLIENT_PORT, DHCP_SERVER_PORT, DhcpMessageType, DhcpPacket, DhcpRepr, IpEndpoint, Ipv4Address,
};

use super::peer::{GUEST, HOST, PREFIX};

/// Longer than any test.
const SECONDS: u32 = 86_400;
/// Messages that wait.
const QUEUE: usize = 8;
/// Bytes of the longest message that is answered.
const LONGEST: usize = 1500;

/// A socket that DHCP's clients speak to; `None` if the port cannot be had.
pub fn socket() -> Option<udp::Socket<'static>> {
    let buffer = || udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; QUEUE], vec![0; QUEUE * LONGEST]);
    let mut socket = udp::Socket::new(buffer(), buffer());
    socket.bind(DHCP_SERVER_PORT).ok()?;
    Some(socket)
}

/// Answers what came; true if a client was told that the address is its own.
pub fn serve(socket: &mut udp::Socket<'_>) -> bool {
    let mut taken = false;
    while let Ok((message, _)) = socket.recv() {
        let Some((kind, answer)) = answer(message) else { continue };
        let everyone = IpEndpoint::new(Ipv4Address::BROADCAST.into(), DHCP_CLIENT_PORT);
        taken |= socket.send_slice(&answer, everyone).is_ok() && kind == DhcpMessageType::Ack;
    }
    taken
}

/// What a message is answered with: an offer or an acknowledgment. `None` for everything else.
fn answer(message: &[u8]) -> Option<(DhcpMessageType, Vec<u8>)> {
    let packet = DhcpPacket::new_checked(message).ok()?;
    let asked = DhcpRepr::parse(&packet).ok()?;
    let kind = match asked.message_type {
        DhcpMessageType::Discover => DhcpMessageType::Offer,
        DhcpMessageType::Request => DhcpMessageType::Ack,
        _ => return None,
    };
    let answer = DhcpRepr {
        message_type: kind,
        your_ip: GUEST,
        server_ip: HOST,
        server_identifier: Some(HOST),
        router: Some(HOST),
        subnet_mask: Some(Ipv4Address::from_bits(u32::MAX << (u32::BITS - u32::from(PREFIX)))),
        lease_duration: Some(SECONDS),
        requested_ip: None,
        client_identifier: None,
        parameter_request_list: None,
        max_size: None,
        ..asked
    };
    let mut bytes = vec![0; answer.buffer_len()];
    answer.emit(&mut DhcpPacket::new_unchecked(&mut bytes)).ok()?;
    Some((kind, bytes))
}

#[cfg(test)]
mod tests {
    use smoltcp::wire::EthernetAddress;

    use super::*;

    fn ask(message_type: DhcpMessageType) -> Vec<u8> {
        let unset = Ipv4Address::UNSPECIFIED;
        let request = DhcpRepr {
            message_type,
            transaction_id: 0x1234_5678,
            secs: 0,
            client_hardware_address: EthernetAddress([0, 0x0C, 0xFC, 1, 2, 3]),
            client_ip: unset,
            your_ip: unset,
            server_ip: unset,
            router: None,
            subnet_mask: None,
            relay_agent_ip: unset,
            broadcast: true,
            requested_ip: None,
            client_identifier: None,
            server_identifier: None,
            parameter_request_list: None,
            dns_servers: None,
            max_size: None,
            lease_duration: None,
            renew_duration: None,
            rebind_duration: None,
            additional_options: &[],
        };
        let mut bytes = vec![0; request.buffer_len()];
        request.emit(&mut DhcpPacket::new_unchecked(&mut bytes)).unwrap();
        bytes
    }

    #[test]
    fn a_client_is_offered_the_address_and_then_given_it() {
        for (asked, told) in
            [(DhcpMessageType::Discover, DhcpMessageType::Offer), (DhcpMessageType::Request, DhcpMessageType::Ack)]
        {
            let (kind, bytes) = answer(&ask(asked)).unwrap();
            assert_eq!(kind, told);
            let packet = DhcpPacket::new_checked(&bytes).unwrap();
            let repr = DhcpRepr::parse(&packet).unwrap();
            assert_eq!((repr.message_type, repr.transaction_id), (told, 0x1234_5678));
            assert_eq!((repr.your_ip, repr.router), (GUEST, Some(HOST)));
            assert_eq!(repr.subnet_mask, Some(Ipv4Address::new(255, 255, 255, 0)));
        }
    }

    #[test]
    fn other_messages_and_nonsense_are_not_answered() {
        assert!(answer(&ask(DhcpMessageType::Release)).is_none());
        assert!(answer(&[0; 300]).is_none());
        assert!(answer(b"").is_none());
    }
}
