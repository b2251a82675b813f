// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "chunk.h"
#include "module.h"

struct cftu_work *cftu_work_alloc(size_t chunk_bytes)
{
	struct cftu_work *work = kzalloc(sizeof(*work), GFP_KERNEL);

	if (!work)
		return NULL;
	work->pages_max = chunk_bytes / PAGE_SIZE + 2;
	work->pages = kvcalloc(work->pages_max, sizeof(*work->pages), GFP_KERNEL);
	work->user_table = kvcalloc(work->pages_max, sizeof(*work->user_table), GFP_KERNEL);
	work->kernel_table = kvcalloc(work->pages_max, sizeof(*work->kernel_table), GFP_KERNEL);
	if (!work->pages || !work->user_table || !work->kernel_table) {
		cftu_work_free(work);
		return NULL;
	}
	return work;
}

void cftu_work_free(struct cftu_work *work)
{
	kvfree(work->kernel_table);
	kvfree(work->user_table);
	kvfree(work->pages);
	kfree(work);
}

/* One chunk on its way: what was done and must be undone. */
struct passage {
	struct cftu_request *request;
	struct cftu_lane *lane;
	struct cftu_work *work;
	struct page **pages;
	size_t page_offset;		/* of the first byte in pages */
	size_t length;
	unsigned int pinned;		/* by us, for this chunk */
	unsigned int user_entries;
	unsigned int kernel_entries;
	u64 stamp_ns;
};

/* Adds the time since the last lap to one phase, where anyone wants to know. */
static void lap(struct passage *p, u64 *phase_ns)
{
	u64 now_ns = ktime_get_mono_fast_ns();

	*phase_ns += now_ns - p->stamp_ns;
	p->stamp_ns = now_ns;
}

#define LAP(p, phase)						\
	do {							\
		if ((p)->request->phases)			\
			lap(p, &(p)->request->phases->phase);	\
	} while (0)

static bool to_user(const struct passage *p)
{
	return p->request->direction == CFTU_TO_USER;
}

/*
 * A shared file page must be dirtied through the fault that tells the file
 * system first; a write by pin goes round it.
 */
static bool is_file_page(struct page *page)
{
	struct folio *folio = page_folio(page);

	return !folio_test_anon(folio) && !folio_test_swapbacked(folio) &&
	       !folio_test_hugetlb(folio);
}

static bool touches_file_page(const struct passage *p)
{
	unsigned int i;

	for (i = 0; i < p->pinned; i++)
		if (is_file_page(p->pages[i]))
			return true;
	return false;
}

static void unpin(struct passage *p, bool written)
{
	if (!p->pinned)
		return;
	unpin_user_pages_dirty_lock(p->pages, p->pinned, written);
	p->pinned = 0;
}

static enum cftu_reason pin(struct passage *p, unsigned long addr)
{
	unsigned int wanted = DIV_ROUND_UP(offset_in_page(addr) + p->length, PAGE_SIZE);
	int got;

	got = pin_user_pages_fast(addr & PAGE_MASK, wanted, to_user(p) ? FOLL_WRITE : 0,
				  p->work->pages);
	if (got <= 0)
		return CFTU_REASON_PIN_FAILED;
	p->pages = p->work->pages;
	p->pinned = got;
	p->page_offset = offset_in_page(addr);
	p->length = min(p->length, got * PAGE_SIZE - p->page_offset);
	if (to_user(p) && touches_file_page(p)) {
		unpin(p, false);
		return CFTU_REASON_FILE_PAGE;
	}
	return CFTU_REASON_NONE;
}

static enum cftu_reason take_pages(struct passage *p, size_t at)
{
	const struct cftu_pinned *pinned = p->request->pinned;
	unsigned long addr = p->request->user_addr + at;
	enum cftu_reason reason;

	if (pinned) {
		p->pages = pinned->pages;
		p->page_offset = addr - (pinned->user_addr & PAGE_MASK);
		return CFTU_REASON_NONE;
	}
	reason = pin(p, addr);
	LAP(p, pin_ns);
	return reason;
}

