/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recorder, as the rest of the module sees it: one client an open file,
 * the ioctls 0x20 ... 0x2f, mappings above CFTU_TRACE_MMAP_BASE, and a place
 * where DMA copies report themselves.
 */
#ifndef CFTU_REC_H
#define CFTU_REC_H

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/types.h>

#include "../uapi/cftu_trace.h"

struct vm_area_struct;
struct cftu_rec_capture;

/* Lies in the file's own structure; zeroed memory is a good beginning. */
struct cftu_rec_client {
	struct cftu_rec_capture *capture;	/* the one this file started */
	atomic_t mappings;
};

/* A copy made by DMA, told by who made it. */
struct cftu_rec_copy {
	u64 start_ns;			/* ktime_get_mono_fast_ns() */
	u64 end_ns;
	unsigned long caller;
	unsigned long length_bytes;
	unsigned long not_copied_bytes;
	unsigned int cpu_start;
	enum cftu_trace_operation operation;
};

/* Kbuild leaves the recorder out elsewhere: no registers to read, no u64 words. */
#if defined(CONFIG_X86_64) || defined(CONFIG_ARM64)

#define CFTU_REC_BUILT 1

void cftu_rec_exit(void);

/* May sleep. A negative errno, as for ioctl(2). */
long cftu_rec_ioctl(struct cftu_rec_client *client, unsigned int cmd, void __user *arg);
int cftu_rec_mmap(struct cftu_rec_client *client, struct vm_area_struct *vma);
/* From the file's release(): no mapping is left then. */
void cftu_rec_release(struct cftu_rec_client *client);

DECLARE_STATIC_KEY_FALSE(cftu_rec_attached);
void cftu_rec_dma_slow(const struct cftu_rec_copy *copy);

/* Is anybody listening? Costs one instruction when not. */
static inline bool cftu_rec_on(void)
{
	return static_branch_unlikely(&cftu_rec_attached);
}

/* Any context but NMI; on the CPU where the copy ended, as near as can be. */
static inline void cftu_rec_dma(const struct cftu_rec_copy *copy)
{
	if (cftu_rec_on())
		cftu_rec_dma_slow(copy);
}

#else

#define CFTU_REC_BUILT 0

static inline void cftu_rec_exit(void) { }
static inline long cftu_rec_ioctl(struct cftu_rec_client *client, unsigned int cmd,
				  void __user *arg)
{
	return -EOPNOTSUPP;
}
static inline int cftu_rec_mmap(struct cftu_rec_client *client, struct vm_area_struct *vma)
{
	return -EOPNOTSUPP;
}
static inline void cftu_rec_release(struct cftu_rec_client *client) { }
static inline bool cftu_rec_on(void) { return false; }
static inline void cftu_rec_dma(const struct cftu_rec_copy *copy) { }

#endif

#endif
