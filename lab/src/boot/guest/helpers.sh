# What the driver of the card does in the guest. A test is a function; it passes if it returns 0.

HOST=10.9.0.1
GUEST=10.9.0.2
INTERFACE=/sys/class/net/eth0

# The shell would take its own.
ip() {
    /programs/ip "$@"
}

fail() {
    echo "@note $*"
    exit 1
}

note() {
    echo "@note $*"
}

# wait_until SECONDS COMMAND...: until the command succeeds.
wait_until() {
    tries=$(($1 * 20))
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        usleep 50000
    done
}

has_carrier() {
    [ "$(cat $INTERFACE/carrier 2>/dev/null)" = 1 ]
}

# load [OPTION...]: the driver, freshly.
load() {
    unload
    dmesg -c >/dev/null
    insmod /modules/s2io.ko $DRIVER_OPTIONS "$@" || fail "insmod failed"
    [ -e $INTERFACE ] || fail "no interface"
    # The host is known from the start and IPv6 is off, so that nothing but the tests is on the wire.
    echo 1 >/proc/sys/net/ipv6/conf/eth0/disable_ipv6
}

unload() {
    [ ! -e /sys/module/s2io ] || rmmod s2io || fail "rmmod failed"
}

up() {
    ip address add $GUEST/24 dev eth0 2>/dev/null
    ip link set eth0 up || fail "the interface does not come up"
    wait_until 10 has_carrier || fail "no carrier"
}

# The driver loaded with its usual options, and up.
ready() {
    [ -e $INTERFACE ] || load
    has_carrier || up
}

# What must never be in the kernel's log.
quiet() {
    if dmesg | grep -E 'NETDEV WATCHDOG|not Quiescent|Resetting|reset|BUG|Oops|nobody cared'; then
        fail "see the kernel's log"
    fi
}

# ping_all COUNT SIZE: that many come back.
ping_all() {
    result=$(ping -c "$1" -i 0.02 -s "$2" -w 60 $HOST)
    echo "$result" | tail -n 2
    echo "$result" | grep -q " $1 packets received" || fail "lost some of $1 pings of $2 bytes"
    note "$2 bytes: $(echo "$result" | sed -n 's/^round-trip //p')"
}

# iperf OPTION...: the rate at the receiver.
iperf() {
    iperf_to $HOST "$@"
}

# iperf_to ADDRESS OPTION...: the same with another server. Between two tests it does not listen for a moment. With no reports in
# between, iperf3 3.18 does not notice that -R -n is done.
iperf_to() {
    for try in 1 2 3 4 5; do
        result=$(iperf3 -c "$1" -i 1 -f m $2 $3 $4 $5 $6 $7 2>&1) && break
        echo "$result" | grep -q 'unable to connect\|busy' || fail "iperf3 $*: $result"
        sleep 1
    done
    line=$(echo "$result" | grep receiver | tail -n 1)
    [ -n "$line" ] || fail "iperf3 $*: $result"
    echo "$line"
    note "$(echo "$line" | grep -oE '[0-9.]+ Mbits/sec')"
}

# counter NAME: of the card.
counter() {
    ethtool -S eth0 | awk -v name="$1:" '$1 == name { print $2 }'
}

# counted NAME BEFORE BY: the counter grew by that much.
counted() {
    [ $(($(counter "$1") - $2)) = "$3" ] || fail "$1 grew by $(($(counter "$1") - $2)), not by $3"
}

# order WORDS...: the host does something and says when it is done.
order() {
    [ "$(echo "$*" | nc -w 30 $HOST 7000 | tail -n 1)" = done ] || fail "the host does not $*"
}

# remember NAME...: the counters as they are now.
remember() {
    for name in "$@"; do
        eval "before_$name=$(counter "$name")"
    done
}

# grew BY NAME...: since they were remembered, by exactly that much.
grew() {
    by=$1
    shift
    for name in "$@"; do
        eval "counted $name \$before_$name $by"
    done
}

# The host's address need not be asked for.
known_host() {
    ip neighbour replace $HOST lladdr 02:09:00:00:00:01 nud permanent dev eth0
}

has_reset() {
    [ "$(counter soft_reset_cnt)" -gt "$before_soft_reset_cnt" ]
}

answers() {
    ping -c 1 -w 1 $HOST >/dev/null
}

has_flapped() {
    [ "$(counter link_down_cnt)" -ge $((before_link_down_cnt + 3)) ]
}
