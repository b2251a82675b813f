# SPDX-License-Identifier: MIT OR Apache-2.0
# shellcheck shell=sh
# What tests share that use the guest's NVDIMM.
nd=/sys/bus/nd

# wait_for FILE: devices come after their modules.
wait_for() {
	for second in 1 2 3 4 5 6 7 8 9 10; do
		[ -e "$1" ] && return 0
		sleep 1
	done
	return 1
}

# A new NVDIMM is raw: its pages get a place to be described in, without which
# no file system maps them.
describe_pages() {
	wait_for $nd/devices/namespace0.0
	[ "$(cat $nd/devices/namespace0.0/holder)" = "" ] || return 0
	echo namespace0.0 >$nd/drivers/nd_pmem/unbind
	echo pmem >$nd/devices/pfn0.0/mode
	echo 2097152 >$nd/devices/pfn0.0/align
	cat /proc/sys/kernel/random/uuid >$nd/devices/pfn0.0/uuid
	echo namespace0.0 >$nd/devices/pfn0.0/namespace
	echo pfn0.0 >$nd/drivers/nd_pmem/bind
}
