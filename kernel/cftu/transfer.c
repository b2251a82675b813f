// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "module.h"
#include "transfer.h"

/* How long a hybrid wait spins before it sleeps: about one wake-up. */
#define HYBRID_SPIN_NS 10000

static enum cftu_reason reason_of(const struct dmaengine_result *result)
{
	if (!result)
		return CFTU_REASON_NONE;
	switch (result->result) {
	case DMA_TRANS_NOERROR:
		return CFTU_REASON_NONE;
	case DMA_TRANS_READ_FAILED:
		return CFTU_REASON_READ_FAILED;
	case DMA_TRANS_WRITE_FAILED:
		return CFTU_REASON_WRITE_FAILED;
	default:
		return CFTU_REASON_ABORTED;
	}
}

static void note_error(struct cftu_flight *flight, enum cftu_reason reason)
{
	if (reason != CFTU_REASON_NONE)
		cmpxchg(&flight->reason, CFTU_REASON_NONE, (int)reason);
}

static void one_less(struct cftu_flight *flight)
{
	if (atomic_dec_and_test(&flight->left))
		complete(&flight->done);
}

/* A descriptor whose end the flight waits for. */
static void on_counted(void *param, const struct dmaengine_result *result)
{
	struct cftu_flight *flight = param;

	note_error(flight, reason_of(result));
	one_less(flight);
}

/* An earlier descriptor of an ordered channel: only its error matters. */
static void on_earlier(void *param, const struct dmaengine_result *result)
{
	note_error(param, reason_of(result));
}

void cftu_flight_abandon(struct cftu_flight *flight, enum cftu_reason reason)
{
	note_error(flight, reason);
	WRITE_ONCE(flight->abandoned, true);
	complete(&flight->done);
}

static void take_off(struct cftu_lane *lane, struct cftu_flight *flight, bool reap)
{
	init_completion(&flight->done);
	atomic_set(&flight->left, 1);
	flight->reason = CFTU_REASON_NONE;
	flight->reaped = reap;
	flight->abandoned = false;
	flight->last = 0;
	spin_lock(&lane->flights_lock);
	list_add_tail(&flight->node, &lane->flights);
	spin_unlock(&lane->flights_lock);
}

static void land(struct cftu_lane *lane, struct cftu_flight *flight)
{
	spin_lock(&lane->flights_lock);
	list_del(&flight->node);
	spin_unlock(&lane->flights_lock);
}

/* A refused prep is back-pressure: let what is queued run and ask again. */
static struct dma_async_tx_descriptor *prep(struct cftu_lane *lane, dma_addr_t destination,
					    dma_addr_t source, size_t length,
					    unsigned long flags, u64 timeout_ns)
{
	u64 give_up_ns = 0;

	for (;;) {
		struct dma_async_tx_descriptor *tx = dmaengine_prep_dma_memcpy(
			lane->chan, destination, source, length, flags);

		if (tx)
			return tx;
		dma_async_issue_pending(lane->chan);
		if (!give_up_ns)
			give_up_ns = ktime_get_mono_fast_ns() + timeout_ns;
		else if (ktime_get_mono_fast_ns() > give_up_ns)
			return NULL;
		usleep_range(5, 30);
	}
}

/* Whether this descriptor's end is waited for, and not only its error noted. */
static bool is_counted(const struct cftu_lane *lane, bool last)
{
	return lane->no_order || last;
}

/*
 * Callback fields are set on every descriptor: drivers reuse descriptors with
 * the fields of their last owner in them, and only callbacks tell errors.
 */
static void set_callback(struct dma_async_tx_descriptor *tx, struct cftu_flight *flight,
			 bool counted)
{
	tx->callback = NULL;
	tx->callback_param = flight;
	tx->callback_result = counted ? on_counted : on_earlier;
	if (counted)
		atomic_inc(&flight->left);
}

static enum cftu_reason submit_piece(struct cftu_lane *lane, struct cftu_flight *flight,
				     dma_addr_t destination, dma_addr_t source, size_t length,
				     bool last, u64 timeout_ns)
{
	bool counted = is_counted(lane, last);
	unsigned long flags = DMA_CTRL_ACK;
	struct dma_async_tx_descriptor *tx;
	dma_cookie_t cookie;

	if (counted && !flight->reaped)
		flags |= DMA_PREP_INTERRUPT;
	tx = prep(lane, destination, source, length, flags, timeout_ns);
	if (!tx) {
		cftu_lane_gave_no_answer(lane);
		return CFTU_REASON_NO_DESCRIPTOR;
	}
	set_callback(tx, flight, counted);
	cookie = dmaengine_submit(tx);
	if (dma_submit_error(cookie)) {
		if (counted)
			atomic_dec(&flight->left);
		return CFTU_REASON_SUBMIT_FAILED;
	}
	flight->last = cookie;
	atomic64_inc(&lane->descriptors);
	return CFTU_REASON_NONE;
}

/* Walks one mapped table in steps that the other one shares. */
struct cursor {
	struct scatterlist *sg;
	unsigned int offset;
};

