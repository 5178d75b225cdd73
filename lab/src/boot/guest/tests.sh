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

# iperf OPTION...: the rate at the receiver. With no reports in between, iperf3 3.18 does not notice that -R -n is done.
iperf() {
    result=$(iperf3 -c $HOST -i 1 -f m "$@" 2>&1) || fail "iperf3 $*: $result"
    line=$(echo "$result" | grep receiver | tail -n 1)
    echo "$line"
    note "$(echo "$line" | grep -oE '[0-9.]+ Mbits/sec')"
}

test_probe() {
    for round in 1 2 3; do
        load
        [ "$(cat $INTERFACE/address)" = "$MAC" ] || fail "the address is $(cat $INTERFACE/address)"
        dmesg | grep -q "Interrupt type $INTERRUPTS" || fail "the driver does not use $INTERRUPTS"
        [ $round = 3 ] || unload
    done
    dmesg | sed -n 's/.*s2io: //p'
    quiet
}

test_link() {
    load
    up
    [ "$(cat $INTERFACE/speed)" = 10000 ] || fail "the speed is $(cat $INTERFACE/speed)"
    ip link set eth0 down
    up
    quiet
}

test_ping() {
    ready
    ping -c 1 -w 5 $HOST >/dev/null
    ping_all 100 56
    ping_all 20 1472
    quiet
}

test_tcp_send() {
    ready
    iperf $FOR_A_WHILE
    quiet
}

test_tcp_receive() {
    ready
    iperf $FOR_A_WHILE -R
    quiet
}

test_tcp_send_8() {
    ready
    iperf $FOR_A_WHILE -P 8
    quiet
}

test_tcp_receive_8() {
    ready
    iperf $FOR_A_WHILE -P 8 -R
    quiet
}

test_udp() {
    ready
    iperf $FOR_A_WHILE -u -b 50M
    quiet
}

test_jumbo() {
    ready
    ip link set eth0 mtu 9000 || fail "the driver refuses an MTU of 9000"
    up
    ping_all 50 8972
    iperf $FOR_A_WHILE
    iperf $FOR_A_WHILE -R
    ip link set eth0 mtu 1500
    up
    quiet
}

test_self_test() {
    ready
    result=$(ethtool -t eth0 offline)
    status=$?
    echo "$result"
    [ $status = 0 ] || fail "ethtool -t failed"
    [ "$(echo "$result" | grep -cE '\((on|off)line\)[[:space:]]+0$')" = 5 ] || fail "not all of five tests passed"
    up
    ping_all 10 56
}

# counter NAME: of the card.
counter() {
    ethtool -S eth0 | awk -v name="$1:" '$1 == name { print $2 }'
}

# counted NAME BEFORE BY: the counter grew by that much.
counted() {
    [ $(($(counter "$1") - $2)) = "$3" ] || fail "$1 grew by $(($(counter "$1") - $2)), not by $3"
}

test_counters() {
    ready
    ping -c 1 -w 5 $HOST >/dev/null
    names='tmac_frms tmac_ttl_octets tmac_icmp rmac_vld_frms rmac_ttl_octets rmac_accepted_ucst_frms rmac_icmp
        rmac_ttl_1024_1518_frms rmac_drop_frms'
    for name in $names; do
        eval "before_$name=$(counter $name)"
    done
    # 1000 bytes of ICMP data: frames of 1046 bytes with FCS, 8 more with preamble.
    ping -c 50 -i 0.02 -s 1000 -w 30 $HOST | tail -n 2
    for name in tmac_frms tmac_icmp rmac_vld_frms rmac_accepted_ucst_frms rmac_icmp rmac_ttl_1024_1518_frms; do
        eval "counted $name \$before_$name 50"
    done
    for name in tmac_ttl_octets rmac_ttl_octets; do
        eval "counted $name \$before_$name $((50 * (1046 + 8)))"
    done
    counted rmac_drop_frms "$before_rmac_drop_frms" 0
}

test_tools() {
    ready
    ethtool -i eth0 | grep -q '^driver: Neterion' || fail "ethtool -i"
    ethtool -d eth0 | wc -l
    ethtool -d eth0 >/dev/null || fail "ethtool -d"
    ethtool -e eth0 length 2048 >/dev/null || fail "ethtool -e"
    ethtool -a eth0 | grep -q '^RX:.*on' || fail "ethtool -a"
    ethtool -p eth0 2 || fail "ethtool -p"
    ping_all 5 56
    quiet
}

test_offloads() {
    ready
    for feature in rx tx tso; do
        ethtool -K eth0 $feature off || fail "cannot turn $feature off"
        up
        ping_all 5 1000
        iperf -t 1
        ethtool -K eth0 $feature on
        up
        iperf -t 1
    done
    quiet
}

test_lro() {
    ready
    for state in off on; do
        ethtool -K eth0 lro $state || fail "cannot turn LRO $state"
        up
        iperf $FOR_A_WHILE -R
    done
    ethtool -S eth0 | grep lro
    [ "$(counter lro_aggregated_pkts)" -gt 0 ] || fail "nothing was aggregated"
    quiet
}

