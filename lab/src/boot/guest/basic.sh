# Tests that any network driver should pass.

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
