// SPDX-License-Identifier: GPL-2.0
/* Heads, bodies, tails and chunks: by example, and by exhaustion of small cases. */
#include "../../tests/ktap.h"
#include "../split.h"

static struct cftu_split split_of(u64 destination, u64 source, size_t length, u32 align,
				  u32 line, enum cftu_reason *reason)
{
	struct cftu_rule rule = { .copy_align_bytes = align, .line_bytes = line };
	struct cftu_split split;

	*reason = cftu_split(destination, source, length, &rule, &split);
	return split;
}

static bool is(struct cftu_split s, size_t head, size_t body, size_t tail)
{
	return s.head_bytes == head && s.body_bytes == body && s.tail_bytes == tail;
}

static void examples(void)
{
	enum cftu_reason r;

	ktap_ok(is(split_of(3, 5, 100, 1, 1, &r), 0, 100, 0) && r == CFTU_REASON_NONE,
		"an engine without demands takes everything");
	ktap_ok(is(split_of(3, 3, 200, 64, 1, &r), 61, 128, 11) && r == CFTU_REASON_NONE,
		"an aligned engine takes whole units");
	ktap_ok(is(split_of(3, 4, 200, 64, 1, &r), 200, 0, 0) && r == CFTU_REASON_MISALIGNED,
		"sides that differ cannot be aligned");
	ktap_ok(is(split_of(3, 7, 200, 1, 64, &r), 61, 128, 11) && r == CFTU_REASON_NONE,
		"a non-coherent engine owns whole lines of the destination, wherever the source is");
	ktap_ok(is(split_of(3, 3, 100, 1, 64, &r), 100, 0, 0) && r == CFTU_REASON_UNALIGNED_ENDS,
		"nothing is left between the ends");
	ktap_ok(is(split_of(~0ULL - 62, 1, 127, 1, 64, &r), 63, 64, 0),
		"the end of the address space is an address like others");
}

static bool holds(u64 destination, u64 source, size_t length, u32 align, u32 line)
{
	enum cftu_reason r;
	struct cftu_split s = split_of(destination, source, length, align, line, &r);
	u64 begin = destination + s.head_bytes;
	u32 unit = align > line ? align : line;

	if (s.head_bytes + s.body_bytes + s.tail_bytes != length)
		return false;
	if (r != CFTU_REASON_NONE)
		return !s.body_bytes;
	return s.body_bytes && !(begin % unit) && !((begin + s.body_bytes) % unit) &&
	       !((source + s.head_bytes) % align) && s.head_bytes < unit && s.tail_bytes < unit;
}

static void all_small(void)
{
	static const u32 units[] = { 1, 4, 16, 64 };
	unsigned int bad = 0;
	u64 destination, source;
	size_t length, a, l;

	for (a = 0; a < 4; a++)
		for (l = 0; l < 4; l++)
			for (destination = 0; destination < 65; destination += 3)
				for (source = 0; source < 65; source += 3)
					for (length = 1; length < 300; length += 7)
						bad += !holds(destination, source, length, units[a],
							      units[l]);
	ktap_equal(bad, 0, "every split adds up, and the body is aligned as demanded");
}

static void chunks(void)
{
	u64 destination;
	unsigned int bad = 0;

	for (destination = 0; destination < 5000; destination += 13) {
		size_t left = 300000;
		u64 at = destination;
		unsigned int count = 0;

		while (left) {
			size_t n = cftu_chunk_length(at, left, 65536);

			bad += !n || n > 65536 || n > left;
			at += n;
			left -= n;
			bad += left && at % 4096;
			bad += ++count > 6;
		}
	}
	ktap_equal(bad, 0, "chunks are not longer than asked, and all but the last end at a page");
	ktap_equal(cftu_chunk_length(100, 9000, 4096), 4096, "chunks of a page are left as they are");
}

int main(void)
{
	ktap_begin();
	examples();
	all_small();
	chunks();
	return ktap_end();
}