test_rings() {
    for options in 'rx_ring_num=8 tx_fifo_num=1' 'rx_ring_num=1 tx_fifo_num=8'; do
        load $options
        up
        ping_all 10 56
        iperf -t 2 -R
        quiet
    done
    load
    up
}

test_flap() {
    ready
    for round in 1 2 3 4 5 6 7 8 9 10; do
        ip link set eth0 down
        up
    done
    ping_all 10 56
    quiet
}

test_soak() {
    ready
    iperf -t 150 -P 4
    iperf -t 150 -P 4 -R
    quiet
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

test_sizes() {
    ready
    ping -c 1 -w 5 $HOST >/dev/null
    sizes='rmac_ttl_64_frms rmac_ttl_65_127_frms rmac_ttl_128_255_frms rmac_ttl_256_511_frms rmac_ttl_512_1023_frms
        rmac_ttl_1024_1518_frms'
    # 46 bytes beside the data: Ethernet 14 and FCS 4, IP 20, ICMP 8.
    for case in 18:rmac_ttl_64_frms 19:rmac_ttl_65_127_frms 81:rmac_ttl_65_127_frms 82:rmac_ttl_128_255_frms \
        209:rmac_ttl_128_255_frms 210:rmac_ttl_256_511_frms 465:rmac_ttl_256_511_frms 466:rmac_ttl_512_1023_frms \
        977:rmac_ttl_512_1023_frms 978:rmac_ttl_1024_1518_frms 1472:rmac_ttl_1024_1518_frms; do
        length=${case%:*}
        bucket=${case#*:}
        remember $sizes rmac_ttl_frms rmac_ttl_less_fb_octets tmac_data_octets
        ping -c 10 -i 0.01 -s "$length" -w 30 $HOST >/dev/null || fail "no answer to pings of $length bytes"
        for name in $sizes; do
            [ "$name" = "$bucket" ] && grew 10 "$name" || grew 0 "$name"
        done
        grew 10 rmac_ttl_frms
        grew $((10 * (length + 46))) rmac_ttl_less_fb_octets
        grew $((10 * (length + 28))) tmac_data_octets
    done
}

test_multicast() {
    ready
    ping -c 1 -w 5 $HOST >/dev/null
    for group in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        ip maddress add "$(printf '01:00:5e:01:01:%02x' $group)" dev eth0 || fail "cannot join group $group"
    done
    counters='rmac_vld_mcst_frms rmac_accepted_nucst_frms rmac_discarded_frms rmac_da_discard'
    remember $counters
    order groups 1 40
    [ "$ASIC" = xena ] || grew 20 rmac_da_discard
    grew 40 rmac_vld_mcst_frms
    grew 20 rmac_accepted_nucst_frms rmac_discarded_frms
    ip link set eth0 promisc on
    remember $counters
    order groups 1 40
    grew 40 rmac_vld_mcst_frms rmac_accepted_nucst_frms
    grew 0 rmac_discarded_frms
    ip link set eth0 promisc off
    for group in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        ip maddress del "$(printf '01:00:5e:01:01:%02x' $group)" dev eth0
    done
    remember $counters
    order groups 1 40
    grew 0 rmac_accepted_nucst_frms
    quiet
}

test_three_buffers() {
    load rx_ring_mode=2
    up
    case $(uname -r) in
    5.*) ;;
    *)
        # Since Linux 6.1 the driver puts the Ethernet header over the payload: only that the card delivers can be seen.
        known_host
        remember rmac_icmp rxd_wr_cnt rx_tcode_buf_size_err_cnt
        ping -c 10 -i 0.1 -s 1000 -w 5 $HOST | tail -n 1
        grew 10 rmac_icmp
        [ "$ASIC" = xena ] || grew 10 rxd_wr_cnt
        grew 0 rx_tcode_buf_size_err_cnt
        note "this kernel's driver loses what comes in three buffers"
        load
        up
        return
        ;;
    esac
    ping_all 20 56
    ping_all 20 1472
    iperf $FOR_A_WHILE
    iperf $FOR_A_WHILE -R
    ip link set eth0 mtu 9000
    up
    ping_all 20 8972
    iperf -t 2 -R
    quiet
    load rx_ring_mode=2 rx_ring_num=8
    up
    ping_all 20 1472
    iperf -t 2 -R
    quiet
    load
    up
}

test_options() {
    for options in 'multiq=1 tx_fifo_num=8' 'tx_steering_type=0' 'tx_steering_type=1 tx_fifo_num=8' \
        'use_continuous_tx_intrs=0' 'vlan_tag_strip=0' 'rx_ring_sz=4' 'rx_ring_num=8 rx_ring_sz=2,2,2,2,2,2,2,2' \
        'rxsync_frequency=1' 'rmac_util_period=15 tmac_util_period=15' 'intr_type=0' 'lro_max_pkts=4'; do
        load $options
        up
        ping_all 10 1472
        iperf -n 10M
        iperf -n 10M -R
        iperf -n 10M -P 8
        quiet
    done
    load
    up
}

# The host's address need not be asked for.
known_host() {
    ip neighbour replace $HOST lladdr 02:09:00:00:00:01 nud permanent dev eth0
}

