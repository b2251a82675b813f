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
	echo "ok $number $1 # SKIP $2"
}
commented() { sed 's/^/# /'; }

echo "KTAP version 1"
for module in "$@"; do
	if [ -d "/sys/module/$module" ]; then
		# Whose the addresses in a report were.
		grep "^$module " /proc/modules | commented
		rmmod "$module" 2>&1 | commented
	fi
	[ ! -d "/sys/module/$module" ]
	result $? "$module is out"
done

# What is younger than five seconds is no leak yet; a second look spares what
# was on its way from one place to another during the first.
if [ -w $debug/kmemleak ]; then
	# It refuses to look once it has switched itself off.
	sleep 6 && echo scan >$debug/kmemleak && sleep 6 && echo scan >$debug/kmemleak
	result $? "memory is watched"
	cat $debug/kmemleak >/tmp/leaks
	commented </tmp/leaks
	[ ! -s /tmp/leaks ]
	result $? "no memory is lost"
else
	skip "memory is watched" "this kernel has no kmemleak"
	skip "no memory is lost" "this kernel has no kmemleak"
fi

# It goes off for good at the first thing it finds.
if [ -r /proc/lockdep_stats ]; then
	grep -q "debug_locks: *1" /proc/lockdep_stats
	result $? "locks are still watched"
	grep -E "lock-classes|dependency chains|max lock|debug_locks" /proc/lockdep_stats | commented
else
	skip "locks are still watched" "this kernel has no lockdep"
fi

off=
if [ ! -r $debug/dma-api/error_count ]; then
	off="this kernel has no DMA API debugging"
elif [ "$(cat $debug/dma-api/disabled)" != N ]; then
	# Refused memory, as a test may have it, it ends its watch.
	off="DMA API debugging has switched itself off"
fi
if [ -z "$off" ]; then
	[ "$(cat $debug/dma-api/error_count)" = 0 ]
	result $? "no mapping for DMA was wrong"
	cat $debug/dma-api/dump | commented
	[ -z "$(cat $debug/dma-api/dump)" ]
	result $? "no mapping for DMA is left"
else
	skip "no mapping for DMA was wrong" "$off"
	skip "no mapping for DMA is left" "$off"
fi
echo "1..$number"
exit $failed
