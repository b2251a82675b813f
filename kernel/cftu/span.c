// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include "span.h"

void *cftu_span_run(const struct cftu_span *span, size_t offset, size_t length, size_t *run)
{
	size_t within;

	if (!span->extents) {
		*run = length;
		return span->linear + offset;
	}
	within = offset & (span->extent_bytes - 1);
	*run = min(length, span->extent_bytes - within);
	return span->extents[offset / span->extent_bytes] + within;
}

bool cftu_span_is_page_backed(const struct cftu_span *span)
{
	if (span->extents)
		return true;
	return virt_addr_valid(span->linear) &&
	       virt_addr_valid(span->linear + span->length_bytes - 1) &&
	       !object_is_on_stack(span->linear);
}

void cftu_span_zero(const struct cftu_span *span, size_t offset, size_t length)
{
	while (length) {
		size_t run;
		void *at = cftu_span_run(span, offset, length, &run);

		memset(at, 0, run);
		offset += run;
		length -= run;
	}
}

/* Appends contiguous memory to the table, merging and cutting as the limits say. */
struct builder {
	struct scatterlist *table;
	unsigned int entries;
	unsigned int used;
	phys_addr_t end;
	const struct cftu_sg_limits *limits;
};

static bool may_grow(const struct builder *b, phys_addr_t start, size_t length)
{
	return b->used && b->end == start && (start & b->limits->boundary_mask) &&
	       b->table[b->used - 1].length + length <= b->limits->segment_bytes;
}

static bool add(struct builder *b, struct page *page, size_t offset, size_t length)
{
	while (length) {
		size_t piece = min(length, b->limits->segment_bytes);
		phys_addr_t start = page_to_phys(page) + offset;

		if (may_grow(b, start, piece)) {
			b->table[b->used - 1].length += piece;
		} else {
			if (b->used == b->entries)
				return false;
			/* Entry by entry: a whole table would cost more than a small copy. */
			if (b->used)
				sg_unmark_end(&b->table[b->used - 1]);
			sg_init_table(&b->table[b->used], 1);
			sg_set_page(&b->table[b->used++], page, piece, offset);
		}
		b->end = start + piece;
		length -= piece;
		offset += piece;
		page += offset >> PAGE_SHIFT;
		offset = offset_in_page(offset);
	}
	return true;
}

unsigned int cftu_sg_of_span(struct scatterlist *table, unsigned int entries,
			     const struct cftu_span *span, size_t offset, size_t length,
			     const struct cftu_sg_limits *limits)
{
	struct builder b = { .table = table, .entries = entries, .limits = limits };

	while (length) {
		size_t run;
		void *at = cftu_span_run(span, offset, length, &run);

		if (!add(&b, virt_to_page(at), offset_in_page(at), run))
			return 0;
		offset += run;
		length -= run;
	}
	return b.used;
}

unsigned int cftu_sg_of_pages(struct scatterlist *table, unsigned int entries,
			      struct page **pages, size_t offset, size_t length,
			      const struct cftu_sg_limits *limits)
{
	struct builder b = { .table = table, .entries = entries, .limits = limits };

	pages += offset >> PAGE_SHIFT;
	offset = offset_in_page(offset);
	while (length) {
		size_t piece = min(length, PAGE_SIZE - offset);

		if (!add(&b, *pages++, offset, piece))
			return 0;
		offset = 0;
		length -= piece;
	}
	return b.used;
}

unsigned int cftu_count_extents(struct page **pages, unsigned long count)
{
	unsigned int extents = 0;
	unsigned long i;

	for (i = 0; i < count; i++)
		if (!i || page_to_pfn(pages[i]) != page_to_pfn(pages[i - 1]) + 1)
			extents++;
	return extents;
}
