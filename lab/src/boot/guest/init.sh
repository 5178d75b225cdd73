#!/bin/busybox sh
# The guest's first and only process: runs the tests it is told to and turns the machine off.
/bin/busybox --install -s /bin
export PATH=/programs:/bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
ip link set lo up
echo "$(uname -sr)"
. /settings
. /tests
for test in $TESTS; do
    echo "@begin $test"
    ( "test_$(echo "$test" | tr - _)" )
    status=$?
    # The next test starts afresh after one that failed in the middle of something.
    [ $status = 0 ] || { dmesg | tail -n 25; rmmod s2io 2>/dev/null; }
    echo "@end $status"
done
poweroff -f
