// SPDX-License-Identifier: GPL-2.0
#include <linux/ktime.h>
#include <linux/sched.h>
#include <uapi/linux/sched/types.h>

#include "events.h"
#include "gate.h"
#include "lane.h"
#include "module.h"

static enum hrtimer_restart on_boundary(struct hrtimer *timer)
{
	struct cftu_gate *gate = container_of(timer, struct cftu_gate, timer);
	unsigned long flags;
	u64 next_ns;
	bool high;

	spin_lock_irqsave(&gate->lock, flags);
	next_ns = cftu_window_tick(&gate->clock, ktime_get_ns());
	high = gate->clock.high;
	spin_unlock_irqrestore(&gate->lock, flags);

	if (high != gate->high) {
		WRITE_ONCE(gate->high, high);
		trace_cftu_gate(high);
		if (gate->pauser)
			kthread_queue_work(gate->pauser, &gate->flip);
		if (!high)
			wake_up_all(&gate->open);
	}
	hrtimer_set_expires(timer, ns_to_ktime(next_ns));
	return HRTIMER_RESTART;
}

static void set_paused(struct cftu_gate *gate, bool pause)
{
	unsigned int i;

	if (gate->paused == pause)
		return;
	for (i = 0; i < gate->pausable_count; i++) {
		struct dma_chan *chan = gate->pausable[i]->chan;
		int error;

		error = pause ? dmaengine_pause(chan) : dmaengine_resume(chan);
		if (error) {
			unsigned long flags;

			spin_lock_irqsave(&gate->lock, flags);
			gate->clock.achieved.pause_errors++;
			spin_unlock_irqrestore(&gate->lock, flags);
		}
	}
	gate->paused = pause;
}

static void on_flip(struct kthread_work *work)
{
	struct cftu_gate *gate = container_of(work, struct cftu_gate, flip);

	set_paused(gate, READ_ONCE(gate->high) && !READ_ONCE(gate->stopping));
}

static int start_pauser(struct cftu_gate *gate)
{
	kthread_init_work(&gate->flip, on_flip);
	gate->pauser = kthread_create_worker(0, "cftu_pause");
	if (IS_ERR(gate->pauser)) {
		int error = PTR_ERR(gate->pauser);

		gate->pauser = NULL;
		return error;
	}
	sched_set_fifo(gate->pauser->task);
	return 0;
}

int cftu_gate_start(struct cftu_gate *gate, u64 quantum_ns, u64 window_ns)
{
	u64 next_ns;
	int error;

	spin_lock_init(&gate->lock);
	init_waitqueue_head(&gate->open);
	gate->stopping = false;
	gate->paused = false;
	if (gate->pausable_count) {
		error = start_pauser(gate);
		if (error)
			return error;
	}
	next_ns = cftu_window_start(&gate->clock, ktime_get_ns(), quantum_ns, window_ns);
	gate->high = true;
	if (gate->pauser)
		kthread_queue_work(gate->pauser, &gate->flip);
#ifdef CFTU_HAVE_HRTIMER_SETUP
	hrtimer_setup(&gate->timer, on_boundary, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED);
#else
	hrtimer_init(&gate->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED);
	gate->timer.function = on_boundary;
#endif
	hrtimer_start(&gate->timer, ns_to_ktime(next_ns), HRTIMER_MODE_ABS_PINNED);
	return 0;
}

void cftu_gate_open_for_good(struct cftu_gate *gate)
{
	WRITE_ONCE(gate->stopping, true);
	/* What waits in a paused channel must run too. */
	if (gate->pauser)
		kthread_queue_work(gate->pauser, &gate->flip);
	wake_up_all(&gate->open);
}

void cftu_gate_stop(struct cftu_gate *gate)
{
	unsigned long flags;

	cftu_gate_open_for_good(gate);
	hrtimer_cancel(&gate->timer);
	if (gate->pauser) {
		kthread_flush_worker(gate->pauser);
		kthread_destroy_worker(gate->pauser);
		set_paused(gate, false);
		gate->pauser = NULL;
	}
	spin_lock_irqsave(&gate->lock, flags);
	cftu_window_stop(&gate->clock, ktime_get_ns());
	spin_unlock_irqrestore(&gate->lock, flags);
}

static bool is_open(const struct cftu_gate *gate)
{
	return !READ_ONCE(gate->high) || READ_ONCE(gate->stopping);
}

bool cftu_gate_pass(struct cftu_gate *gate)
{
	unsigned long flags;
	u64 begin_ns;
	int error;

	if (is_open(gate))
		return true;
	begin_ns = ktime_get_ns();
	error = wait_event_killable(gate->open, is_open(gate));
	spin_lock_irqsave(&gate->lock, flags);
	cftu_window_waited(&gate->clock.achieved, ktime_get_ns() - begin_ns);
	spin_unlock_irqrestore(&gate->lock, flags);
	return !error;
}

void cftu_gate_low_done(struct cftu_gate *gate)
{
	unsigned long flags;

	spin_lock_irqsave(&gate->lock, flags);
	cftu_window_low_done(&gate->clock, ktime_get_ns());
	spin_unlock_irqrestore(&gate->lock, flags);
}

void cftu_gate_read(struct cftu_gate *gate, struct cftu_windows *out)
{
	unsigned long flags;

	spin_lock_irqsave(&gate->lock, flags);
	*out = gate->clock.achieved;
	spin_unlock_irqrestore(&gate->lock, flags);
}
