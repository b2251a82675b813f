/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies by DMA for other kernel modules.
 *
 * cftu_copy_from_user() and cftu_copy_to_user() take the place of the calls of
 * the same name: they return the bytes that could NOT be copied, and the tail
 * of the kernel buffer is zeroed after a short copy from user memory. What the
 * started policy does not take goes by CPU, so they may be called whether or
 * not an engine is there.
 *
 * Context: process context that may sleep, with an mm; elsewhere the CPU
 * copies and page faults are handled as in copy_from_user(). No spinlock held,
 * interrupts on. The kernel buffer must be in the linear map (kmalloc,
 * alloc_pages) for the engine to reach it, and must not be freed before the
 * call returns.
 *
 * cftu_start_*() and cftu_stop_policy() switch the policy for the whole
 * machine; copies under way lose nothing. They sleep and take locks: not from
 * a copy's own path.
 */
#ifndef CFTU_H
#define CFTU_H

#include <linux/types.h>

#include "../uapi/cftu.h"

size_t cftu_copy_from_user(void *to, const void __user *from, size_t length);
size_t cftu_copy_to_user(void __user *to, const void *from, size_t length);

/*
 * channels: how many, 0 for one a CPU at most. Return 0 or -ENODEV (none),
 * -ENOSPC (too few), -EBUSY (another policy is started), -EINVAL, -ENOMEM.
 */
int cftu_start_exclusive(unsigned int channels, bool allow_fold);
int cftu_start_shared(unsigned int channels, enum cftu_chooser chooser);
int cftu_start_priority(unsigned int channels, unsigned int high_channels, u64 quantum_ns,
			u64 window_ns);

/* -ENOENT where none is started. */
int cftu_stop_policy(void);

#endif
