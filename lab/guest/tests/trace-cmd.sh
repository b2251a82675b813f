#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Small files of version 7 by trace-cmd itself: uncompressed, zlib and zstd; events
# with stacks and with an instance, functions, call graphs, stamps of the time stamp
# counter with their scale; and what it says of each. Left in /out/trace-cmd for
# fixtures/traces. Speaks KTAP.
#
# Debian 12's trace-cmd knows zstd alone. A newer one (Debian 13's), with its
# libraries and its ld.so, is taken from the host's /opt/trace-cmd, if it is there.
. ./ktap.sh
out=/out/trace-cmd
mkdir -p $out /tmp/tc
if [ -e /host/opt/trace-cmd/trace-cmd ]; then
	cp /host/opt/trace-cmd/* /tmp/tc/
	trace_cmd() { /tmp/tc/ld-linux-x86-64.so.2 --library-path /tmp/tc /tmp/tc/trace-cmd "$@"; }
else
	trace_cmd() { ./trace-cmd "$@"; }
fi

work='i=0; while [ $i -lt 3 ]; do dd if=/dev/zero bs=3000 count=2 2>/dev/null | dd of=/dev/null bs=3000 2>/dev/null; i=$((i+1)); done'

# record NAME ARGUMENTS...
record() {
	name=$1
	shift
	trace_cmd record -q -o /tmp/$name.dat "$@" sh -c "$work" >/tmp/said 2>&1 || return 1
	# The kernel's own sentences: no plugin has a say in them.
	trace_cmd report -t -N -i /tmp/$name.dat >/tmp/$name.txt 2>>/tmp/said || return 1
	cp /tmp/$name.dat $out/$name.dat && gzip -9 -n -c /tmp/$name.txt >$out/$name.txt.gz
}

# The symbols of functions that were seen before: all of them would be megabytes.
# Whose symbol is not there has the name of another one.
symbols() {
	rm -f /tmp/names
	for arguments in "-p function -l vfs_* -l ksys_*" \
		"-p function_graph -g ksys_write --max-graph-depth 4" "-e sched:sched_switch -T"; do
		# shellcheck disable=SC2086 # words
		trace_cmd record -q -o /tmp/first.dat $arguments sh -c "$work; $work" >/tmp/said 2>&1
		trace_cmd report -i /tmp/first.dat 2>/dev/null | tr -c 'a-zA-Z0-9_.\n' '\n' >>/tmp/names
	done
	awk 'NR == FNR { wanted[$1]; next } $3 in wanted' /tmp/names /proc/kallsyms >/tmp/kallsyms
	[ -s /tmp/kallsyms ] && mount --bind /tmp/kallsyms /proc/kallsyms
}

set -f
plan 7
uname -a >$out/uname
trace_cmd --version >$out/version 2>&1
check "symbols" symbols
check "events and stacks, uncompressed" record tc-none --compression none -e sched:sched_switch -T
check "events and an instance, zlib" record tc-zlib --compression zlib -e sched -e irq -B net -e raw_syscalls:sys_enter
check "functions, zstd" record tc-function --compression zstd -p function -l 'vfs_*' -l 'ksys_*'
check "call graph, zlib" record tc-graph --compression zlib -p function_graph -g ksys_write --max-graph-depth 4
check "the time stamp counter, zstd" record tc-tsc --compression zstd -C x86-tsc --tsc2nsec -e sched:sched_switch -e sched:sched_waking
check "files" ls $out/tc-none.dat $out/tc-zlib.dat $out/tc-function.dat $out/tc-graph.dat
ls -l $out | sed 's/^/# /'
sed 's/^/# /' /tmp/said
exit $failed
