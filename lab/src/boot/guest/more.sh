# Tests of what this card and its driver have beyond others, and of what can go wrong.

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
        iperf_to 10.9.5.1 -t 2 -R
        iperf_to 10.9.5.1 -t 2
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
        iperf_to 10.9.5.1 -S $((priority * 32)) -n 1M -R
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

# The frames come by themselves; what the stack got goes out by the second serial port. The comparison is made outside.
test_ancestor() {
    load
    up
    tcpdump -Z root -i eth0 -Q in -B 32768 -s 0 -U -w /tmp/units.pcap 'tcp' 2>/tmp/tcpdump &
    sleep 25
    kill -INT %1
    wait
    cat /tmp/tcpdump
    [ "$(counter lro_aggregated_pkts)" -gt 0 ] || fail "nothing was aggregated"
    stty -F /dev/ttyS1 raw
    cat /tmp/units.pcap >/dev/ttyS1
    quiet
}
