/* SPDX-License-Identifier: GPL-2.0 */
/* One scatter/gather transfer on a lane: prep, submit, issue, wait. */
#ifndef CFTU_TRANSFER_H
#define CFTU_TRANSFER_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/scatterlist.h>

#include "lane.h"

/*
 * What is under way on a lane for one chunk. The callbacks of its descriptors
 * hold a pointer to it: it may go only when cftu_transfer_wait() says so.
 */
struct cftu_flight {
	struct list_head node;
	struct completion done;
	atomic_t left;		/* callbacks to come, one more while submitting */
	int reason;		/* the first error, enum cftu_reason */
	bool reaped;		/* submitted without interrupts, see lane->reapable */
	bool abandoned;
	dma_cookie_t last;
};

/* Mapped sides of a transfer. Both tables carry the same number of bytes. */
struct cftu_mapped {
	struct scatterlist *destination;
	struct scatterlist *source;
	size_t length_bytes;
};

/*
 * Submits the whole transfer; with `reap`, where the lane allows it, without
 * interrupts, to be waited for by CFTU_WAIT_POLL. Returns CFTU_REASON_NONE, or why not all of it
 * could be submitted; in both cases cftu_transfer_wait() must follow, for what
 * was submitted runs.
 */
enum cftu_reason cftu_transfer_submit(struct cftu_lane *lane, struct cftu_flight *flight,
				      const struct cftu_mapped *mapped, bool reap,
				      u64 timeout_ns);

/*
 * Spins until every callback came; false if the time ran out, then nothing has
 * changed. cftu_transfer_wait() with CFTU_WAIT_POLL is made of it.
 */
bool cftu_transfer_poll(struct cftu_lane *lane, struct cftu_flight *flight, u64 timeout_ns);

/*
 * Waits until the engine has let go of the memory. Returns CFTU_REASON_NONE,
 * the engine's error, _TIMED_OUT after a successful terminate, or
 * _CHANNEL_LOST: then the engine may write at any later time and nothing of
 * the transfer may be unmapped, unpinned or reused.
 */
enum cftu_reason cftu_transfer_wait(struct cftu_lane *lane, struct cftu_flight *flight,
				    enum cftu_wait wait, u64 timeout_ns);

/* For cftu_lane_recover(): no callback of this flight will come any more. */
void cftu_flight_abandon(struct cftu_flight *flight, enum cftu_reason reason);

#endif
