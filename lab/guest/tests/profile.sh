#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The kernel's own function profile (CONFIG_FUNCTION_PROFILER) as the first method
# of pontage trace profile. Speaks KTAP.
. "$(dirname "$0")/ktap.sh"
plan 9
tracing=/sys/kernel/tracing
is() { [ "$(cat $tracing/$1)" = "$2" ]; }
untouched() {
	is function_profile_enabled 0 && is current_tracer nop &&
		grep -q '^####' $tracing/set_ftrace_filter && [ -z "$(ls $tracing/instances)" ]
}
hits() { awk -v name="$1" '$1 == name {print $2}' /tmp/profile; }
profile() {
	pontage trace profile "$@" >/tmp/profile 2>/tmp/said
	status=$?
}
writes="dd if=/dev/zero of=/tmp/written bs=4k count=40 conv=fsync"
cd /tmp || exit 1
profile --functions vfs_write,vfs_fsync_range -- $writes
check "functions of a command" test $status = 0
check "by the kernel's own profile" grep -q 'by function_profile_enabled' /tmp/said
check "with the 40 writes" eval '[ "$(hits vfs_write)" -ge 40 ]'
check "and no others" eval '[ "$(wc -l </tmp/profile)" = 3 ]'
check "everything is as it was" untouched
profile --by graph --functions vfs_write -- $writes
check "function_graph has as many" eval '[ "$(hits vfs_write)" -ge 40 ]'
echo 1 >$tracing/function_profile_enabled
profile --functions vfs_write -- true
check "somebody else's profile is left on" eval '[ $status = 2 ] && is function_profile_enabled 1'
echo 0 >$tracing/function_profile_enabled
pontage trace profile --functions vfs_write -- sleep 1000 2>/tmp/said &
pid=$!
soon is function_profile_enabled 1
check "while it goes on it is limited" is set_ftrace_filter vfs_write
kill -9 $pid
wait $pid 2>/dev/null
check "everything is as it was after kill -9" soon untouched
exit $failed
