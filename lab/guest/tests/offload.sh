#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The experiments on copies by DMA with the module and a software engine: every
# point is measured, the .dat files come out, and nothing stays behind.
echo "KTAP version 1"
echo "1..5"
failed=0
result() {
	[ "$2" = 0 ] && echo "ok $1 $3" && return
	echo "not ok $1 $3"
	failed=1
}
pontage run 'offload/*' --quick --processes 1 --budget-ms 5 --axis size=64,65536 --out /tmp/runs >/tmp/said 2>&1
result 1 $? "a run"
# State words of points only: the head of a complete run has one of its own.
! grep -qE '"state": *"(skipped|failed|pending)"' /tmp/runs/*/run.json
result 2 $? "no point is skipped or failed"
pontage export /tmp/runs/* --format cftu --out /tmp/dat >>/tmp/said 2>&1
result 3 $? "the files of the study"
# Three contexts of two directions warm, and four of three directions.
[ "$(find /tmp/dat -name 'micro-benchmark_*_1.dat' | wc -l)" -ge 6 ] &&
	[ "$(find /tmp/dat -name 'measures_*.dat' | wc -l)" = 12 ]
result 4 $? "a file for each context and direction"
pontage dma policy show | grep -q "no policy is running"
result 5 $? "no policy is left behind"
[ $failed = 0 ] || sed 's/^/# /' /tmp/said
cp -r /tmp/runs /tmp/dat /out/ 2>/dev/null
exit $failed
