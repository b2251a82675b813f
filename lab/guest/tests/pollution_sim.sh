#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Victims of the I/OAT-CFTU study beside nobody, beside copies by the CPU, and by DMA,
# as `pontage run` measures them, in simulated caches: they on CPU 1, who copies on
# CPU 0 under the same second-level cache, the engine on CPU 2. Arguments: victims,
# with commas; samples of each.
. ./ktap.sh
victims() {
	taskset 3 pontage run pollute/victim --counters simulated --cpu 1 --samples "$2" \
		--axis "victim=$1" --axis placement=same_socket --axis direction=to_user \
		--axis size=16064 --axis buffer=in_place,walking --axis copier=none,cpu,dma \
		--budget-ms 5000 --out /tmp/runs >$said 2>&1
}
all_measured() {
	! grep -qE '"state": *"(skipped|failed|pending)"' /tmp/runs/*/run.json
}
plan 3
check "a run" victims "$1" "$2"
check "no point is skipped or failed" all_measured
check "the record says where the counts are" \
	grep -q '"core": *"simulated cache, on the host"' /tmp/runs/*/run.json
grep '^# region ' $said
exit $failed
