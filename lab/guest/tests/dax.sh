#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# Logs on persistent memory and on a disk, in a guest that is killed while it
# writes them (pontage.boot=1..5) and then looks at what is left (6). What was
# acknowledged stands in /out, which is the host's.
. ./ktap.sh
. ./pmem.sh
KILLS=4
CONTROLS=1
boot=$(sed -n 's/.*pontage.boot=\([0-9]*\).*/\1/p' /proc/cmdline)
mkdir -p /pmem /disk
wait_for /dev/vda
wait_for /dev/pmem0
if [ "${boot:-1}" = 1 ]; then
	describe_pages
	./mke2fs -q -t ext4 -b 4096 /dev/pmem0 && ./mke2fs -q -t ext4 -b 4096 /dev/vda
fi >&2
# No commit of the journal but those that somebody asks for.
mount -t ext4 -o dax,commit=300 /dev/pmem0 /pmem &&
	mount -t ext4 -o commit=300 /dev/vda /disk || exit 1
# The kernel's own writing back of old pages is not what is looked at.
echo 30000 >/proc/sys/vm/dirty_writeback_centisecs
echo 30000 >/proc/sys/vm/dirty_expire_centisecs

# write FOLDER WAY: a log smaller than a huge page, whose blocks come one by one.
write() {
	./pontage persist log "$1/log-$boot-$2" --records 6000 --sync "$2" \
		>"/out/acknowledged-$boot$(echo "$1" | tr / -)-$2" 2>/tmp/"$2" &
}
begun() {
	until [ -s "/out/acknowledged-$boot$(echo "$1" | tr / -)-$2" ]; do sleep 0.1; done
}
# last BOOT FOLDER WAY: the record that was acknowledged last.
last() { tail -n 1 "/out/acknowledged-$1$(echo "$2" | tr / -)-$3"; }
# grown PID FOLDER WAY NUMBER: a hundred records, several blocks, behind that one;
# or the log has ended, which the check will tell.
grown() {
	until [ "$(last $boot "$2" "$3")" -ge $(($4 + 100)) ] || ! kill -0 "$1"; do sleep 0.1; done
}
if [ "$boot" -le $KILLS ]; then
	for way in map_sync msync fdatasync; do write /pmem $way; done
	for way in msync fdatasync; do write /disk $way; done
	for way in map_sync msync fdatasync; do begun /pmem $way; done
	for way in msync fdatasync; do begun /disk $way; done
elif [ "$boot" -le $((KILLS + CONTROLS)) ]; then
	# What is lost is what comes behind the last sync: there the logs must not have
	# come to their end, however long it takes, and go on for more than a block.
	write /pmem lines
	lines=$!
	begun /pmem lines
	kill -STOP $lines
	write /disk none
	none=$!
	begun /disk none
	kill -STOP $none
	# The files are there after the crash, whatever of their contents is.
	sync
	lines_synced=$(last $boot /pmem lines)
	none_synced=$(last $boot /disk none)
	kill -CONT $lines $none
	grown $lines /pmem lines "$lines_synced"
	grown $none /disk none "$none_synced"
fi
if [ "$boot" -le $((KILLS + CONTROLS)) ]; then
	echo "pontage-lab: KILL" >/dev/kmsg
	sleep 1000
fi

# checked BOOT FOLDER WAY STATUS: the status that the check has to end with.
checked() {
	acknowledged=$(last "$1" "$2" "$3")
	[ "${acknowledged:-0}" -gt 0 ] || return 1
	./pontage persist check "$2/log-$1-$3" --acknowledged "$acknowledged" | tee -a /out/checks.txt >/tmp/checked
	cat /tmp/checked
	case $4:$(sed 's/.*acknowledged, \([0-9]*\) of.*/\1/' /tmp/checked) in
	kept:0) return 0 ;;
	kept:* | lost:0 | lost:"") return 1 ;;
	lost:*) return 0 ;;
	esac
}
# The measured points of place $1, of which none failed and some are done.
measured() {
	runs=/tmp/runs-$1$(echo "$2" | tr / -)
	mkdir -p "$2/scratch"
	TMPDIR=$2/scratch ./pontage run 'persist/*' --full --processes 1 --budget-ms 1 \
		--axis place="$1" --axis size=64,4096 --out "$runs" >/tmp/said 2>&1
	# Claims about times may fail: they are emulated.
	[ $? -le 1 ] || return 1
	cp -r "$runs" /out/
	grep -q '"state": *"failed"' "$runs"/*/run.json && return 1
	grep -q "$3" "$runs"/*/run.json
}
plan $((KILLS * 5 + CONTROLS * 2 + 4))
for kill in $(seq $KILLS); do
	for way in map_sync msync fdatasync; do
		check "boot $kill: $way on DAX keeps what it acknowledged" checked "$kill" /pmem $way kept
	done
	for way in msync fdatasync; do
		check "boot $kill: $way on a disk keeps what it acknowledged" checked "$kill" /disk $way kept
	done
done
for kill in $(seq $((KILLS + 1)) $((KILLS + CONTROLS))); do
	check "boot $kill: without MAP_SYNC and msync the check finds losses" checked "$kill" /pmem lines lost
	check "boot $kill: without fdatasync the check finds losses" checked "$kill" /disk none lost
done
check "persist/flush on DAX with MAP_SYNC" measured dax /pmem "DAX, mapped with MAP_SYNC"
check "persist/flush behind the page cache" measured file /disk "through the page cache, no DAX"
check "DAX is not found where there is none" measured dax /disk "which is not DAX"
check "nor a page cache on DAX" measured file /pmem "files have no page cache"
umount /pmem /disk
exit $failed