static unsigned int room(const struct cursor *at)
{
	return sg_dma_len(at->sg) - at->offset;
}

static void advance(struct cursor *at, unsigned int length)
{
	at->offset += length;
	if (at->offset == sg_dma_len(at->sg)) {
		at->sg = sg_next(at->sg);
		at->offset = 0;
	}
}

static enum cftu_reason submit_pieces(struct cftu_lane *lane, struct cftu_flight *flight,
				      const struct cftu_mapped *mapped, u64 timeout_ns)
{
	struct cursor to = { .sg = mapped->destination };
	struct cursor from = { .sg = mapped->source };
	size_t left = mapped->length_bytes;

	while (left) {
		size_t piece = min3((size_t)room(&to), (size_t)room(&from), left);
		enum cftu_reason reason;

		piece = min_t(size_t, piece, lane->segment_max_bytes);
		reason = submit_piece(lane, flight, sg_dma_address(to.sg) + to.offset,
				      sg_dma_address(from.sg) + from.offset, piece,
				      piece == left, timeout_ns);
		if (reason != CFTU_REASON_NONE)
			return reason;
		advance(&to, piece);
		advance(&from, piece);
		left -= piece;
	}
	return CFTU_REASON_NONE;
}

/*
 * On an ordered channel only the last descriptor was to report; the transfer
 * broke off before it, so nothing would. One callback more is asked for by an
 * empty-handed wait: let the queue drain by the cookie of the last one.
 */
static void drain_ordered(struct cftu_lane *lane, struct cftu_flight *flight, u64 timeout_ns)
{
	u64 give_up_ns = ktime_get_mono_fast_ns() + timeout_ns;

	while (dma_async_is_tx_complete(lane->chan, flight->last, NULL, NULL) ==
	       DMA_IN_PROGRESS) {
		if (READ_ONCE(flight->abandoned) || ktime_get_mono_fast_ns() > give_up_ns) {
			/* Let the wait time out and recover. */
			atomic_inc(&flight->left);
			return;
		}
		usleep_range(20, 60);
	}
	dmaengine_synchronize(lane->chan);
}

enum cftu_reason cftu_transfer_submit(struct cftu_lane *lane, struct cftu_flight *flight,
				      const struct cftu_mapped *mapped, bool reap,
				      u64 timeout_ns)
{
	enum cftu_reason reason = CFTU_REASON_CHANNEL_LOST;

	mutex_lock(&lane->submit);
	take_off(lane, flight, reap && lane->reapable);
	if (!READ_ONCE(lane->dead)) {
		reason = submit_pieces(lane, flight, mapped, timeout_ns);
		dma_async_issue_pending(lane->chan);
	}
	mutex_unlock(&lane->submit);

	if (reason != CFTU_REASON_NONE && flight->last && !lane->no_order)
		drain_ordered(lane, flight, timeout_ns);
	one_less(flight);
	return reason;
}

/*
 * Asking for the status makes some drivers reap what is done and call back
 * from here, without an interrupt.
 */
bool cftu_transfer_poll(struct cftu_lane *lane, struct cftu_flight *flight, u64 timeout_ns)
{
	u64 give_up_ns = ktime_get_mono_fast_ns() + timeout_ns;
	unsigned int rounds = 0;

	while (!completion_done(&flight->done)) {
		if (flight->reaped)
			dma_async_is_tx_complete(lane->chan, flight->last, NULL, NULL);
		if (!(++rounds & 63)) {
			if (ktime_get_mono_fast_ns() > give_up_ns)
				return false;
			cond_resched();
		}
		cpu_relax();
	}
	return true;
}

static void spin_for_callback(struct cftu_flight *flight)
{
	u64 until_ns = ktime_get_mono_fast_ns() + HYBRID_SPIN_NS;

	while (!completion_done(&flight->done) && ktime_get_mono_fast_ns() < until_ns)
		cpu_relax();
}

static bool wait_until_done(struct cftu_lane *lane, struct cftu_flight *flight,
			    enum cftu_wait wait, u64 timeout_ns)
{
	if (wait == CFTU_WAIT_POLL && !cftu_transfer_poll(lane, flight, timeout_ns))
		return false;
	if (wait == CFTU_WAIT_HYBRID)
		spin_for_callback(flight);
	return wait_for_completion_timeout(&flight->done, nsecs_to_jiffies(timeout_ns) + 1);
}

enum cftu_reason cftu_transfer_wait(struct cftu_lane *lane, struct cftu_flight *flight,
				    enum cftu_wait wait, u64 timeout_ns)
{
	if (!wait_until_done(lane, flight, wait, timeout_ns)) {
		if (!cftu_lane_recover(lane)) {
			/* The flight stays on the lane's list, with all it points to. */
			return CFTU_REASON_CHANNEL_LOST;
		}
	} else if (flight->last && READ_ONCE(flight->reason) == CFTU_REASON_NONE) {
		WRITE_ONCE(lane->timeouts, 0);
	}
	land(lane, flight);
	if (flight->reason != CFTU_REASON_NONE)
		atomic64_inc(&lane->errors);
	return flight->reason;
}
