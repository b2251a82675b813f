#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The recorder on this kernel: events of a command, sets, filters, triggers,
# gaps, and that nothing stays switched on after kill -9. Speaks KTAP.
. "$(dirname "$0")/ktap.sh"
plan 13
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
check "interrupts of a command" pontage trace interrupts -- sleep 0.2
pontage doctor >/tmp/doctor 2>&1
check "the doctor knows the events" grep -q '^ trace events  *available' /tmp/doctor
cp /tmp/*.dat /tmp/doctor /out/ 2>/dev/null
exit $failed
