#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The recorder on this kernel: events of a command, sets, filters, triggers,
# gaps, and that nothing stays switched on after kill -9. Speaks KTAP.
. "$(dirname "$0")/ktap.sh"
plan 25
tracing=/sys/kernel/tracing
instances() { [ -z "$(ls $tracing/instances)" ]; }
record() { pontage trace record "$@" >/tmp/out 2>/tmp/said; }
ping_pong() {
	mkfifo /tmp/a /tmp/b
	(exec 3</tmp/a 4>/tmp/b; i=0; while [ $i -lt 300 ]; do read x <&3; echo >&4; i=$((i+1)); done) &
	exec 3>/tmp/a 4</tmp/b
	i=0
	while [ $i -lt 300 ]; do echo >&3; read x <&4; i=$((i+1)); done
	wait
}
if [ "$1" = load ]; then
	ping_pong
	exit 7
fi
cd /tmp || exit 1
record -o all.dat -- "$OLDPWD/$0" load
check "a recording hands the command's status on" test $? = 7
check "its file is a trace.dat" grep -q tracing all.dat
many() { [ "$(awk '$1 == "all" {print $2}' /tmp/said)" -ge 600 ]; }
check "it has the switches of 300 round trips" many
none() { [ "$(awk '$1 == "all" {print $NF}' /tmp/said)" = 0 ]; }
check "nothing is lost" none
check "nothing stays" instances
record -e 'sched_switch if prev_pid == 0' -e 'sched_waking trigger stacktrace' -e 'irq:softirq_*' \
	--pid 1 --seconds 0.3 -o some.dat
check "filter, trigger, glob, task" test $? = 0
record -e 'sched_switch if nothing == 1'
check "a bad filter is refused" test $? = 2
check "in the kernel's words" grep -q 'Field not found' /tmp/said
check "and nothing stays" instances
pontage trace record -o killed.dat 2>/tmp/said &
pid=$!
spooled() { [ -n "$(find killed.dat.spool -name 'cpu*.raw' -size +0)" ]; }
soon spooled
kill -9 $pid
wait $pid 2>/dev/null
check "nothing stays after kill -9" soon instances
check "what a killed recording had is completed" pontage trace record --recover killed.dat.spool
# A recorder that cannot read leaves everything in the rings.
caretakers() {
	for p in /proc/[0-9]*; do
		tr '\0' ' ' <"$p/cmdline" 2>/dev/null | grep -q __caretaker && echo "${p#/proc/}"
	done
}
# An instance is on from its birth; the recorder switches it off, the event on, and
# it on again when all is ready. So the event is looked at first.
is_on() {
	ring=$tracing/instances/pontage-$pid
	[ "$(cat $ring/events/sched/sched_process_exec/enable 2>/dev/null)" = 1 ] &&
		[ "$(cat $ring/tracing_on 2>/dev/null)" = 1 ]
}
filled() {
	pontage trace record -e sched:sched_process_exec -o "$1" 2>/tmp/said &
	pid=$!
	soon is_on
	kill -STOP $pid
	i=0
	while [ $i -lt 40 ]; do /bin/busybox true; i=$((i+1)); done
}
killed() {
	kill -9 $1
	wait $pid 2>/dev/null
}
recovered() {
	pontage trace record --recover "$1.spool" >/tmp/said 2>&1 &&
		[ "$(pontage trace report "$1" 2>/dev/null | grep -c sched_process_exec)" -ge 40 ]
}
filled ring1.dat
pontage trace record --recover ring1.dat.spool >/tmp/said 2>&1
check "a recording that runs is not recovered" grep -q 'still being written' /tmp/said
killed $pid
check "its caretaker removes the instance" soon instances
check "after it has kept what the rings held" recovered ring1.dat
filled ring2.dat
killed "$(caretakers) $pid"
check "without a caretaker the instance stays" eval '! instances'
pontage doctor --all >/tmp/doctor 2>&1
check "the doctor says so" grep -q '^pending: .*pontage restore' /tmp/doctor
check "recovering empties the rings that are still there" recovered ring2.dat
pontage restore >/tmp/said 2>&1
check "and restore removes the instance" instances
filled ring3.dat
killed "$(caretakers) $pid"
pontage restore >/tmp/said 2>&1
check "restore empties the rings" grep -q 'the rest of the ring buffers' /tmp/said
check "before it removes the instance" instances
check "and nothing is lost" recovered ring3.dat
pontage doctor --all >/tmp/doctor 2>&1
check "nothing is pending" eval '! grep -q ^pending: /tmp/doctor'
check "and there is no journal" eval '[ -z "$(ls /var/lib/pontage)" ]'
check "interrupts of a command" pontage trace interrupts -- sleep 0.2
pontage doctor --all >/tmp/doctor 2>&1
check "the doctor knows the events" grep -q '^ trace events  *available' /tmp/doctor
cp /tmp/*.dat /tmp/doctor /out/ 2>/dev/null
exit $failed
