/* SPDX-License-Identifier: GPL-2.0 */
/* One chunk of a copy by DMA: pin, map, submit, wait, unmap, unpin. */
#ifndef CFTU_CHUNK_H
#define CFTU_CHUNK_H

#include "copy.h"
#include "lane.h"
#include "transfer.h"

/* What a chunk needs in memory, kept between chunks. */
struct cftu_work {
	struct list_head node;
	struct cftu_flight flight;
	unsigned int pages_max;
	struct page **pages;
	struct scatterlist *user_table;
	struct scatterlist *kernel_table;
};

struct cftu_work *cftu_work_alloc(size_t chunk_bytes);
void cftu_work_free(struct cftu_work *work);

/*
 * Moves [at, at + length) of the request, whose ends the lane can take. On
 * CFTU_REASON_NONE *moved says how much: less than length where fewer pages
 * could be pinned. On any other reason nothing counts as moved and the CPU
 * must redo the chunk, but after CFTU_REASON_CHANNEL_LOST: then `work` and the
 * pinned pages are the engine's for ever and the copy has failed.
 */
enum cftu_reason cftu_chunk_by_dma(struct cftu_request *request, struct cftu_lane *lane,
				   struct cftu_work *work, size_t at, size_t length,
				   u64 timeout_ns, size_t *moved);

#endif
