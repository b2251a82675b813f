// SPDX-License-Identifier: GPL-2.0
/* The operations a dmaengine client reaches. */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "cookie.h"
#include "swdma.h"

static dma_cookie_t swdma_tx_submit(struct dma_async_tx_descriptor *txd)
{
	struct swdma_chan *ch = to_swdma_chan(txd->chan);
	struct swdma_desc *d = to_swdma_desc(txd);
	unsigned long flags;
	dma_cookie_t cookie;

	spin_lock_irqsave(&ch->lock, flags);
	cookie = swdma_cookie_assign(txd);
	list_add_tail(&d->node, &ch->submitted);
	ch->counters.submitted++;
	ch->depth++;
	ch->counters.max_depth = max(ch->counters.max_depth, ch->depth);
	spin_unlock_irqrestore(&ch->lock, flags);
	return cookie;
}

static int alloc_chan_resources(struct dma_chan *chan)
{
	struct swdma_chan *ch = to_swdma_chan(chan);
	uint i;
	int err;

	ch->ring = kvcalloc(swdma_params.ring, sizeof(*ch->ring), GFP_KERNEL);
	if (!ch->ring)
		return -ENOMEM;
	for (i = 0; i < swdma_params.ring; i++) {
		dma_async_tx_descriptor_init(&ch->ring[i].txd, chan);
		ch->ring[i].txd.tx_submit = swdma_tx_submit;
		ch->ring[i].txd.flags = DMA_CTRL_ACK;
		list_add_tail(&ch->ring[i].node, &ch->free);
	}
	swdma_cookie_init(chan);
	ch->any_failed = false;
	err = swdma_params.inline_copy ? 0 : swdma_worker_start(ch);
	if (!err)
		return swdma_params.ring;
	INIT_LIST_HEAD(&ch->free);
	kvfree(ch->ring);
	return err;
}

static void drop_all(struct swdma_chan *ch)
{
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	swdma_drop_all_locked(ch);
	spin_unlock_irqrestore(&ch->lock, flags);
	wake_up_all(&ch->work);
}

static void free_chan_resources(struct dma_chan *chan)
{
	struct swdma_chan *ch = to_swdma_chan(chan);

	drop_all(ch);
	swdma_wait_quiet(ch);
	if (swdma_params.inline_copy)
		swdma_inline_stop(ch);
	else
		swdma_worker_stop(ch);
	INIT_LIST_HEAD(&ch->free);
	kvfree(ch->ring);
	ch->ring = NULL;
}

/* What a real engine would answer with a hang, a wrong copy or a bus error. */
static bool acceptable(struct dma_chan *chan, dma_addr_t dst, dma_addr_t src, size_t len)
{
	return len && len <= swdma_params.max_segment &&
	       is_dma_copy_aligned(chan->device, src, dst, len);
}

static struct swdma_desc *take_for_prep_locked(struct swdma_chan *ch, bool valid)
{
	struct swdma_desc *d;

	if (!valid) {
		ch->counters.prep_invalid++;
		return NULL;
	}
	if (swdma_fault_prep_locked(ch)) {
		ch->counters.prep_injected++;
		return NULL;
	}
	d = ch->faults.lost ? NULL : swdma_take_free_locked(ch);
	if (d)
		ch->counters.prepared++;
	else
		ch->counters.prep_refused++;
	return d;
}

static struct dma_async_tx_descriptor *prep_memcpy(struct dma_chan *chan, dma_addr_t dst,
						   dma_addr_t src, size_t len,
						   unsigned long prep_flags)
{
	struct swdma_chan *ch = to_swdma_chan(chan);
	struct swdma_desc *d;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	d = take_for_prep_locked(ch, acceptable(chan, dst, src, len));
	if (d) {
		d->txd.flags = prep_flags;
		d->txd.cookie = 0;
		d->last_cookie = 0;
		d->src = src;
		d->dst = dst;
		d->len = len;
		d->done_bytes = 0;
	}
	spin_unlock_irqrestore(&ch->lock, flags);
	return d ? &d->txd : NULL;
}

static void issue_pending(struct dma_chan *chan)
{
	struct swdma_chan *ch = to_swdma_chan(chan);
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	list_splice_tail_init(&ch->submitted, &ch->issued);
	spin_unlock_irqrestore(&ch->lock, flags);
	swdma_kick(ch);
}

