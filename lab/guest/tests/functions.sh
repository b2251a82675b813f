#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Function tracers on this kernel: trees below a function, single functions,
# profiles, call paths; that nothing stays set, not after kill -9 either; and
# that somebody else's tracer is left alone. Speaks KTAP.
. "$(dirname "$0")/ktap.sh"
plan 40
tracing=/sys/kernel/tracing
record() {
	pontage trace record "$@" >/tmp/out 2>/tmp/said
	status=$?
}
ended() { [ "$status" = "$1" ] || { echo "status $status"; return 1; }; }
said() { grep -q "$@" /tmp/said; }
empty() {
	grep -v -e '^#' -e '^no pid' -e '^$' "$tracing/$1" || return 0
	echo "$1 is not empty"
	return 1
}
is() {
	[ "$(cat $tracing/$1)" = "$2" ] && return
	echo "$1 is $(head -n 3 $tracing/$1), not $2"
	return 1
}
# As the kernel came up, but for the size of a ring that was used once: the
# kernel rounds it.
untouched() {
	[ -z "$(ls $tracing/instances)" ] || return 1
	is current_tracer nop && is max_graph_depth 0 && is tracing_on 1 && is events/enable 0 &&
		empty set_ftrace_filter && empty set_graph_function && empty set_ftrace_pid &&
		empty set_event_pid && is options/overwrite 1 && is buffer_percent 50 &&
		grep -q '\[local\]' $tracing/trace_clock && empty trace || return 1
	size=$(sed 's/.*expanded: //; s/)//' $tracing/buffer_size_kb)
	[ "$size" -ge 1408 ] && [ "$size" -le 1412 ] || { echo "ring of $size"; return 1; }
}
no_probes() { [ -z "$(cat $tracing/kprobe_events $tracing/synthetic_events)" ]; }
writes() { dd if=/dev/zero of=/tmp/written bs=4k count=40 conv=fsync 2>/dev/null; }
if [ "$1" = load ]; then
	writes
	exit 7
fi
me=$PWD/$0
cd /tmp || exit 1

record --graph ksys_write,vfs_fsync_range --depth 6 -o graph.dat -- "$me" load
check "a tree is recorded, and the command's status handed on" ended 7
mkdir $tracing/instances/try
if grep -q function_graph $tracing/instances/try/available_tracers; then
	rmdir $tracing/instances/try
	check "in an instance" eval "! said 'top-level ring buffer'"
else
	rmdir $tracing/instances/try
	check "in the machine's own ring, and that is said" said 'top-level ring buffer'
fi
check "everything is as it was" untouched
pontage trace profile graph.dat --format json >profile.json 2>/tmp/said
hits() { sed 's/},{/}\n{/g' "$2" | grep "\"function\":\"$1\"" | grep -o '"hits":[0-9]*' | head -n 1 | cut -d: -f2; }
lines() { tr -d ' \n' <"$1" >"$1.flat"; }
lines profile.json
check "the profile has the 40 writes" eval '[ "$(hits vfs_write profile.json.flat)" -ge 40 ]'
check "and the synchronisation" eval '[ "$(hits vfs_fsync_range profile.json.flat)" -ge 1 ]'
pontage trace callpath graph.dat --root ksys_write --least 0 >path.txt 2>/tmp/said
# Which child is the costliest is the host's matter: it may stop the guest in any call.
check "the call path goes down from the root" grep -q '^costliest path: ksys_write -> [^ ]' path.txt
below() {
	grep -qE ' [> ] ksys_write( |$)' path.txt && grep -qE ' [> ]   vfs_write( |$)' path.txt &&
		grep -qE ' [> ]     [a-z_]*_file_write_iter( |$)' path.txt
}
check "callees stand below their callers" below
check "by name" eval "! grep -q 0xffff path.txt"

# The fixtures of fixtures/traces: to the host's folder and back, which sleeps.
# Where the host stops the guest at the wrong moment its answer is there before the
# guest looks, and nobody sleeps: then again.
sleeping() {
	record --graph vfs_write,vfs_fsync_range --depth 8 -o sync.dat -- \
		dd if=/dev/zero of=/out/synced bs=4k count=6 conv=fsync
	[ "$status" = 0 ] || return
	pontage trace callpath sync.dat --root vfs_fsync_range >sync.txt 2>/tmp/said
}
slept() { grep -q 'vfs_fsync_range  (.* off the CPU)' sync.txt; }
for try in 1 2 3 4 5 6 7 8 9 10; do
	sleeping
	[ "$status" = 0 ] && ! slept || break
