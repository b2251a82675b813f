/* SPDX-License-Identifier: GPL-2.0 */
/* The two sides of a copy as pages: a kernel buffer, and pinned user memory. */
#ifndef CFTU_SPAN_H
#define CFTU_SPAN_H

#include <linux/mm_types.h>
#include <linux/scatterlist.h>

/*
 * Kernel memory in physically contiguous extents of one size; only the last
 * may be shorter. A linear buffer is one extent.
 */
struct cftu_span {
	void **extents;
	void *linear;		/* used where extents is NULL */
	size_t extent_bytes;
	size_t length_bytes;
};

/* The longest contiguous run at `offset`, at most `length`. */
void *cftu_span_run(const struct cftu_span *span, size_t offset, size_t length, size_t *run);

/* Whether an engine can reach it: page backed, not on the stack, not vmalloc. */
bool cftu_span_is_page_backed(const struct cftu_span *span);

void cftu_span_zero(const struct cftu_span *span, size_t offset, size_t length);

/* Limits of one entry of a table. */
struct cftu_sg_limits {
	size_t segment_bytes;
	unsigned long boundary_mask;
};

/*
 * Fill `table` with [offset, offset + length); neighbours in memory become one
 * entry. Return how many entries, 0 where `entries` are not enough.
 */
unsigned int cftu_sg_of_span(struct scatterlist *table, unsigned int entries,
			     const struct cftu_span *span, size_t offset, size_t length,
			     const struct cftu_sg_limits *limits);
unsigned int cftu_sg_of_pages(struct scatterlist *table, unsigned int entries,
			      struct page **pages, size_t offset, size_t length,
			      const struct cftu_sg_limits *limits);

/* How many physically contiguous pieces `count` pages are. */
unsigned int cftu_count_extents(struct page **pages, unsigned long count);

#endif
