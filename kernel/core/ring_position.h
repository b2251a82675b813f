/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Positions of a ring that never overwrites: head and tail count records since
 * the start and are allowed to wrap; a record lies at its position modulo the
 * capacity, a power of two. Pure arithmetic, the same in the module and on the
 * host.
 */
#ifndef CFTU_CORE_RING_POSITION_H
#define CFTU_CORE_RING_POSITION_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
typedef uint64_t u64;
typedef uint32_t u32;
#endif

static inline int cftu_ring_full(u64 head, u64 tail, u32 capacity)
{
	return head - tail >= capacity;
}

static inline u32 cftu_ring_index(u64 position, u32 capacity)
{
	return (u32)position & (capacity - 1);
}

/* May a reader who stands at @tail move to @to, with records up to @head? */
static inline int cftu_ring_may_move(u64 tail, u64 to, u64 head)
{
	return to - tail <= head - tail;
}

#endif
