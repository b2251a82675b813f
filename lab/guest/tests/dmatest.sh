#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The kernel's own DMA test on every channel that can copy, as KTAP. It is
# loaded idle; each channel is run by itself and judged by its summary.
#   dmatest.sh [ITERATIONS]
iterations=${1:-20}
parameters=/sys/module/dmatest/parameters
echo "KTAP version 1"
if [ ! -d $parameters ]; then
	echo "1..1"
	echo "not ok 1 dmatest is loaded"
	exit 1
fi
channels=$(ls /sys/class/dma 2>/dev/null)
if [ -z "$channels" ]; then
	echo "1..0 # SKIP no DMA channel"
	exit 0
fi
echo "1..$(echo "$channels" | wc -l)"
echo "$iterations" >$parameters/iterations
# No copy takes so long, however busy the machine.
echo 120000 >$parameters/timeout
# One line a thread, and no more.
echo N >$parameters/verbose
number=0
failed=0
# dmatest's own "wait" takes a thread that has not yet begun for one that has ended:
# it is asked once the summary is there. Longer than dmatest waits for a copy.
summary_of() {
	tries=0
	until dmesg | grep -q 'dmatest: .*summary' || [ $tries = 600 ]; do
		sleep 0.5
		tries=$((tries + 1))
	done
	cat $parameters/wait >/dev/null
	dmesg | grep 'dmatest: .*summary' | sed 's/.*summary/summary/'
}
for channel in $channels; do
	number=$((number + 1))
	dmesg -c >/dev/null
	# Refused where somebody else has the channel.
	if ! echo "$channel" >$parameters/channel 2>/dev/null ||
		! dmesg | grep -q "Added 1 threads using $channel"; then
		echo "ok $number $channel # SKIP the channel cannot be taken"
		continue
	fi
	echo 1 >$parameters/run
	summary=$(summary_of)
	echo "# $channel: $summary"
	case $summary in
	"summary $iterations tests, 0 failures"*) echo "ok $number $channel" ;;
	*)
		echo "not ok $number $channel"
		failed=1
		;;
	esac
done
exit $failed