static enum dma_status search_ring_locked(struct swdma_chan *ch, dma_cookie_t cookie,
					  enum dma_status status, u32 *residue)
{
	uint i;

	for (i = 0; i < swdma_params.ring; i++) {
		struct swdma_desc *d = &ch->ring[i];

		if (d->txd.cookie == cookie)
			*residue = d->len - READ_ONCE(d->done_bytes);
		else if (d->last_cookie == cookie && d->last_result != DMA_TRANS_NOERROR &&
			 swdma_params.errors_in_status)
			status = DMA_ERROR;
	}
	return status;
}

static enum dma_status status_locked(struct swdma_chan *ch, dma_cookie_t cookie, u32 *residue)
{
	enum dma_status status = dma_async_is_complete(cookie, ch->chan.completed_cookie,
						       ch->chan.cookie);

	*residue = 0;
	/* Keeps the ordinary poll short, whatever the ring's size. */
	if (status != DMA_COMPLETE || ch->any_failed)
		status = search_ring_locked(ch, cookie, status, residue);
	if (swdma_params.no_order)
		return DMA_OUT_OF_ORDER;
	if (status == DMA_IN_PROGRESS && ch->faults.lost)
		return DMA_ERROR;
	if (status == DMA_IN_PROGRESS && ch->paused)
		return DMA_PAUSED;
	return status;
}

static enum dma_status tx_status(struct dma_chan *chan, dma_cookie_t cookie,
				 struct dma_tx_state *state)
{
	struct swdma_chan *ch = to_swdma_chan(chan);
	enum dma_status status;
	unsigned long flags;
	u32 residue;

	spin_lock_irqsave(&ch->lock, flags);
	status = status_locked(ch, cookie, &residue);
	dma_set_tx_state(state, chan->completed_cookie, chan->cookie, residue);
	spin_unlock_irqrestore(&ch->lock, flags);
	return status;
}

static int set_paused(struct swdma_chan *ch, bool paused)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&ch->lock, flags);
	if (ch->faults.lost) {
		err = -ENODEV;
	} else {
		spin_lock(&ch->gate);
		WRITE_ONCE(ch->paused, paused);
		spin_unlock(&ch->gate);
		ch->counters.pauses += paused;
		ch->counters.resumes += !paused;
	}
	spin_unlock_irqrestore(&ch->lock, flags);
	return err;
}

static int pause(struct dma_chan *chan)
{
	return set_paused(to_swdma_chan(chan), true);
}

static int resume(struct dma_chan *chan)
{
	struct swdma_chan *ch = to_swdma_chan(chan);
	int err = set_paused(ch, false);

	if (!err)
		swdma_kick(ch);
	return err;
}

static int terminate_all(struct dma_chan *chan)
{
	struct swdma_chan *ch = to_swdma_chan(chan);
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	ch->counters.terminates++;
	spin_unlock_irqrestore(&ch->lock, flags);
	drop_all(ch);
	return 0;
}

static void synchronize(struct dma_chan *chan)
{
	swdma_wait_quiet(to_swdma_chan(chan));
}

void swdma_operations(struct dma_device *dma)
{
	dma->device_alloc_chan_resources = alloc_chan_resources;
	dma->device_free_chan_resources = free_chan_resources;
	dma->device_prep_dma_memcpy = prep_memcpy;
	dma->device_issue_pending = issue_pending;
	dma->device_tx_status = tx_status;
	dma->device_synchronize = synchronize;
	if (swdma_params.pause) {
		dma->device_pause = pause;
		dma->device_resume = resume;
	}
	if (swdma_params.terminate)
		dma->device_terminate_all = terminate_all;
}

void swdma_channel_init(struct swdma_chan *ch, struct swdma_device *sd, struct device *dev,
			uint number)
{
	ch->dev = dev;
	ch->number = number;
	spin_lock_init(&ch->lock);
	spin_lock_init(&ch->gate);
	INIT_LIST_HEAD(&ch->free);
	INIT_LIST_HEAD(&ch->submitted);
	INIT_LIST_HEAD(&ch->issued);
	INIT_LIST_HEAD(&ch->batch);
	INIT_LIST_HEAD(&ch->done);
	init_waitqueue_head(&ch->work);
	init_waitqueue_head(&ch->quiet);
	swdma_inline_init(ch);
	swdma_fault_reset(ch);
	ch->chan.device = &sd->dma;
	list_add_tail(&ch->chan.device_node, &sd->dma.channels);
}
