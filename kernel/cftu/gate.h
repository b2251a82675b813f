/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The gate of the priority policy: low-priority chunks wait before it while
 * the window is the high channels'. A timer moves it; where asked for and
 * offered, low channels are paused in hardware as well.
 */
#ifndef CFTU_GATE_H
#define CFTU_GATE_H

#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "../core/window.h"

struct cftu_lane;

struct cftu_gate {
	struct hrtimer timer;
	spinlock_t lock;		/* the clock */
	struct cftu_window_clock clock;
	wait_queue_head_t open;
	bool high;			/* READ_ONCE outside the lock */
	bool stopping;
	/* hardware pause */
	struct kthread_worker *pauser;
	struct kthread_work flip;
	struct cftu_lane *pausable[CFTU_CHANNELS_MAX];
	unsigned int pausable_count;
	bool paused;			/* the pauser's */
};

/*
 * Starts the clock. With gate->pausable_count lanes in gate->pausable these are
 * paused in high windows; none: the software gate alone.
 */
int cftu_gate_start(struct cftu_gate *gate, u64 quantum_ns, u64 window_ns);

/* Lets everybody through from now on; channels may still be paused. */
void cftu_gate_open_for_good(struct cftu_gate *gate);

/* Stops timer and pauser, resumes what is paused. */
void cftu_gate_stop(struct cftu_gate *gate);

/*
 * Waits until low-priority work may run. Returns false if a fatal signal came
 * first.
 */
bool cftu_gate_pass(struct cftu_gate *gate);

/* A low-priority chunk ended. */
void cftu_gate_low_done(struct cftu_gate *gate);

void cftu_gate_read(struct cftu_gate *gate, struct cftu_windows *out);

#endif
