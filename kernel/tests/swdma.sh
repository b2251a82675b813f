#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Proves the software copy engine in a guest, with dmatest as the judge that
# knows nothing of it. Prints KTAP. Needs busybox, root and $MODULES/swdma.ko;
# what needs $MODULES/dmatest.ko or swdma_check.ko is skipped without it.

MODULES=${MODULES:-/modules}
DEBUG=/sys/kernel/debug/swdma
number=0
failed=0
marks=0
COMPLAINTS=/tmp/swdma.complaints
: > $COMPLAINTS

result() { # "ok" or "not ok", name, [comment]
	number=$((number + 1))
	[ "$1" = ok ] || failed=$((failed + 1))
	echo "$1 $number $2${3:+ # $3}"
}

check() { # name, command ...
	name=$1
	shift
	if why=$("$@" 2>&1); then result ok "$name"; else result "not ok" "$name" "$why"; fi
}

say_and_fail() { echo "$*"; return 1; }

counter() { awk -v n="$2" '$1 == n { print $2 }' "$DEBUG/chan$1/counters"; }
rule() { echo "$3" > "$DEBUG/chan$1/$2"; }

is() { # what, found, wanted
	[ "$2" = "$3" ] || say_and_fail "$1 is '$2', not '$3'"
}

# The kernel's lines since the mark; all that are left when the ring has wrapped.
# A complaint is looked for at each mark, before later lines push it out.
BAD="WARNING:|BUG:|Oops|Call [Tt]race|rcu: INFO|Unable to handle"
mark() {
	marks=$((marks + 1))
	dmesg | grep -E "$BAD" >> $COMPLAINTS
	echo "swdma.sh: mark $marks" > /dev/kmsg
}
since_mark() { dmesg | tac | sed "/swdma.sh: mark $marks\$/q" | tac; }

load() {
	mark
	insmod "$MODULES/swdma.ko" "$@" || say_and_fail "insmod swdma.ko $*: $(since_mark)"
}

unload() { rmmod swdma && [ ! -d $DEBUG ]; }

# Waits until each thread dmatest has added has printed its summary. Its own
# "wait" parameter takes a thread that has not yet started for a finished one.
# Longer than dmatest itself waits for a copy, which is longer than it ever takes.
dmatest_done() {
	for tries in $(seq 3000); do
		since_mark | awk '/dmatest: Added/ { a += $(NF - 3) } /: summary / { s++ }
			END { exit !(a && a == s) }' && return 0
		sleep 0.1
	done
	say_and_fail "dmatest did not end: $(since_mark | tail -1)"
}

# Runs dmatest to its end and leaves its summaries: tests and failures, summed.
dmatest() {
	mark
	insmod "$MODULES/dmatest.ko" timeout=120000 "$@" || return 1
	echo 1 > /sys/module/dmatest/parameters/run && dmatest_done
	status=$?
	rmmod dmatest
	set -- $(since_mark | sed -n 's/.*summary \([0-9]*\) tests, \([0-9]*\) failures.*/\1 \2/p' |
		awk '{ t += $1; f += $2 } END { print t + 0, f + 0 }')
	tests=$1 failures=$2
	return $status
}

dmatest_clean() { # tests wanted, parameters ...
	wanted=$1
	shift
	dmatest "$@" || return 1
	is "the number of tests" "$tests" "$wanted" && is "failures" "$failures" 0
}

case_load() {
	load channels=3 devices=2 || return 1
	is "the number of channels" "$(ls -d $DEBUG/chan* | wc -l)" 6 || return 1
	[ -e /sys/bus/platform/drivers/swdma/swdma.1 ] || say_and_fail "swdma.1 is not bound" || return 1
	name=$(cat $DEBUG/chan5/name)
	[ -d "/sys/class/dma/$name" ] || say_and_fail "no /sys/class/dma/$name" || return 1
	unload
}

