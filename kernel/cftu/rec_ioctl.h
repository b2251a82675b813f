/* SPDX-License-Identifier: GPL-2.0 */
/* What the recorder's files share about its calls. */
#ifndef CFTU_REC_IOCTL_H
#define CFTU_REC_IOCTL_H

#include <linux/mutex.h>

#include "rec_capture.h"

/* Captures, probes, readers. Taken before the next one. */
extern struct mutex cftu_rec_mutex;
/* Which capture a client has; nothing under it touches user memory. */
extern struct mutex cftu_rec_map_mutex;

/* The whole structure, whose first word must be its size. -EFAULT, -EPROTO. */
long cftu_rec_copy_in(void *structure, const void __user *arg, u32 size);

#endif
