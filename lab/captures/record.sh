#!/bin/sh
# Records kernel-tcp.pcap: one TCP transfer over IPv4 and one over IPv6 at the same time, between
# two network namespaces, with every offload off, so that each frame is as a wire would carry it.
# On a machine with two processors or more a few segments arrive out of order, as they should here;
# lab/tests/shipped_capture.rs says what else a good recording has.
#
# Usage: record.sh [FILE]     (as root; default: kernel-tcp.pcap beside this script)
# Needs: iproute2, ethtool, tcpdump, python3
set -eu

out=${1:-$(dirname "$0")/kernel-tcp.pcap}
bytes=880000
sender=record-sender-$$
receiver=record-receiver-$$

fail() {
    echo "record.sh: $*" >&2
    exit 1
}

[ "$(id -u)" -eq 0 ] || fail "must run as root: it makes network namespaces"
for tool in ip ethtool tcpdump python3; do
    command -v "$tool" >/dev/null || fail "$tool is not installed"
done

work=$(mktemp -d)
children=
cleanup() {
    for child in $children; do
        kill "$child" 2>/dev/null || true
    done
    ip netns del "$sender" 2>/dev/null || true
    ip netns del "$receiver" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM

end() { # namespace, number of the host
    ip -n "$1" link set wire address "02:00:00:00:00:0$2" mtu 1500
    ip -n "$1" addr add "192.0.2.$2/24" dev wire
    ip -n "$1" addr add "2001:db8::$2/64" dev wire nodad
    ip netns exec "$1" ethtool -K wire tx off rx off tso off gso off gro off >/dev/null
    ip -n "$1" link set wire up
}

echo "record.sh: making the namespaces $sender and $receiver"
ip netns add "$sender"
ip netns add "$receiver"
ip -n "$sender" link add wire type veth peer name wire netns "$receiver"
end "$sender" 1
end "$receiver" 2

ip netns exec "$receiver" tcpdump -Z root -i wire -s 0 -B 8192 -w "$work/capture" tcp \
    2>"$work/tcpdump" &
tcpdump_pid=$!
children=$tcpdump_pid
for _ in $(seq 100); do
    grep -q "listening on" "$work/tcpdump" && break
    kill -0 "$tcpdump_pid" 2>/dev/null || fail "tcpdump: $(cat "$work/tcpdump")"
    sleep 0.1
done

cat >"$work/receive.py" <<'PYTHON'
import socket, sys, threading

def drain(connection):
    with connection:
        while data := connection.recv(1 << 20):
            received.append(len(data))

received = []
server = socket.create_server(("::", 5001), family=socket.AF_INET6, dualstack_ipv6=True)
print("ready", flush=True)
drains = [threading.Thread(target=drain, args=(server.accept()[0],)) for _ in range(2)]
for thread in drains:
    thread.start()
for thread in drains:
    thread.join()
if sum(received) != 2 * int(sys.argv[1]):
    sys.exit(f"received {sum(received)} bytes")
PYTHON

cat >"$work/send.py" <<'PYTHON'
import itertools, socket, sys, threading

def text(length):
    """Numbers, one a line: real bytes that still pack well in a repository."""
    lines, size = [], 0
    for number in itertools.count(1):
        if size >= length:
            return "".join(lines)[:length].encode()
        lines.append(f"{number}\n")
        size += len(lines[-1])

def send(address, data):
    with socket.create_connection((address, 5001)) as connection:
        both.wait()
        connection.sendall(data)

data = text(int(sys.argv[1]))
both = threading.Barrier(2)
sends = [threading.Thread(target=send, args=(a, data)) for a in ("192.0.2.2", "2001:db8::2")]
for thread in sends:
    thread.start()
for thread in sends:
    thread.join()
PYTHON

ip netns exec "$receiver" python3 "$work/receive.py" "$bytes" >"$work/ready" &
receive_pid=$!
children="$children $receive_pid"
for _ in $(seq 100); do
    [ -s "$work/ready" ] && break
    sleep 0.1
done

echo "record.sh: sending $bytes bytes over IPv4 and over IPv6"
ip netns exec "$sender" python3 "$work/send.py" "$bytes"
wait "$receive_pid" || fail "the transfer is not whole"

sleep 1 # the last acknowledgements
kill -INT "$tcpdump_pid"
wait "$tcpdump_pid" || fail "tcpdump: $(cat "$work/tcpdump")"
children=
grep -q "^0 packets dropped by kernel" "$work/tcpdump" || fail "tcpdump lost packets: try again"

size=$(wc -c <"$work/capture")
[ "$size" -le 2000000 ] || fail "the capture has $size bytes, more than 2,000,000"
cp "$work/capture" "$out"
echo "record.sh: $out: $(sed -n 's/ packets captured/ frames/p' "$work/tcpdump"), $size bytes"
