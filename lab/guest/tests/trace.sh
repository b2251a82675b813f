#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# A small trace of scheduler, interrupts and timers, recorded with nothing but
# tracefs: the raw pages of each CPU, what describes them, and the kernel's own
# text of the same events. Left in FOLDER (default /out/trace), which
# crates/trace/examples/assemble.rs makes a fixture of. Speaks KTAP.
out=${1:-/out/trace}
root=/sys/kernel/tracing
instance=$root/instances/pontage-fixture
events="sched/sched_switch sched/sched_waking sched/sched_wakeup sched/sched_wakeup_new
sched/sched_process_fork sched/sched_process_exec sched/sched_process_exit
sched/sched_migrate_task irq/irq_handler_entry irq/irq_handler_exit irq/softirq_raise
irq/softirq_entry irq/softirq_exit timer/timer_start timer/timer_cancel
timer/timer_expire_entry timer/timer_expire_exit timer/hrtimer_start timer/hrtimer_cancel
timer/hrtimer_expire_entry timer/hrtimer_expire_exit timer/tick_stop
irq_vectors/local_timer_entry irq_vectors/local_timer_exit raw_syscalls/sys_enter"

echo "KTAP version 1"
echo "1..3"
number=0
failed=0
check() {
	number=$((number + 1))
	description=$1
	shift
	if "$@"; then
		echo "ok $number $description"
	else
		echo "not ok $number $description"
		failed=1
	fi
}

record() {
	mkdir -p "$out" "$instance" || return 1
	echo 0 >$instance/tracing_on
	echo mono >$instance/trace_clock
	# The ring keeps the newest; a fixture shall be small.
	echo 48 >$instance/buffer_size_kb
	for event in $events; do
		[ -e $instance/events/$event/enable ] && echo 1 >$instance/events/$event/enable
	done
	echo 'id == 0 || id == 1 || id == 63 || id == 64' \
		>$instance/events/raw_syscalls/sys_enter/filter
	echo 1 >$instance/tracing_on
	for round in 1 2 3; do
		echo "round $round" >$instance/trace_marker
		sleep 0.02
		dd if=/dev/zero bs=3000 count=4 2>/dev/null | dd of=/dev/null bs=3000 2>/dev/null
	done
	echo 0 >$instance/tracing_on
	for event in $events; do
		[ -e $instance/events/$event/enable ] && echo 0 >$instance/events/$event/enable
	done
	cat $instance/trace >"$out/trace.txt"
	for cpu in $instance/per_cpu/cpu*; do
		name=${cpu##*/}
		cat "$cpu/stats" >"$out/$name.stats"
		dd if="$cpu/trace_pipe_raw" of="$out/$name.raw" bs=4096 2>/dev/null &
		reader=$!
		tries=0
		until all_is_read || [ $tries = 240 ]; do
			sleep 0.5
			tries=$((tries + 1))
		done
		kill $reader
		wait $reader
	done
	return 0
}

# Nothing is left in the ring of $cpu, and its reader sleeps: it waits for more.
all_is_read() {
	grep -q '^entries: 0$' "$cpu/stats" && [ "$(awk '{ print $3 }' /proc/$reader/stat)" = S ]
}

describe() {
	cp $root/events/header_page $root/events/header_event "$out/" || return 1
	for event in $events ftrace/print; do
		[ -e "$root/events/$event/format" ] || continue
		mkdir -p "$out/events/$event"
		cat "$root/events/$event/format" >"$out/events/$event/format"
	done
	cat $root/saved_cmdlines >"$out/saved_cmdlines"
	cat $instance/trace_clock >"$out/trace_clock"
	cat /proc/kallsyms >"$out/kallsyms"
	uname -a >"$out/uname"
}

check "record" record
check "describe" describe
rmdir $instance
check "the kernel's text has events" grep -q 'sched_switch: ' "$out/trace.txt"
exit $failed
