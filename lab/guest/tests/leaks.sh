#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The last test on a kernel that checks itself: takes the modules out and asks
# each checker for what it saw all along. As KTAP.
#   leaks.sh [MODULE]...     in the order in which they can go
debug=/sys/kernel/debug
number=0
failed=0
result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number $2"
	else
		echo "not ok $number $2"
		failed=1
	fi
}
skip() {
	number=$((number + 1))
	echo "ok $number $1 # SKIP this kernel has no $2"
}
commented() { sed 's/^/# /'; }

echo "KTAP version 1"
for module in "$@"; do
	if [ -d "/sys/module/$module" ]; then
		rmmod "$module" 2>&1 | commented
	fi
	[ ! -d "/sys/module/$module" ]
	result $? "$module is out"
done

# What is younger than five seconds is no leak yet; a second look spares what
# was on its way from one place to another during the first.
if [ -w $debug/kmemleak ]; then
	sleep 6
	echo scan >$debug/kmemleak
	sleep 6
	echo scan >$debug/kmemleak
	cat $debug/kmemleak >/tmp/leaks
	commented </tmp/leaks
	[ ! -s /tmp/leaks ]
	result $? "no memory is lost"
else
	skip "no memory is lost" kmemleak
fi

# It goes off for good at the first thing it finds.
if [ -r /proc/lockdep_stats ]; then
	grep -q "debug_locks: *1" /proc/lockdep_stats
	result $? "locks are still watched"
	grep -E "lock-classes|dependency chains|max lock|debug_locks" /proc/lockdep_stats | commented
else
	skip "locks are still watched" lockdep
fi

if [ -r $debug/dma-api/error_count ]; then
	[ "$(cat $debug/dma-api/error_count)" = 0 ] && [ "$(cat $debug/dma-api/disabled)" = N ]
	result $? "no mapping for DMA was wrong"
	cat $debug/dma-api/dump | commented
	[ -z "$(cat $debug/dma-api/dump)" ]
	result $? "no mapping for DMA is left"
else
	skip "no mapping for DMA was wrong" "DMA API debugging"
	skip "no mapping for DMA is left" "DMA API debugging"
fi
echo "1..$number"
exit $failed
