#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The recipes that repeat the I/OAT-CFTU study, on a quiet machine and under load:
# every point is measured, and the page has the study's figures by their numbers.
# All contexts, but few sizes and a short time for each point. Speaks KTAP.
. "$(dirname "$0")/ktap.sh"
plan 18
said=/out/said
sizes=64,4KiB,64KiB,1MiB
measure() {
	pontage run "$1" --load "$2" --budget-ms 20 --axis size=$sizes --out "$3" </dev/null >$said 2>&1
}
# State words of points only: the head of a complete run has one of its own.
all_measured() {
	! grep -E '"state": *"(skipped|failed|pending)"' "$1"/run.json
}
# has FILE FIRST LAST: each figure is there.
has() {
	for figure in $(seq "$2" "$3"); do
		grep -q "I/OAT-CFTU figure 2\.$figure: \[$load load\]" "$1" && continue
		echo "figure 2.$figure is missing"
		return 1
	done
}
# recipe NAME LOAD FIRST LAST: runs it and looks for its figures.
recipe() {
	load=$2
	out=/tmp/$1-$2
	check "$1, $2" measure "$1" "$2" "$out"
	check "$1, $2: no point is skipped or failed" all_measured "$out"/*
	check "$1, $2: figures 2.$3 to 2.$4" has "$out"/*/report.html "$3" "$4"
	cp -r "$out" /out/
}
recipe offload-latency light 1 4
recipe offload-latency heavy 5 8
recipe offload-bandwidth light 9 11
recipe offload-bandwidth heavy 12 14
recipe offload-priority light 15 17
recipe offload-priority heavy 18 20
exit $failed
