// SPDX-License-Identifier: GPL-2.0
#include "split.h"

#define CHUNK_EDGE_BYTES 4096

static u32 larger(u32 a, u32 b)
{
	return a > b ? a : b;
}

enum cftu_reason cftu_split(u64 destination, u64 source, size_t length,
			    const struct cftu_rule *rule, struct cftu_split *split)
{
	u32 align = larger(rule->copy_align_bytes, 1);
	u32 unit = larger(align, rule->line_bytes);
	size_t head;

	split->head_bytes = length;
	split->body_bytes = 0;
	split->tail_bytes = 0;

	if ((destination ^ source) & (align - 1))
		return CFTU_REASON_MISALIGNED;

	head = (size_t)(-destination & (unit - 1));
	if (head >= length || length - head < unit)
		return CFTU_REASON_UNALIGNED_ENDS;

	split->head_bytes = head;
	split->body_bytes = (length - head) & ~(size_t)(unit - 1);
	split->tail_bytes = length - head - split->body_bytes;
	return CFTU_REASON_NONE;
}

size_t cftu_chunk_length(u64 destination, size_t left, size_t chunk_bytes)
{
	size_t past_edge = (size_t)(destination & (CHUNK_EDGE_BYTES - 1));

	if (chunk_bytes > CHUNK_EDGE_BYTES)
		chunk_bytes -= past_edge;
	return left < chunk_bytes ? left : chunk_bytes;
}