static enum dma_data_direction user_direction(const struct passage *p)
{
	return to_user(p) ? DMA_FROM_DEVICE : DMA_TO_DEVICE;
}

static enum dma_data_direction kernel_direction(const struct passage *p)
{
	return to_user(p) ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
}

static enum cftu_reason map(struct passage *p, size_t at)
{
	struct device *dev = p->lane->dma_device;
	struct cftu_work *work = p->work;
	struct cftu_sg_limits limits = {
		.segment_bytes = p->lane->segment_max_bytes,
		.boundary_mask = dma_get_seg_boundary(dev),
	};
	struct cftu_request *request = p->request;

	p->user_entries = cftu_sg_of_pages(work->user_table, work->pages_max, p->pages,
					   p->page_offset, p->length, &limits);
	p->kernel_entries = cftu_sg_of_span(work->kernel_table, work->pages_max, &request->span,
					    request->span_offset + at, p->length, &limits);
	if (!p->user_entries || !p->kernel_entries)
		return CFTU_REASON_MAP_FAILED;
	if (!dma_map_sg(dev, work->user_table, p->user_entries, user_direction(p)))
		return CFTU_REASON_MAP_FAILED;
	if (!dma_map_sg(dev, work->kernel_table, p->kernel_entries, kernel_direction(p))) {
		dma_unmap_sg(dev, work->user_table, p->user_entries, user_direction(p));
		return CFTU_REASON_MAP_FAILED;
	}
	return CFTU_REASON_NONE;
}

static void unmap(struct passage *p)
{
	struct device *dev = p->lane->dma_device;

	dma_unmap_sg(dev, p->work->kernel_table, p->kernel_entries, kernel_direction(p));
	dma_unmap_sg(dev, p->work->user_table, p->user_entries, user_direction(p));
}

static enum cftu_reason transfer(struct passage *p, u64 timeout_ns)
{
	struct cftu_work *work = p->work;
	struct cftu_mapped mapped = {
		.destination = to_user(p) ? work->user_table : work->kernel_table,
		.source = to_user(p) ? work->kernel_table : work->user_table,
		.length_bytes = p->length,
	};
	enum cftu_reason submitted, waited;

	atomic64_add(p->length, &p->lane->outstanding_bytes);
	submitted = cftu_transfer_submit(p->lane, &work->flight, &mapped,
					 p->request->wait == CFTU_WAIT_POLL, timeout_ns);
	LAP(p, submit_ns);
	waited = cftu_transfer_wait(p->lane, &work->flight, p->request->wait, timeout_ns);
	LAP(p, wait_ns);
	atomic64_sub(p->length, &p->lane->outstanding_bytes);
	if (waited != CFTU_REASON_NONE)
		return waited;
	return submitted;
}

enum cftu_reason cftu_chunk_by_dma(struct cftu_request *request, struct cftu_lane *lane,
				   struct cftu_work *work, size_t at, size_t length,
				   u64 timeout_ns, size_t *moved)
{
	struct passage p = {
		.request = request,
		.lane = lane,
		.work = work,
		.length = length,
	};
	enum cftu_reason reason;

	if (request->phases)
		p.stamp_ns = ktime_get_mono_fast_ns();
	reason = take_pages(&p, at);
	if (reason != CFTU_REASON_NONE)
		return reason;
	/* Fewer pages than asked for: end where the engine may end. */
	p.length &= ~(size_t)(max(lane->rule.copy_align_bytes, lane->rule.line_bytes) - 1);
	reason = p.length ? map(&p, at) : CFTU_REASON_UNALIGNED_ENDS;
	LAP(&p, map_ns);
	if (reason == CFTU_REASON_NONE) {
		reason = transfer(&p, timeout_ns);
		if (reason == CFTU_REASON_CHANNEL_LOST)
			return reason;
		unmap(&p);
		LAP(&p, unmap_ns);
	}
	unpin(&p, reason == CFTU_REASON_NONE && to_user(&p));
	LAP(&p, unpin_ns);
	if (reason == CFTU_REASON_NONE) {
		atomic64_add(p.length, &lane->dma_bytes);
		atomic64_inc(&lane->dma_chunks);
		*moved = p.length;
	}
	return reason;
}
