#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Counters of a PMU that QEMU emulates: cycles and instructions count, every other event that
# the kernel opens reads 0. Pontage has to find out which, and to agree with perf stat.
. ./ktap.sh
: >$said
results=/tmp/runs
plan 7
says() { grep -q "$1" "$2"; }
# A count of 0 or a rate of an event that is not there.
no_zero() { ! grep -E "\b(BR_PRED|BR_MIS_PRED|L1I_CACHE|L1I_CACHE_REFILL|br_pred_rate) +0" "$1"; }
pontage doctor --all >/tmp/doctor 2>&1
counts_in_all_places() {
	says "INST_RETIRED *counts" /tmp/doctor && says "CPU_CYCLES *counts" /tmp/doctor &&
		says "7 events are counted together" /tmp/doctor && ! grep -E "^ *[0-9] of [1-7] +dead" /tmp/doctor
}
check "each of the seven counters counts instructions" counts_in_all_places
check "an event that the PMU lacks does not count" says "BR_PRED *dead" /tmp/doctor
counter_truth >/tmp/truth 2>&1
agreed=$?
check "the same work counts the same in perf stat" [ $agreed = 0 ]
check "instructions were compared" says "INST_RETIRED.*agrees" /tmp/truth
pontage run syscall/getppid --quick --counters instr --out $results >$said 2>&1
check "a counted run" [ $? = 0 ]
check "what does not count is absent with its reason" says "counters absent: BR_PRED" $said
check "and is nowhere 0" no_zero $said
sed 's/^/# /' /tmp/truth
cp -r /tmp/doctor /tmp/truth $results /out/ 2>/dev/null
exit $failed
