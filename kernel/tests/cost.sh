#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# One copy of ours against one of dmatest on the same channel of the software
# engine, which copies in place: for a guest whose clock counts instructions.
# Memory pinned beforehand on our side, the kernel's own on theirs; both map,
# submit, wait for the callback and unmap. Speaks KTAP.
MODULES=${MODULES:-/lab}
LIMIT_PERCENT=110

echo "KTAP version 1"
insmod $MODULES/swdma.ko channels=1 inline_copy=1
insmod $MODULES/cftu.ko
# A thread that did nothing yet has paths of its own: once to warm up.
./cost >/dev/null
ours=$(./cost)
echo "$ours" | grep '^#'
rmmod cftu

dmatest_ns() {
	insmod $MODULES/dmatest.ko test_buf_size=$(($1 + 4096)) transfer_size=$1 \
		noverify=1 norandom=1 iterations=2000 timeout=3000
	dmesg -c >/dev/null
	echo dma0chan0 >/sys/module/dmatest/parameters/channel
	echo 1 >/sys/module/dmatest/parameters/run
	# Sleeps in the kernel: a loop here would take its share of the one CPU.
	cat /sys/module/dmatest/parameters/wait >/dev/null
	tries=0
	until dmesg | grep -q 'summary 2000 tests, 0 failures' || [ $tries -gt 60 ]; do
		sleep 1
		tries=$((tries + 1))
	done
	iops=$(dmesg | sed -n 's/.*summary 2000 tests, 0 failures \([0-9.]*\) iops.*/\1/p')
	rmmod dmatest
	[ -n "$iops" ] && echo "$iops" | awk '{ printf "%d\n", 1e9 / $1 }'
}

n=0
for bytes in 4096 65536; do
	n=$((n + 1))
	mine=$(echo "$ours" | sed -n "s/^cost $bytes //p")
	theirs=$(dmatest_ns $bytes)
	if [ -z "$mine" ] || [ -z "$theirs" ]; then
		echo "not ok $n $bytes bytes: ours '$mine' ns, dmatest '$theirs' ns"
		continue
	fi
	percent=$((mine * 100 / theirs))
	verdict="not ok"
	[ $percent -le $LIMIT_PERCENT ] && verdict=ok
	echo "$verdict $n $bytes bytes pinned: $mine ns against dmatest's $theirs, $percent % (limit $LIMIT_PERCENT)"
done
rmmod swdma
echo "1..$n"
