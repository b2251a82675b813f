#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The kernel refuses memory, and access to user memory, to the tests: first each
# single time in turn (faultinject.c), then at random to whole programs. Prints
# KTAP. Needs a kernel with fault injection, and faultinject, abi and stress
# beside it.
debug=/sys/kernel/debug
number=0
failed=0
# Another program's list, which is none of this one's.
commented() { sed '/^KTAP version/d; s/^/# /' "$1"; }

result() { # status, name, [file with what was said]
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number $2"
		return
	fi
	failed=1
	[ -z "$3" ] || commented "$3"
	echo "not ok $number $2"
}

echo "KTAP version 1"
if [ ! -w $debug/failslab/probability ]; then
	echo "1..0 # SKIP this kernel has no fault injection; lab/kernels has one that has"
	exit 0
fi
kinds="failslab fail_page_alloc fail_usercopy"
for kind in $kinds; do
	# A word about each would bury the kernel's log.
	echo 0 >$debug/$kind/verbose
	echo 0 >$debug/$kind/probability
	echo Y >$debug/$kind/task-filter
	echo -1 >$debug/$kind/times
done
# Else only what may not sleep is refused, and of pages only several in a row.
echo N >$debug/failslab/ignore-gfp-wait
echo N >$debug/fail_page_alloc/ignore-gfp-wait
echo 0 >$debug/fail_page_alloc/min-order

{
	./faultinject 2>&1
	echo $? >/tmp/status
} | while IFS= read -r line; do echo "    $line"; done
result "$(cat /tmp/status)" "each refusal in turn"

# Random ones, to a program and its children; how it ends is no matter, that it
# ends is. Status 137: killed at the limit. 139 and the like: it dies as the
# kernel tells it memory is short.
with_percent() { # percent, number of the process
	for kind in $kinds; do echo "$1" >$debug/$kind/probability; done
	wait "$2"
	status=$?
	for kind in $kinds; do echo 0 >$debug/$kind/probability; done
	return $status
}

at_random() { # percent, seconds, program...
	percent=$1
	limit=$2
	shift 2
	(
		echo 1 >/proc/self/make-it-fail
		exec timeout -s KILL "$limit" "$@"
	) >/tmp/random 2>&1 &
	# Not before it runs: it would be refused its own start.
	tries=0
	until pidof "${1#./}" >/dev/null || ! kill -0 $! || [ $tries = 6000 ]; do
		sleep 0.01
		tries=$((tries + 1))
	done
	with_percent "$percent" $!
}

ended=0
for percent in 1 2 3 4 1 2 3 4 1 2 3 4; do
	at_random $percent 300 ./abi
	[ $? = 137 ] || ended=$((ended + 1))
done
[ $ended = 12 ]
result $? "twelve times the interface with refusals at random: it ends" /tmp/random

# It has itself refused what it copies with: calls may fail then, and what one
# calls copied must be there.
timeout -s KILL 300 ./stress refusals >/tmp/random 2>&1 &
with_percent 2 $!
status=$?
commented /tmp/random
result $status "many at once with refusals at random: no wrong byte"

# That one leaves an engine that fails now and then.
rmmod cftu && rmmod swdma && insmod /lab/swdma.ko channels=4 && insmod /lab/cftu.ko &&
	./abi >/tmp/after 2>&1
result $? "the interface keeps its word afterwards" /tmp/after
echo "1..$number"
exit $failed
