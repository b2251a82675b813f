/* SPDX-License-Identifier: GPL-2.0 */
/* A lane: one dmaengine channel that we hold, with what it can and demands. */
#ifndef CFTU_LANE_H
#define CFTU_LANE_H

#include <linux/atomic.h>
#include <linux/dmaengine.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "../core/split.h"

struct cftu_lane {
	struct dma_chan *chan;
	struct device *dma_device;	/* the one to map for */
	struct cftu_rule rule;
	u32 segment_max_bytes;
	bool no_order;			/* completion by callback only */
	bool reapable;			/* polling alone brings its callbacks: tried */
	bool can_pause;
	bool can_terminate;
	bool dead;			/* READ_ONCE: never answered; not used again */
	unsigned int timeouts;		/* in a row, under submit */
	struct mutex submit;		/* prep ... issue_pending back to back */
	spinlock_t flights_lock;	/* process context only */
	struct list_head flights;
	atomic64_t outstanding_bytes;
	atomic64_t dma_bytes;
	atomic64_t dma_chunks;
	atomic64_t descriptors;
	atomic64_t errors;
};

/* What to look for; empty names and node -1 match everything. */
struct cftu_wanted {
	int node;
	const char *driver;
	const char *device_channel;
};

/*
 * Takes one free DMA_MEMCPY channel that matches and lets it copy a page to
 * see that it does. Errors: -ENODEV none free, -EIO it copied wrong bytes,
 * -ENOMEM.
 */
struct cftu_lane *cftu_lane_take(const struct cftu_wanted *wanted);

/* Whether a lane that is held already is what is wanted. */
bool cftu_lane_matches(const struct cftu_lane *lane, const struct cftu_wanted *wanted);

/* Nothing may be in flight. A dead lane that cannot be terminated stays held. */
void cftu_lane_release(struct cftu_lane *lane);

/*
 * After a time-out: terminates everything on the lane and ends its flights
 * with CFTU_REASON_TIMED_OUT; false if the engine offers no terminate_all,
 * then the lane is dead and memory in flight must never be given back.
 */
bool cftu_lane_recover(struct cftu_lane *lane);

/*
 * Caller holds lane->submit. One time limit passed without a sign of life;
 * some in a row and the lane is dead.
 */
void cftu_lane_gave_no_answer(struct cftu_lane *lane);

/* Describes a lane of ours. */
void cftu_lane_describe(const struct cftu_lane *lane, bool high, struct cftu_channel *out);

/*
 * Calls visit() for each free channel with DMA_MEMCPY. Channels that another
 * client holds are not seen: dmaengine has no way to list them for a module.
 */
void cftu_for_each_free_channel(void (*visit)(struct dma_chan *chan, void *context),
				void *context);
void cftu_channel_describe(struct dma_chan *chan, struct cftu_channel *out);

#endif
