// SPDX-License-Identifier: GPL-2.0
#include <linux/log2.h>
#include <linux/module.h>

#include "device.h"
#include "module.h"
#include "policy.h"
#include "rec.h"
#include "stats.h"

#define CREATE_TRACE_POINTS
#include "events.h"

unsigned long cftu_chunk_bytes = 64UL << 10;
module_param_named(chunk_bytes, cftu_chunk_bytes, ulong, 0444);
MODULE_PARM_DESC(chunk_bytes, "bytes pinned and submitted at a time, a power of two (64 KiB)");

unsigned long cftu_threshold_bytes = 4096;
module_param_named(threshold_bytes, cftu_threshold_bytes, ulong, 0444);
MODULE_PARM_DESC(threshold_bytes, "smaller copies go by CPU (4096)");

unsigned int cftu_timeout_ms = 10000;
module_param_named(timeout_ms, cftu_timeout_ms, uint, 0444);
MODULE_PARM_DESC(timeout_ms, "how long a channel may take for one chunk (10000)");

static int __init cftu_init(void)
{
	int error;

	if (cftu_chunk_bytes < CFTU_CHUNK_MIN_BYTES || cftu_chunk_bytes > CFTU_CHUNK_MAX_BYTES ||
	    !is_power_of_2(cftu_chunk_bytes)) {
		pr_err("chunk_bytes=%lu is not a power of two from %lu to %lu\n",
		       cftu_chunk_bytes, CFTU_CHUNK_MIN_BYTES, CFTU_CHUNK_MAX_BYTES);
		return -EINVAL;
	}
	error = cftu_policy_init();
	if (error)
		return error;
	cftu_stats_init();
	error = cftu_device_init();
	if (error) {
		cftu_stats_exit();
		cftu_policy_exit();
	}
	return error;
}

static void __exit cftu_exit(void)
{
	cftu_device_exit();
	cftu_rec_exit();
	cftu_stats_exit();
	cftu_rec_exit();
	cftu_policy_exit();
}

module_init(cftu_init);
module_exit(cftu_exit);

MODULE_DESCRIPTION("Copies between user memory and kernel buffers by DMA engines");
MODULE_AUTHOR("The Pontage authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(CFTU_VERSION);
