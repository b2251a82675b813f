/* SPDX-License-Identifier: GPL-2.0 */
/* What every file of the module shares: the log prefix and the defaults. */
#ifndef CFTU_MODULE_H
#define CFTU_MODULE_H

#undef pr_fmt
#define pr_fmt(fmt) "cftu: " fmt

#include <linux/printk.h>
#include <linux/types.h>

#define CFTU_VERSION "1.0"

/* Module parameters: what a policy gets where it names no value of its own. */
extern unsigned long cftu_chunk_bytes;
extern unsigned long cftu_threshold_bytes;
extern unsigned int cftu_timeout_ms;

#define CFTU_CHUNK_MIN_BYTES 4096UL
#define CFTU_CHUNK_MAX_BYTES (4UL << 20)

#endif
