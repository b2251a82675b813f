#!/bin/sh
# SPDX-License-Identifier: MIT OR Apache-2.0
# The call path of msync on DAX, and the page fault apart from it, by the commands
# of docs/guides/persistence.md. Looks at names and counts, never at times.
. ./ktap.sh
. ./pmem.sh
mkdir -p /pmem
describe_pages
wait_for /dev/pmem0
./mke2fs -q -t ext4 -b 4096 /dev/pmem0 >&2 && mount -t ext4 -o dax /dev/pmem0 /pmem || exit 1
recorded() {
	./pontage trace record --graph __x64_sys_msync,handle_mm_fault --depth 0 -o /out/msync.dat -- \
		./pontage persist log /pmem/log --records 200 --sync msync >$said 2>&1
}
path() {
	./pontage trace callpath /out/msync.dat --root __x64_sys_msync --least 0 >/out/callpath.txt 2>&1
	for function in "$@"; do
		grep -q "$function" /out/callpath.txt || echo "no $function"
	done >/tmp/missing
	cat /tmp/missing /out/callpath.txt | head -n 60
	[ ! -s /tmp/missing ]
}
parts() {
	./pontage trace profile /out/msync.dat --top 400 >/out/profile.txt 2>&1
	grep -E "__x64_sys_msync|handle_mm_fault|dax_fault" /out/profile.txt
	grep -q "__x64_sys_msync" /out/profile.txt && grep -q "handle_mm_fault" /out/profile.txt
}
plan 4
check "msync recorded" recorded
check "from the call to the file system" path vfs_fsync_range ext4_sync_file file_write_and_wait_range
check "from the file system to the lines" path ext4_dax_writepages dax_writeback_mapping_range
check "the fault and the call apart" parts
umount /pmem
exit $failed
