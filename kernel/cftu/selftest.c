// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "lane.h"
#include "module.h"
#include "selftest.h"
#include "transfer.h"

#define TRIAL_BYTES 2048
#define TRIAL_TIMEOUT_NS 2000000000ULL
/* Long for an engine that has a page to copy and is asked all the time. */
#define REAP_TIMEOUT_NS 50000000ULL
#define UNTOUCHED 0xa5

struct trial {
	u8 source[TRIAL_BYTES];
	u8 destination[TRIAL_BYTES];
	struct cftu_flight flight;
	struct cftu_flight reaped;
	struct scatterlist to;
	struct scatterlist from;
};

static void fill(struct trial *trial, u8 seed)
{
	unsigned int i;

	for (i = 0; i < TRIAL_BYTES; i++)
		trial->source[i] = (u8)(i * 7 + (i >> 8) + seed);
	memset(trial->destination, UNTOUCHED, TRIAL_BYTES);
}

/* The middle of the destination is the engine's, its edges must stay. */
static bool is_right(const struct trial *trial, unsigned int edge)
{
	unsigned int i;

	for (i = 0; i < TRIAL_BYTES; i++) {
		u8 want = i < edge || i >= TRIAL_BYTES - edge ? UNTOUCHED : trial->source[i];

		if (trial->destination[i] != want)
			return false;
	}
	return true;
}

static enum cftu_reason fly(struct cftu_lane *lane, struct trial *trial,
			    const struct cftu_mapped *mapped)
{
	enum cftu_reason submitted, waited;

	submitted = cftu_transfer_submit(lane, &trial->flight, mapped, false, TRIAL_TIMEOUT_NS);
	waited = cftu_transfer_wait(lane, &trial->flight, CFTU_WAIT_IRQ, TRIAL_TIMEOUT_NS);
	return waited != CFTU_REASON_NONE ? waited : submitted;
}

/*
 * Without an interrupt and with one behind it: if the first does not come by
 * polling, the interrupt of the second brings it, for the channel is ordered.
 */
static enum cftu_reason fly_reaped(struct cftu_lane *lane, struct trial *trial,
				   const struct cftu_mapped *mapped)
{
	enum cftu_reason submitted, second, first;

	lane->reapable = true;
	submitted = cftu_transfer_submit(lane, &trial->reaped, mapped, true, TRIAL_TIMEOUT_NS);
	lane->reapable = cftu_transfer_poll(lane, &trial->reaped, REAP_TIMEOUT_NS);
	second = fly(lane, trial, mapped);
	first = cftu_transfer_wait(lane, &trial->reaped, CFTU_WAIT_IRQ, TRIAL_TIMEOUT_NS);
	if (submitted != CFTU_REASON_NONE)
		return submitted;
	return second != CFTU_REASON_NONE ? second : first;
}

typedef enum cftu_reason (*flight_fn)(struct cftu_lane *lane, struct trial *trial,
				      const struct cftu_mapped *mapped);

static int try_once(struct cftu_lane *lane, struct trial *trial, flight_fn how)
{
	unsigned int edge = max(64U, max(lane->rule.line_bytes, lane->rule.copy_align_bytes));
	struct cftu_mapped mapped = {
		.destination = &trial->to,
		.source = &trial->from,
		.length_bytes = TRIAL_BYTES - 2 * edge,
	};
	enum cftu_reason reason;

	if (edge > TRIAL_BYTES / 4)
		return -EIO;
	fill(trial, how == fly ? 17 : 91);
	sg_init_one(&trial->from, trial->source + edge, mapped.length_bytes);
	sg_init_one(&trial->to, trial->destination + edge, mapped.length_bytes);
	if (dma_map_sg(lane->dma_device, &trial->from, 1, DMA_TO_DEVICE) != 1)
		return -ENOMEM;
	if (dma_map_sg(lane->dma_device, &trial->to, 1, DMA_FROM_DEVICE) != 1) {
		dma_unmap_sg(lane->dma_device, &trial->from, 1, DMA_TO_DEVICE);
		return -ENOMEM;
	}
	reason = how(lane, trial, &mapped);
	if (reason == CFTU_REASON_CHANNEL_LOST)
		return -ETIMEDOUT;
	dma_unmap_sg(lane->dma_device, &trial->to, 1, DMA_FROM_DEVICE);
	dma_unmap_sg(lane->dma_device, &trial->from, 1, DMA_TO_DEVICE);
	if (reason == CFTU_REASON_TIMED_OUT)
		return -ETIMEDOUT;
	return reason == CFTU_REASON_NONE && is_right(trial, edge) ? 0 : -EIO;
}

/* Two chances: an engine that errs now and then is borne, copies are redone. */
static int try_twice(struct cftu_lane *lane, struct trial *trial, flight_fn how)
{
	int error = try_once(lane, trial, how);

	return error == -EIO ? try_once(lane, trial, how) : error;
}

int cftu_self_test(struct cftu_lane *lane)
{
	/* kmalloc aligns a block of this size to itself: whole cache lines. */
	struct trial *trial = kzalloc(sizeof(*trial), GFP_KERNEL);
	int error;

	if (!trial)
		return -ENOMEM;
	error = try_twice(lane, trial, fly);
	if (!error && !lane->no_order)
		error = try_twice(lane, trial, fly_reaped);
	atomic64_set(&lane->descriptors, 0);
	atomic64_set(&lane->errors, 0);
	if (READ_ONCE(lane->dead) && !lane->can_terminate)
		return -ETIMEDOUT; /* the trial's memory stays the engine's */
	kfree(trial);
	return error;
}
