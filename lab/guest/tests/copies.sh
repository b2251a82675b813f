#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# `pontage copies` and `pontage dma` with the module: copies of a known size are
# seen, recorded and exported as they were counted, kill -9 leaves a record,
# policies come and go, and without the module the reason is told. Speaks KTAP.
. "$(dirname "$0")/ktap.sh"
plan 24

# 200 copies of 3000 B on each side of a pipe; they are of the class of 2 KiB.
pipe_of_3000_bytes() {
	dd if=/dev/zero bs=3000 count=200 2>/dev/null | dd of=/dev/null bs=3000 2>/dev/null
}
# recorded FILE COPIES...: begins them once the recorder says that it records, and
# ends it when they are done.
recorded() {
	talk=$1
	shift
	soon grep -q '^recording the' "$talk"
	"$@"
	kill -TERM $recorder
	wait $recorder
}
# copies_of ROUTINE [NUMBER UNIT]: what the table of sizes says.
copies_of() {
	awk -v op="$1" -v n="$2" -v unit="$3" '/^all/ { exit }
		$1 == op && (n == "" || $2 == n && $3 == unit) { sum += $4 }
		END { print sum + 0 }' $said
}
at_least() { [ "$(copies_of "$1" 2 KiB)" -ge 200 ]; }
lines() { cat "$1"/trace/risultati/"$2" | wc -l; }
as_counted() { [ "$(lines /tmp/dat "$1")" = "$(copies_of "$2")" ]; }

# The profile, by the histogram in the kernel.
# Emptied first: what an earlier recorder said is not for this one.
: >/tmp/talk
: >$said
pontage copies --seconds 1000 >$said 2>/tmp/talk &
recorder=$!
recorded /tmp/talk pipe_of_3000_bytes
check "a profile" test $? = 0
check "every write into the pipe is seen" at_least copy_from_iter
check "every read from the pipe is seen" at_least copy_to_iter
check "callers have names" grep -Eq 'copy_to_iter <- [a-z_]+\+0x' $said

# The record, and the files of the study.
many() {
	pipe_of_3000_bytes
	ls -lR /proc/sys >/dev/null 2>&1
	dd if=/dev/zero of=/tmp/file bs=64k count=20 2>/dev/null
}
: >/tmp/talk
: >$said
pontage copies --seconds 1000 --records --out /tmp/runs >$said 2>/tmp/talk &
recorder=$!
recorded /tmp/talk many
check "a record" test $? = 0
cat /tmp/talk >>$said
check "no gap" grep -q '^  0 gaps in the sequence numbers' $said
run=$(ls -d /tmp/runs/*)
pontage export "$run" --format cftu --out /tmp/dat >/tmp/talk 2>&1
check "an export" test $? = 0
check "mem_trace_from" as_counted mem_trace_from.dat copy_from_user
check "mem_trace_to" as_counted mem_trace_to.dat copy_to_user
check "__mem_trace_from" as_counted __mem_trace_from.dat __copy_from_user
check "__mem_trace_to" as_counted __mem_trace_to.dat __copy_to_user
check "copies left out are counted" grep -q \
	"$(copies_of copy_from_iter) copies by copy_from_iter, $(copies_of copy_to_iter) by copy_to_iter" /tmp/talk
check "the page has the study's figures" grep -q "I/OAT-CFTU figure 2.26" "$run/report.html"
cp -r /tmp/runs /tmp/dat /out/ 2>/dev/null
cp $said /out/said 2>/dev/null

# Copies by DMA are told from those by the CPU. How many there are in their time is
# the machine's matter: the module counts its copies, and the bytes of those few that
# the CPU makes beforehand. Each has 64 KiB.
stat() { sed -n "s/^$1 //p" /sys/kernel/debug/cftu/stats; }
by_dma() {
	before=$(stat copies)
	cpu_before=$(stat cpu_bytes)
	dma_before=$(stat dma_bytes)
	pontage run offload/latency --quick --processes 1 --budget-ms 5 --axis size=65536 --axis cache=warm \
		--axis context=shared --out /tmp/dma-runs >/tmp/run 2>&1
	made=$?
	copied=$(($(stat copies) - before))
	by_cpu=$((($(stat cpu_bytes) - cpu_before) / 65536))
	moved=$((($(stat dma_bytes) - dma_before) / 65536))
}
: >/tmp/talk
: >$said
pontage copies --seconds 1000 --records --out /tmp/dma >$said 2>/tmp/talk &
recorder=$!
recorded /tmp/talk by_dma
check "copies by DMA are made" test $made = 0
cat /tmp/run /tmp/talk >>$said
by_dma=$(sed -n 's/.*; \([0-9]*\) by DMA$/\1/p' $said)
seen() {
	echo "${by_dma:-none} seen of $copied copies, $by_cpu of them by the CPU"
	[ "${by_dma:-0}" -gt 0 ] && [ "$by_dma" = $((copied - by_cpu)) ]
}
check "and seen" seen
# Each copy tells its own bytes, though a measurement makes many with one request.
check "of 64 KiB each" test "$moved" = "$by_dma"
check "and in the record" grep -q '"dma"' /tmp/dma/*/run.json
cp -r /tmp/dma /out/ 2>/dev/null

# A recording that is killed keeps what it has read.
: >/tmp/talk
: >$said
pontage copies --seconds 1000 --records --out /tmp/killed >$said 2>&1 &
recorder=$!
soon grep -q '^recording the' $said
pipe_of_3000_bytes
killed=$(ls -d /tmp/killed/*)
exported() { pontage export "$killed" --format cftu --out /tmp/dat-killed; }
left() { exported 2>&1 | sed -n 's/.* \([0-9]*\) copies by copy_from_iter.*/\1/p'; }
read_at_least() {
	read=$(left)
	[ "${read:-0}" -ge 200 ]
}
# Killed once the rings were emptied: what it has read by then must stay.
soon read_at_least
kill -9 $recorder
wait $recorder 2>/dev/null
check "kill -9 leaves what was read" read_at_least
pontage report "$killed" --html /tmp/killed.html >>$said 2>&1
check "and figures of it" grep -q "I/OAT-CFTU figure 2.21" /tmp/killed.html

# Policies: a guest of two processors uses two of the four channels.
pontage dma policy start shared >$said 2>&1
check "a policy starts" grep -q '^policy shared started on 2 channels' $said
pontage dma policy show >$said 2>&1
check "it is shown" grep -q '^policy shared, started .* 2 of 4 channels held' $said
pontage dma channels >$said 2>&1
check "its channels are shown" grep -q '^4 channels: 2 ours; 2 free; 4 known to copy memory' $said
pontage dma policy stop >$said 2>&1 && pontage dma policy show >>$said 2>&1
check "it stops" grep -q '^no policy is running' $said

# Without the module, and without the headers to build it.
rmmod cftu
pontage copies --seconds 1 >$said 2>&1
status=$?
told() { [ $status = 77 ] && grep -q 'SKIP copies: module cftu is not built' $said; }
check "without the module a reason" told
exit $failed
