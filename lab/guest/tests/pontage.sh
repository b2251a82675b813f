#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Pontage in a guest: it sees that the processor is emulated and says so of what
# it measured.
echo "KTAP version 1"
echo "1..3"
failed=0
result() {
	[ "$2" = 0 ] && echo "ok $1 $3" && return
	echo "not ok $1 $3"
	failed=1
}
pontage run syscall/getppid --quick --out /tmp/runs >/tmp/said 2>&1
result 1 $? "a run"
grep -q "^!! emulated processor, QEMU TCG" /tmp/said
result 2 $? "the terminal says emulated"
grep -q '"emulated": *"QEMU TCG' /tmp/runs/*/run.json
result 3 $? "the record says emulated"
[ $failed = 0 ] || sed 's/^/# /' /tmp/said
cp -r /tmp/runs /out/ 2>/dev/null
exit $failed