refused() { # parameters that must not load, and whose refusal must be explained
	mark
	if insmod "$MODULES/swdma.ko" "$@" 2>/dev/null; then
		rmmod swdma
		say_and_fail "it loaded"
		return 1
	fi
	since_mark | grep -q "swdma: cannot load" || say_and_fail "nothing in the log says why"
}

case_rules() {
	load channels=1 delay_ns=5 || return 1
	is "delay_ns" "$(cat $DEBUG/chan0/delay_ns)" 5 || return 1
	if rule 0 fail_result 0 2>/dev/null; then say_and_fail "fail_result took 0"; return 1; fi
	if rule 0 disorder_window 4 2>/dev/null; then say_and_fail "an ordered channel took a window"; return 1; fi
	rule 0 delay_ns 7 && rule 0 reset 1 || return 1
	is "delay_ns after the reset" "$(cat $DEBUG/chan0/delay_ns)" 5 && unload
}

with_load() { # load parameters, --, command ...
	given=
	while [ "$1" != -- ]; do given="$given $1"; shift; done
	shift
	load $given || return 1
	"$@"
	status=$?
	rmmod swdma || say_and_fail "rmmod swdma" || return 1
	return $status
}

one_channel() {
	dmatest_clean 50 iterations=50 || return 1
	is "submitted" "$(counter 0 submitted)" 50 && is "callbacks" "$(counter 0 callbacks)" 50 &&
		is "descriptors" "$(counter 0 descriptors)" 50 && is "prepared" "$(counter 0 prepared)" 50 &&
		is "depth" "$(counter 0 depth)" 0
}

failing() { # what dmatest must say of each fifth descriptor
	rule 0 fail_every 5 && rule 0 fail_result 1 || return 1
	dmatest iterations=50 || return 1
	is "failures" "$failures" 10 && is "errors_injected" "$(counter 0 errors_injected)" 10 || return 1
	is "lines with '$1'" "$(since_mark | grep -c "$1")" 10
}

half() {
	rule 0 fail_every 1 && rule 0 fail_half 1 || return 1
	dmatest iterations=10 transfer_size=8192 || return 1
	is "failures" "$failures" 10 && is "bytes" "$(counter 0 bytes)" 40960
}

prep_failing() {
	rule 0 prep_fail_every 4 || return 1
	dmatest iterations=20 || return 1
	is "failures" "$failures" 5 && is "prep_injected" "$(counter 0 prep_injected)" 5
}

# The third copy hangs, and dmatest waits for it up to its limit: a short one is
# tried first. Where the machine stands still, good copies run into it too and tell
# nothing of the engine: then with a longer one.
hanging() {
	for limit in 1000 10000 90000; do
		rule 0 reset 1 && rule 0 hang_at 3 || return 1
		dmatest iterations=3 timeout=$limit || return 1
		[ "$failures" -gt 1 ] || break
	done
	is "failures" "$failures" 1 && is "dropped" "$(counter 0 dropped)" 1 &&
		is "time-outs of the third" "$(since_mark | grep -c "#3: 'test timed out'")" 1
}

losing() {
	rule 0 lost 1 || return 1
	dmatest iterations=3 || return 1
	is "failures" "$failures" 3 && is "bytes" "$(counter 0 bytes)" 0 &&
		is "prep_refused" "$(counter 0 prep_refused)" 3
}

changing() { # delays and disorder move about under eight verifying threads
	while sleep 0.02; do
		for ns in 30000 0 700000; do
			rule 0 delay_ns $ns && rule 1 ns_per_kib $((ns / 10)) &&
				rule 0 disorder_window $((1 + ns % 7)) && rule 1 disorder_shuffle $((ns > 0))
		done
	done &
	changer=$!
	dmatest_clean 800 iterations=100 threads_per_chan=4
	verdict=$?
	# Not one rule more: the next engine is another case's.
	kill $changer
	wait $changer
	return $verdict
}

interrupt_needed() { dmatest_clean 20 iterations=20; }

