# SPDX-License-Identifier: MIT OR Apache-2.0
# shellcheck shell=sh
# What tests share that use the guest's NVDIMM.
nd=/sys/bus/nd

# wait_for FILE: devices come after their modules, late on a busy machine.
wait_for() {
	tries=0
	until [ -e "$1" ] || [ $tries = 480 ]; do
		sleep 0.25
		tries=$((tries + 1))
	done
	[ -e "$1" ]
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
