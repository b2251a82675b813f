/* SPDX-License-Identifier: GPL-2.0 */
/* Which bytes of a chunk an engine may touch, and where chunks end. */
#ifndef CFTU_CORE_SPLIT_H
#define CFTU_CORE_SPLIT_H

#include "types.h"

/* What an engine demands. Powers of two, 1 where it demands nothing. */
struct cftu_rule {
	u32 copy_align_bytes;	/* source, destination and length */
	u32 line_bytes;		/* destination: lines it owns whole (non-coherent) */
};

/* head and tail are the CPU's, body is the engine's. */
struct cftu_split {
	size_t head_bytes;
	size_t body_bytes;
	size_t tail_bytes;
};

/*
 * Splits [0, length) of a copy. Returns CFTU_REASON_NONE, or the reason why
 * no byte of it is the engine's: _MISALIGNED where source and destination
 * differ within the alignment, _UNALIGNED_ENDS where nothing is left between
 * head and tail. In both cases the body is empty and the head is everything.
 */
enum cftu_reason cftu_split(u64 destination, u64 source, size_t length,
			    const struct cftu_rule *rule, struct cftu_split *split);

/*
 * How many of the next `left` bytes make one chunk: at most chunk_bytes, and
 * the chunk ends where the destination is aligned to chunk_bytes' page part,
 * so that only the first and the last chunk of a copy have ends to mend.
 */
size_t cftu_chunk_length(u64 destination, size_t left, size_t chunk_bytes);

#endif