ours() { # our own client, for what dmatest does not use
	mark
	insmod "$MODULES/swdma_check.ko" "$@" || say_and_fail "swdma_check.ko: $(since_mark | tail -1)" || return 1
	rmmod swdma_check
	since_mark | grep "swdma_check: not ok" && return 1
	since_mark | grep -q "swdma_check: ok"
}

log_is_clean() {
	mark
	[ ! -s $COMPLAINTS ] || say_and_fail "$(head -1 $COMPLAINTS)"
}

judged() { # name, load parameters, --, command ...
	if [ -e "$MODULES/$needs" ]; then
		name=$1
		shift
		check "$name" with_load "$@"
	else
		result ok "$1" "SKIP no $MODULES/$needs; $remedy"
	fi
}

grep -q " $(dirname $DEBUG) " /proc/mounts || mount -t debugfs none "$(dirname $DEBUG)"
echo on > /proc/sys/kernel/printk_devkmsg 2>/dev/null
echo "KTAP version 1"
[ -e "$MODULES/swdma.ko" ] || { echo "1..0 # SKIP no $MODULES/swdma.ko; build it: make -C kernel modules"; exit 0; }
check "loads, two devices of three channels, unloads" case_load
check "refuses no channel" refused channels=0
check "refuses 65 channels" refused channels=65
check "refuses disorder on an ordered device" refused disorder_window=4
check "refuses a NUMA node that is not there" refused node=63
check "rules: defaults, refusals, reset" case_rules

needs=dmatest.ko
remedy="build drivers/dma/dmatest.c of the kernel's source package"
judged "dmatest, one channel" channels=1 -- one_channel
judged "dmatest, four channels, two threads each" channels=4 -- dmatest_clean 160 iterations=20 threads_per_chan=2
judged "dmatest, two devices" devices=2 channels=2 -- dmatest_clean 80 iterations=20
judged "dmatest, a ring of one" channels=1 ring=1 -- dmatest_clean 40 iterations=40
judged "dmatest, aligned to 64 bytes" channels=1 copy_align=6 -- dmatest_clean 20 iterations=20
judged "dmatest, delay and bandwidth" channels=2 delay_ns=200000 ns_per_kib=5000 -- dmatest_clean 40 iterations=20
judged "dmatest, out of order" channels=2 no_order=1 -- dmatest_clean 160 iterations=20 threads_per_chan=4
judged "dmatest, shuffled" channels=2 no_order=1 disorder_shuffle=1 -- dmatest_clean 160 iterations=20 threads_per_chan=4
judged "dmatest, inline" channels=2 inline_copy=1 -- dmatest_clean 80 iterations=20 threads_per_chan=2
judged "dmatest while the rules change" channels=2 no_order=1 -- changing
judged "dmatest, callbacks only with an interrupt" channels=1 callback_needs_interrupt=1 -- interrupt_needed
judged "dmatest reads each fifth failure in the status" channels=1 -- failing "completion error status"
judged "dmatest finds each fifth failure in the data" channels=1 errors_in_status=0 -- failing "data error"
judged "dmatest sees half copies" channels=1 -- half
judged "dmatest sees refused preps" channels=1 -- prep_failing
judged "dmatest times out on a hang, which is dropped" channels=1 -- hanging
judged "dmatest times out on a hang, inline" channels=1 inline_copy=1 -- hanging
judged "dmatest gets nothing from a lost channel" channels=1 -- losing

needs=swdma_check.ko
remedy="build it: make -C kernel modules"
judged "pause, terminate, results, reuse, order" channels=1 -- ours
judged "pause, terminate, residue inside slow transfers" channels=1 ns_per_kib=200000 -- ours slow=1
for result in 1 2 3; do
	judged "callback_result $result, residue, half a copy" channels=1 fail_every=2 fail_half=1 fail_result=$result -- ours fail_result=$result
done
judged "pause, terminate, results, reuse, order, inline" channels=1 inline_copy=1 -- ours inline_copy=1
judged "out of order really" channels=1 no_order=1 -- ours no_order=1
check "the kernel's log is clean" log_is_clean
echo "1..$number"
[ "$failed" = 0 ]
