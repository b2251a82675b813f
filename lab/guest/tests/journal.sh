#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# persist/journal on ext4 as it orders data and journal in four ways, the last with
# its journal on a disk of its own. Looks at contents and notes, never at times.
. ./ktap.sh
# Devices come after their modules, in any order.
disks() { [ -b /dev/vda ] && [ -b /dev/vdb ] && [ -b /dev/vdc ] && [ -b /dev/vdd ] && [ -b /dev/vde ]; }
soon disks
fresh() {
	mkdir -p "/mnt/pontage-$1"
	./mke2fs -q -t ext4 -b 4096 $3 "/dev/$2" && mount -t ext4 $4 "/dev/$2" "/mnt/pontage-$1"
}
run() {
	TMPDIR=/mnt/pontage-ordered ./pontage run persist/journal --full --processes 1 \
		--budget-ms 1 --axis size=4096 --out /tmp/runs >/tmp/said 2>&1
	# A claim about times may fail: they are emulated.
	[ $? -le 1 ] || return 1
	cp -r /tmp/runs /out/
	! grep -q '"state": *"failed"' /tmp/runs/*/run.json
}
skipped() { grep -q '"state": *"skipped"' /tmp/runs/*/run.json; }
plan 9
check "data=ordered" fresh ordered vda
check "data=writeback" fresh writeback vdb "" "-o data=writeback"
check "data=journal" fresh journal vdc "" "-o data=journal"
check "a journal's disk" ./mke2fs -q -b 4096 -O journal_dev /dev/vde
check "its file system" fresh external vdd "-J device=/dev/vde"
check "the run, nothing failed" run
check "nothing is skipped" eval '! skipped'
noted() { grep -q "data=writeback, journal on the same device" /tmp/runs/*/run.json; }
check "the notes tell the mode" noted
noted() { grep -q "data=ordered, journal on vde" /tmp/runs/*/run.json; }
check "the notes tell the journal's disk" noted
umount /mnt/pontage-*
exit $failed
