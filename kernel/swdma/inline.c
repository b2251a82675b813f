// SPDX-License-Identifier: GPL-2.0
/*
 * The inline mode: who issues, copies. No thread is woken, so the number of
 * instructions between submit and callback is the same in every run. Delays do
 * not apply, and a pause takes effect between descriptors.
 */
#include "swdma.h"

static void tasklet(struct tasklet_struct *t)
{
	swdma_deliver(container_of(t, struct swdma_chan, tasklet));
}

void swdma_inline_init(struct swdma_chan *ch)
{
	tasklet_setup(&ch->tasklet, tasklet);
}

/* A second submitter leaves its descriptors to the one already copying. */
void swdma_inline_run(struct swdma_chan *ch)
{
	struct swdma_desc *d;
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	if (ch->inline_busy) {
		spin_unlock_irqrestore(&ch->lock, flags);
		return;
	}
	if (ch->running && ch->faults.lost)
		swdma_finish_locked(ch, ch->running);
	while ((d = swdma_start_next_locked(ch)) && !d->plan.hang) {
		ch->inline_busy = true;
		spin_unlock_irqrestore(&ch->lock, flags);
		while (swdma_copy_slice(ch, d))
			;
		spin_lock_irqsave(&ch->lock, flags);
		ch->inline_busy = false;
		swdma_finish_locked(ch, d);
	}
	spin_unlock_irqrestore(&ch->lock, flags);
	tasklet_schedule(&ch->tasklet);
	wake_up_all(&ch->quiet);
}

void swdma_inline_stop(struct swdma_chan *ch)
{
	tasklet_kill(&ch->tasklet);
}
