#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# A record of a hundred seconds under a mixed load, as the I/OAT-CFTU study made
# it: nothing is lost, and its figures and files come out. Speaks KTAP.
. "$(dirname "$0")/ktap.sh"
plan 5
said=/out/said
# Files, pipes of several sizes, many small answers of /proc.
load() {
	while :; do
		ls -lR /proc/sys /sys/class >/dev/null 2>&1
		dd if=/dev/zero of=/tmp/file bs=64k count=40 2>/dev/null
		cat /tmp/file | dd of=/dev/null bs=3000 2>/dev/null
		dd if=/dev/urandom bs=200 count=500 2>/dev/null | wc -c >/dev/null
		sleep 1
	done
}
load &
loading=$!
pontage copies --seconds 100 --records --out /tmp/runs >$said 2>/tmp/talk
check "a record of 100 s" test $? = 0
kill $loading
cat /tmp/talk >>$said
check "no gap" grep -q '^  0 gaps in the sequence numbers' $said
check "nothing dropped" grep -q ' 0 records and 0 cells dropped' $said
figures() {
	for figure in 21 22 23 24 25 26; do
		grep -q "I/OAT-CFTU figure 2\.$figure" /tmp/runs/*/report.html && continue
		echo "figure 2.$figure is missing"
		return 1
	done
}
check "figures 2.21 to 2.26" figures
check "its files" pontage export /tmp/runs/* --format cftu --out /tmp/dat
cp -r /tmp/runs /tmp/dat /out/
exit $failed