# The driver's receive function has done nothing unless it is polled, since Linux 3.15.
test_unpolled() {
    load napi=0
    up
    known_host
    remember tmac_icmp rmac_icmp rmac_frms_q0
    ping -c 5 -i 0.1 -w 3 $HOST | tail -n 1
    grew 5 tmac_icmp rmac_icmp rmac_frms_q0
    load
    up
    ping_all 5 56
}

# behind_a_tag: an interface for VLAN 5 on eth0.
behind_a_tag() {
    for module in llc stp garp mrp 8021q; do
        [ -e /sys/module/$module ] || [ ! -e /modules/$module.ko ] || insmod /modules/$module.ko || fail "no $module"
    done
    ip link add link eth0 name eth0.5 type vlan id 5 || fail "no VLAN interface"
    echo 1 >/proc/sys/net/ipv6/conf/eth0.5/disable_ipv6
    ip address add 10.9.5.2/24 dev eth0.5
    ip link set eth0.5 up
}

test_vlan() {
    for strip in 1 0; do
        load vlan_tag_strip=$strip
        up
        ping_all 10 1472
        behind_a_tag
        remember rmac_vlan_frms
        ping -c 20 -i 0.02 -s 1472 -w 20 10.9.5.1 | grep -q ' 20 packets received' || fail "no answer behind the tag"
        [ "$ASIC" = xena ] || [ "$(counter rmac_vlan_frms)" -ge $((before_rmac_vlan_frms + 20)) ] || fail "no tags counted"
        ip link set eth0 promisc on
        ping -c 20 -i 0.02 -s 1472 -w 20 10.9.5.1 | grep -q ' 20 packets received' || fail "no answer when promiscuous"
        ip link set eth0 promisc off
        iperf3 -c 10.9.5.1 -t 2 -R | grep receiver || fail "no traffic behind the tag"
        iperf3 -c 10.9.5.1 -t 2 | grep receiver || fail "no traffic behind the tag"
        ping_all 10 1472
        quiet
        ip link del eth0.5
    done
}

test_steering() {
    load rx_ring_num=8
    up
    behind_a_tag
    for priority in 0 1 2 3 4 5 6 7; do
        remember rmac_frms_q$priority
        # The host's frames come with the priority that their type of service asks for.
        iperf3 -c 10.9.5.1 -S $((priority * 32)) -n 1M -R >/dev/null || fail "no traffic of priority $priority"
        eval "frames=\$(( \$(counter rmac_frms_q$priority) - before_rmac_frms_q$priority ))"
        [ $frames -ge 600 ] || fail "$frames frames of priority $priority on ring $priority"
    done
    quiet
    ip link del eth0.5
    load
}

test_bad_cable() {
    ready
    ping -c 200 -i 0.01 -s 1000 -w 60 $HOST | tail -n 2
    iperf -t 75 -P 4
    iperf -t 75 -P 4 -R
    ethtool -K eth0 lro on
    up
    iperf -t 75 -P 4 -R
    [ "$(counter rmac_err_tcp)" -gt 0 ] || fail "no damaged segment was found"
    note "$(counter rmac_err_tcp) damaged segments"
    quiet
}

has_reset() {
    [ "$(counter soft_reset_cnt)" -gt "$before_soft_reset_cnt" ]
}

answers() {
    ping -c 1 -w 1 $HOST >/dev/null
}

test_alarm() {
    ready
    remember soft_reset_cnt
    wait_until 40 has_reset || fail "no reset"
    wait_until 20 has_carrier || fail "no carrier after the reset"
    wait_until 20 answers || fail "no answer after the reset"
    ping_all 20 1472
    iperf -t 2
    iperf -t 2 -R
}

has_flapped() {
    [ "$(counter link_down_cnt)" -ge $((before_link_down_cnt + 3)) ]
}

test_flaps() {
    ready
    remember link_down_cnt
    iperf3 -c $HOST -t 20 >/dev/null || fail "the connection did not survive"
    iperf3 -c $HOST -t 20 -R >/dev/null || fail "the connection did not survive"
    wait_until 20 has_flapped || fail "the link did not go down three times"
    note "down $(($(counter link_down_cnt) - before_link_down_cnt)) times"
    quiet
}

test_codes() {
    ready
    iperf $FOR_A_WHILE -R
    iperf $FOR_A_WHILE
    for name in rx_tcode_buf_size_err_cnt rx_tcode_rxd_corrupt_cnt; do
        [ "$(counter $name)" -gt 3 ] || fail "$name is $(counter $name)"
    done
    quiet
}

# Runs twice: the first machine is killed in the middle of traffic, the second finds the card as after power-on.
test_killed() {
    load
    up
    if ! grep -q again /proc/cmdline; then
        for stream in 1 2 3 4; do
            ping -s 1472 -i 0.002 $HOST >/dev/null &
        done
        sleep 3
        echo "@kill"
        sleep 60
    fi
    ping_all 20 1472
    iperf -t 2
    iperf -t 2 -R
    self=$(ethtool -t eth0 offline) || fail "ethtool -t: $self"
    up
    ping_all 10 56
    quiet
}
