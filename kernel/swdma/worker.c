// SPDX-License-Identifier: GPL-2.0
/* One kernel thread a channel performs its descriptors, with delay and pause. */
#include <linux/bottom_half.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "swdma.h"

/* Below this a timer costs more than it waits. */
#define SPIN_NS 20000

/* Moves one slice; false when there is nothing left or the gate is shut. */
bool swdma_copy_slice(struct swdma_chan *ch, struct swdma_desc *d)
{
	size_t bytes = min_t(size_t, d->plan.copy_bytes - d->done_bytes, SWDMA_SLICE_BYTES);
	unsigned long flags;
	bool open;

	spin_lock_irqsave(&ch->gate, flags);
	open = bytes && !swdma_stopped(ch, d) && (!ch->paused || swdma_params.inline_copy);
	if (open) {
		memcpy(swdma_address(ch->dev, d->dst + d->done_bytes),
		       swdma_address(ch->dev, d->src + d->done_bytes), bytes);
		WRITE_ONCE(d->done_bytes, d->done_bytes + bytes);
	}
	spin_unlock_irqrestore(&ch->gate, flags);
	return open;
}

static void wait_until(struct swdma_chan *ch, struct swdma_desc *d, u64 due_ns)
{
	u64 now_ns = ktime_get_ns();

	if (now_ns >= due_ns)
		return;
	if (due_ns - now_ns >= SPIN_NS) {
		wait_event_interruptible_hrtimeout(ch->work, swdma_stopped(ch, d),
						   ns_to_ktime(due_ns - now_ns));
		return;
	}
	while (ktime_get_ns() < due_ns && !swdma_stopped(ch, d))
		cpu_relax();
}

/* Time spent paused is not owed: the schedule starts again at the resume. */
static u64 wait_while_paused(struct swdma_chan *ch, struct swdma_desc *d, u64 due_ns)
{
	if (!READ_ONCE(ch->paused))
		return due_ns;
	wait_event_idle(ch->work, !READ_ONCE(ch->paused) || swdma_stopped(ch, d));
	return max(due_ns, ktime_get_ns());
}

static void perform(struct swdma_chan *ch, struct swdma_desc *d)
{
	u64 due_ns = ktime_get_ns() + d->plan.delay_ns;
	size_t before = 0;

	if (d->plan.hang) {
		wait_event_idle(ch->work, swdma_stopped(ch, d));
		return;
	}
	do {
		due_ns += div_u64((d->done_bytes - before) * d->plan.ns_per_kib, 1024);
		before = d->done_bytes;
		wait_until(ch, d, due_ns);
		due_ns = wait_while_paused(ch, d, due_ns);
		cond_resched();
	} while (!swdma_stopped(ch, d) &&
		 (swdma_copy_slice(ch, d) || d->done_bytes < d->plan.copy_bytes));
}

static void run_one(struct swdma_chan *ch)
{
	struct swdma_desc *d;

	spin_lock_irq(&ch->lock);
	d = swdma_start_next_locked(ch);
	spin_unlock_irq(&ch->lock);
	if (!d)
		return;
	perform(ch, d);
	spin_lock_irq(&ch->lock);
	swdma_finish_locked(ch, d);
	spin_unlock_irq(&ch->lock);

	/* Clients expect their callback where an interrupt's would run. */
	local_bh_disable();
	swdma_deliver(ch);
	local_bh_enable();
}

static int worker(void *data)
{
	struct swdma_chan *ch = data;

	while (!kthread_should_stop()) {
		wait_event_idle(ch->work, kthread_should_stop() || swdma_runnable(ch));
		run_one(ch);
		cond_resched();
	}
	return 0;
}

int swdma_worker_start(struct swdma_chan *ch)
{
	struct task_struct *task;

	task = kthread_create_on_node(worker, ch, swdma_params.node, "swdma/%u", ch->number);
	if (IS_ERR(task))
		return PTR_ERR(task);
	if (swdma_params.node != NUMA_NO_NODE)
		set_cpus_allowed_ptr(task, cpumask_of_node(swdma_params.node));
	if (swdma_params.cpu >= 0)
		set_cpus_allowed_ptr(task, cpumask_of(swdma_params.cpu));
	ch->worker = task;
	wake_up_process(task);
	return 0;
}

void swdma_worker_stop(struct swdma_chan *ch)
{
	kthread_stop(ch->worker);
	ch->worker = NULL;
}