done
check "a path that sleeps is recorded" ended 0
check "and its time off the CPU told" slept

record --functions 'vfs_write,vfs_fsync_range' -o only.dat -- "$me" load
check "single functions" ended 7
pontage trace profile only.dat --format json >only.json 2>/tmp/said
lines only.json
check "and no others" eval '[ "$(grep -o "\"function\":" only.json.flat | wc -l)" = 2 ]'
check "everything is as it was" untouched

record --functions '*' -o all.dat -- true
check "a filter that names nearly all is refused" eval 'ended 2 && said "functions all"'
record --graph vfs_wirte -o all.dat -- true
check "an unknown function is answered with the nearest" eval 'ended 77 && said vfs_write'

# Somebody else's tracer, of one function: to patch all of them takes a guest long.
echo vfs_read >$tracing/set_ftrace_filter
echo vfs_read >$tracing/set_graph_function
echo function_graph >$tracing/current_tracer
record --graph ksys_write -o other.dat -- true
check "another tracer is refused by name" eval 'ended 2 && said -e "tracer function_graph is active" -e set_graph_function'
check "and goes on" eval 'is current_tracer function_graph && is set_graph_function vfs_read'
echo nop >$tracing/current_tracer
echo >$tracing/set_graph_function
echo >$tracing/set_ftrace_filter
echo >$tracing/trace
check "everything is as it was" untouched

# Killed, with and without the second process that puts things back.
killable() {
	pontage trace record "$@" 2>/tmp/said &
	pid=$!
	shift 3
	soon spooled "$1.spool"
}
# Tracing is on at some time, and the rings are emptied at some time later: writes
# until then.
spooled() {
	echo something >/tmp/written
	[ -n "$(find "$1" -name 'cpu*.raw' -size +0 2>/dev/null)" ]
}
killable --graph ksys_write -o killed.dat
check "while it records the limits are set" is set_graph_function ksys_write
kill -9 $pid
wait $pid 2>/dev/null
check "everything is as it was after kill -9" soon untouched
killable --functions vfs_write -o killed2.dat
for p in /proc/[0-9]*; do
	tr '\0' ' ' <"$p/cmdline" 2>/dev/null | grep -q __caretaker && kill -9 "${p#/proc/}"
done
kill -9 $pid
wait $pid 2>/dev/null
limited() { grep -qx vfs_write $tracing/set_ftrace_filter $tracing/instances/*/set_ftrace_filter; }
check "without its caretaker it stays limited" limited
pontage restore >/tmp/said 2>&1
check "restore puts it back" untouched
check "what a killed recording had is completed" pontage trace record --recover killed.dat.spool
pontage trace profile killed.dat >killed.txt 2>/tmp/said
check "with the names of its functions" grep -q '^ksys_write ' killed.txt
for by in graph kprobes; do
	pontage trace profile --by $by --functions vfs_write,vfs_fsync_range --format json \
		-- "$me" load >$by.json 2>/tmp/said
	status=$?
	check "a profile of the running kernel by $by" ended 7
	lines $by.json
	check "with the 40 writes" eval '[ "$(hits vfs_write $by.json.flat)" -ge 40 ]'
	check "everything is as it was" untouched
	check "and there are no probes" no_probes
done
pontage trace profile --functions vfs_write --by-cpu -- "$me" load >first.txt 2>/tmp/said
check "the first method of this kernel is told" said "by function_graph"
pontage trace profile --by profile --functions vfs_write -- true 2>/tmp/said
status=$?
check "a method that it lacks is refused" eval '! ended 0'
pontage trace profile --by kprobes --functions vfs_write -- sleep 1000 2>/tmp/said &
pid=$!
counting() { grep -q ns.log2 $tracing/instances/*/events/synthetic/*/trigger; }
soon counting
check "while it goes on there are probes" grep -q 'vfs_write$' $tracing/kprobe_events
kill -9 $pid
wait $pid 2>/dev/null
check "and none after kill -9" soon no_probes
check "everything is as it was" soon untouched
pontage run trace/profile --full --processes 1 --budget-ms 1 --out /tmp/run >/tmp/run.txt 2>/tmp/said
status=$?
check "the experiment runs" ended 0
# On tmpfs a page stays writable after msync, so that there is no second fault.
check "and has times of every function but one" grep -q 'Not measured, 1 of 10 points: ' /tmp/run.txt
check "everything is as it was" untouched
cp /tmp/*.dat /tmp/*.json /tmp/*.txt /out/ 2>/dev/null
exit $failed
