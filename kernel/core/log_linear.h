/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Log-linear buckets: values below 16 have their own, above there are eight
 * an octave, so a bucket is never wider than an eighth of its lower bound.
 * Pure arithmetic, the same in the module and on the host.
 */
#ifndef CFTU_CORE_LOG_LINEAR_H
#define CFTU_CORE_LOG_LINEAR_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
typedef uint64_t u64;
typedef uint32_t u32;
#endif

#define CFTU_LOG_LINEAR_BUCKETS	496	/* the last one, 495, holds the largest u64 */

static inline u32 cftu_log_linear_bucket(u64 value)
{
	u32 shift;

	if (value < 16)
		return (u32)value;
	shift = 60 - (u32)__builtin_clzll(value);	/* floor(log2) - 3 */
	return 8 * shift + (u32)(value >> shift & 7) + 8;
}

/* The smallest value of @bucket, which is below CFTU_LOG_LINEAR_BUCKETS. */
static inline u64 cftu_log_linear_lower(u32 bucket)
{
	if (bucket < 16)
		return bucket;
	return (u64)(8 + (bucket & 7)) << (bucket / 8 - 1);
}

#endif
