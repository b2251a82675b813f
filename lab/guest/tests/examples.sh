#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Leaves the records of examples/ in /out: what a guide shows where a reader's machine has no
# module and no engine. Speaks KTAP.
. "$(dirname "$0")/ktap.sh"
plan 2
said=/out/said
load() {
	while :; do
		ls -lR /proc/sys /sys/class >/dev/null 2>&1
		dd if=/dev/zero of=/tmp/file bs=64k count=40 2>/dev/null
		cat /tmp/file | dd of=/dev/null bs=3000 2>/dev/null
		sleep 1
	done
}
measure() {
	pontage run 'offload/*' --quick --processes 2 --budget-ms 20 --out /tmp/offload </dev/null >$said 2>&1
}
check "copies by DMA" measure
load &
loading=$!
copies() {
	pontage copies --seconds 10 --records --out /tmp/copies >>$said 2>&1
}
check "ten seconds of copies" copies
kill $loading
cp -r /tmp/offload /tmp/copies /out/
exit $failed
