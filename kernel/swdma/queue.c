// SPDX-License-Identifier: GPL-2.0
/* The life of a descriptor after tx_submit, whoever performs the copy. */
#include <linux/sched.h>
#include <linux/slab.h>

#include "cookie.h"
#include "swdma.h"

/*
 * The oldest descriptor whose client has acknowledged it. Its callback fields
 * are left as they were: real drivers do the same, and a client that sets them
 * only now and then has to be caught here.
 */
struct swdma_desc *swdma_take_free_locked(struct swdma_chan *ch)
{
	struct swdma_desc *d;

	list_for_each_entry(d, &ch->free, node) {
		if (!async_tx_test_ack(&d->txd))
			continue;
		list_del_init(&d->node);
		return d;
	}
	return NULL;
}

static void recycle_locked(struct swdma_chan *ch, struct swdma_desc *d)
{
	list_move_tail(&d->node, &ch->free);
}

static void drop_locked(struct swdma_chan *ch, struct swdma_desc *d)
{
	if (d->txd.cookie) {
		d->last_cookie = d->txd.cookie;
		d->last_result = DMA_TRANS_ABORTED;
		ch->any_failed = true;
		d->txd.cookie = 0;
	}
	ch->counters.dropped++;
	recycle_locked(ch, d);
}

struct swdma_desc *swdma_start_next_locked(struct swdma_chan *ch)
{
	struct swdma_desc *d;

	if (ch->running || (ch->paused && !ch->faults.lost))
		return NULL;
	if (list_empty(&ch->batch))
		swdma_fill_batch_locked(ch);
	d = list_first_entry_or_null(&ch->batch, struct swdma_desc, node);
	if (!d)
		return NULL;
	list_del_init(&d->node);
	d->epoch = ch->epoch;
	d->plan = swdma_fault_plan_locked(ch, d->len);
	ch->running = d;
	return d;
}

bool swdma_runnable(struct swdma_chan *ch)
{
	unsigned long flags;
	bool ready;

	spin_lock_irqsave(&ch->lock, flags);
	ready = (!ch->paused || ch->faults.lost) &&
		!(list_empty(&ch->batch) && list_empty(&ch->issued));
	spin_unlock_irqrestore(&ch->lock, flags);
	return ready;
}

/* A descriptor that was terminated meanwhile gets neither cookie nor callback. */
void swdma_finish_locked(struct swdma_chan *ch, struct swdma_desc *d)
{
	ch->running = NULL;
	if (d->epoch != ch->epoch) {
		drop_locked(ch, d);
		return;
	}
	if (ch->faults.lost)
		d->plan.result = DMA_TRANS_ABORTED;
	ch->depth--;
	ch->counters.descriptors++;
	ch->counters.bytes += d->done_bytes;
	if (d->plan.result != DMA_TRANS_NOERROR) {
		ch->counters.errors_injected++;
		ch->any_failed = true;
	}
	d->last_cookie = d->txd.cookie;
	d->last_result = d->plan.result;
	swdma_cookie_complete(&d->txd);
	list_add_tail(&d->node, &ch->done);
}

/*
 * Everything queued goes, and the epoch tells the running descriptor to stop.
 * Nobody performs a descriptor that hangs in the inline mode: it goes here too.
 */
void swdma_drop_all_locked(struct swdma_chan *ch)
{
	struct list_head *queues[] = { &ch->submitted, &ch->issued, &ch->batch, &ch->done };
	struct swdma_desc *d, *next;
	uint i;

	spin_lock(&ch->gate);
	WRITE_ONCE(ch->epoch, ch->epoch + 1);
	WRITE_ONCE(ch->paused, false);
	spin_unlock(&ch->gate);
	for (i = 0; i < ARRAY_SIZE(queues); i++)
		list_for_each_entry_safe(d, next, queues[i], node)
			drop_locked(ch, d);
	if (swdma_params.inline_copy && ch->running && !ch->inline_busy)
		swdma_finish_locked(ch, ch->running);
	ch->depth = 0;
}

struct swdma_call {
	dma_async_tx_callback callback;
	dma_async_tx_callback_result callback_result;
	void *param;
	struct dmaengine_result result;
};

static struct swdma_call call_of(struct swdma_desc *d)
{
	struct swdma_call call = {
		.callback = d->txd.callback,
		.callback_result = d->txd.callback_result,
		.param = d->txd.callback_param,
		.result.result = d->last_result,
		.result.residue = d->len - d->done_bytes,
	};

	if (swdma_params.callback_needs_interrupt && !(d->txd.flags & DMA_PREP_INTERRUPT)) {
		call.callback_result = NULL;
		call.callback = NULL;
	}
	return call;
}

static bool next_call(struct swdma_chan *ch, struct swdma_call *call)
{
	struct swdma_desc *d;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	d = list_first_entry_or_null(&ch->done, struct swdma_desc, node);
	ch->delivering = d != NULL;
	if (d) {
		*call = call_of(d);
		if (call->callback || call->callback_result)
			ch->counters.callbacks++;
		recycle_locked(ch, d);
	}
	spin_unlock_irqrestore(&ch->lock, flags);
	return d != NULL;
}

/*
 * Calls back for what is done, bottom halves off. The descriptor is free again
 * before its callback runs, so that a callback may submit even with a ring of 1.
 */
void swdma_deliver(struct swdma_chan *ch)
{
	struct swdma_call call;

	while (next_call(ch, &call)) {
		if (call.callback_result)
			call.callback_result(call.param, &call.result);
		else if (call.callback)
			call.callback(call.param);
	}
	wake_up_all(&ch->quiet);
}

static bool is_quiet(struct swdma_chan *ch)
{
	unsigned long flags;
	bool quiet;

	spin_lock_irqsave(&ch->lock, flags);
	quiet = !ch->delivering && (!ch->running || ch->running->epoch == ch->epoch);
	spin_unlock_irqrestore(&ch->lock, flags);
	return quiet;
}

/* Returns when nothing terminated still runs and no callback is under way. */
void swdma_wait_quiet(struct swdma_chan *ch)
{
	wait_event(ch->quiet, is_quiet(ch));
}
