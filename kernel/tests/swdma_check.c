// SPDX-License-Identifier: GPL-2.0
/*
 * A client of one swdma channel for what dmatest does not use: pause, terminate,
 * residue, results, reuse of descriptors, order. Each check is a line
 * "swdma_check: ok NAME" or "swdma_check: not ok NAME: WHY" in the kernel's log.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/slab.h>

#define BYTES (256 * 1024)
/* Only an engine that never answers takes so long, however busy the machine. */
#define LONG_WAIT (100 * HZ)
/* How often a copy may end before it is caught under way. */
#define MOST_TRIES 500
#define MANY 24

static bool inline_copy;
module_param(inline_copy, bool, 0444);
MODULE_PARM_DESC(inline_copy, "the engine copies in the submitter's context");

static bool no_order;
module_param(no_order, bool, 0444);
MODULE_PARM_DESC(no_order, "the engine completes out of order");

static struct dma_chan *chan;
static struct device *dev;
static u8 *src, *dst;
static dma_addr_t src_addr, dst_addr;
static char why[160];

struct outcome {
	struct completion done;
	struct dmaengine_result result;
	unsigned int calls;
};

static unsigned int order[MANY];
static atomic_t position;

static void note_result(void *param, const struct dmaengine_result *result)
{
	struct outcome *o = param;

	o->result = *result;
	o->calls++;
	complete(&o->done);
}

static void note_order(void *param)
{
	order[(unsigned long)param] = atomic_inc_return(&position);
}

#define EXPECT(condition)						\
	do {								\
		if (!(condition)) {					\
			snprintf(why, sizeof(why), "line %d: %s",	\
				 __LINE__, #condition);			\
			return false;					\
		}							\
	} while (0)

static void outcome_init(struct outcome *o)
{
	memset(o, 0, sizeof(*o));
	init_completion(&o->done);
}

static dma_cookie_t submit(size_t bytes, struct outcome *o)
{
	struct dma_async_tx_descriptor *tx;

	tx = dmaengine_prep_dma_memcpy(chan, dst_addr, src_addr, bytes,
				       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
	if (!tx)
		return -EAGAIN;
	tx->callback = NULL;
	tx->callback_result = note_result;
	tx->callback_param = o;
	return dmaengine_submit(tx);
}

static dma_cookie_t start(size_t bytes, struct outcome *o)
{
	dma_cookie_t cookie;

	outcome_init(o);
	memset(dst, 0, BYTES);
	cookie = submit(bytes, o);
	dma_async_issue_pending(chan);
	return cookie;
}

static bool wait(struct outcome *o)
{
	return wait_for_completion_timeout(&o->done, LONG_WAIT);
}

static bool check_copy(void)
{
	struct outcome o;
	dma_cookie_t cookie = start(BYTES, &o);

	EXPECT(cookie > 0);
	EXPECT(wait(&o));
	EXPECT(o.result.result == DMA_TRANS_NOERROR);
	EXPECT(!o.result.residue);
	EXPECT(!memcmp(src, dst, BYTES));
	EXPECT(dma_async_is_tx_complete(chan, cookie, NULL, NULL) ==
	       (no_order ? DMA_OUT_OF_ORDER : DMA_COMPLETE));
	return true;
}

/* Nothing is performed while paused, and all of it after the resume. */
static bool check_pause_before(void)
{
	struct outcome o;
	dma_cookie_t cookie;

	EXPECT(!dmaengine_pause(chan));
	cookie = start(BYTES, &o);
	msleep(50);
	EXPECT(!o.calls);
	EXPECT(!dst[0] || src[0] == 0);
	EXPECT(dma_async_is_tx_complete(chan, cookie, NULL, NULL) ==
	       (no_order ? DMA_OUT_OF_ORDER : DMA_PAUSED));
	EXPECT(!dmaengine_resume(chan));
	EXPECT(wait(&o));
	EXPECT(!memcmp(src, dst, BYTES));
	return true;
}

/* Returns when the first bytes have moved: all of them, where we come late. */
static bool wait_until_begun(dma_cookie_t cookie)
{
	unsigned long deadline = jiffies + LONG_WAIT;
	struct dma_tx_state state;

	do {
		usleep_range(500, 1000);
		dmaengine_tx_status(chan, cookie, &state);
	} while (state.residue == BYTES && time_before(jiffies, deadline));
	return state.residue != BYTES;
}

static void note_tries(const char *name, unsigned int tries)
{
	if (tries > 1)
		pr_info("swdma_check: note %s: caught under way at try %u\n", name, tries);
}

/*
 * A copy takes 51 ms, which a busy machine may spend elsewhere: one that has
 * ended before the pause says nothing of it, is checked, and made anew.
 */
static bool paused_inside(dma_cookie_t *cookie, struct outcome *o, struct dma_tx_state *state)
{
	enum dma_status status;
	unsigned int tries;

	for (tries = 1; tries <= MOST_TRIES; tries++) {
		*cookie = start(BYTES, o);
		EXPECT(wait_until_begun(*cookie));
		EXPECT(!dmaengine_pause(chan));
		status = dmaengine_tx_status(chan, *cookie, state);
		if (status == DMA_PAUSED && state->residue) {
			note_tries("pause inside", tries);
			return true;
		}
		/* Moved as a whole: it may still wait for its end, but has no more to do. */
		EXPECT(status == DMA_COMPLETE || status == DMA_PAUSED);
		EXPECT(!state->residue);
		EXPECT(!dmaengine_resume(chan));
		EXPECT(wait(o));
		EXPECT(!memcmp(src, dst, BYTES));
	}
	EXPECT(tries <= MOST_TRIES);
	return false;
}

/* With the rate set to about 5 MB/s: the pause falls into the transfer. */
static bool check_pause_inside(void)
{
	struct dma_tx_state before, after;
	struct outcome o;
	dma_cookie_t cookie;

	if (!paused_inside(&cookie, &o, &before))
		return false;
	EXPECT(before.residue < BYTES);
	msleep(60);
	EXPECT(dmaengine_tx_status(chan, cookie, &after) == DMA_PAUSED);
	EXPECT(after.residue == before.residue);
	EXPECT(!memchr_inv(dst + BYTES - after.residue, 0, after.residue));
	EXPECT(!memcmp(src, dst, BYTES - after.residue));
	EXPECT(!o.calls);
	EXPECT(!dmaengine_resume(chan));
	EXPECT(wait(&o));
	EXPECT(!memcmp(src, dst, BYTES));
	return true;
}

/*
 * Once terminate has returned the destination stays as it is. As with the pause,
 * a copy that was complete before is made anew.
 */
static bool check_terminate_inside(void)
{
	struct outcome running, queued;
	enum dma_status status;
	unsigned int tries;
	dma_cookie_t cookie;

	for (tries = 1; tries <= MOST_TRIES; tries++) {
		cookie = start(BYTES, &running);
		outcome_init(&queued);
		EXPECT(submit(BYTES, &queued) > 0);
		dma_async_issue_pending(chan);
		EXPECT(wait_until_begun(cookie));
		EXPECT(!dmaengine_terminate_async(chan));
		memset(dst, 0, BYTES);
		dmaengine_synchronize(chan);
		status = dmaengine_tx_status(chan, cookie, NULL);
		if (status != DMA_COMPLETE)
			msleep(100);
		EXPECT(!memchr_inv(dst, 0, BYTES));
		if (status == DMA_COMPLETE)
			continue;
		EXPECT(!running.calls && !queued.calls);
		EXPECT(status == DMA_ERROR);
		note_tries("terminate inside", tries);
		return check_copy();
	}
	EXPECT(tries <= MOST_TRIES);
	return false;
}

static bool check_terminate_queued(void)
{
	struct outcome o;

	EXPECT(!dmaengine_pause(chan));
	start(BYTES, &o);
	EXPECT(!dmaengine_terminate_sync(chan));
	msleep(50);
	EXPECT(!o.calls);
	return check_copy();
}

/* All descriptors prepared, none left; after submitting them all, all left. */
static bool check_back_pressure(void)
{
	struct dma_async_tx_descriptor *tx;
	struct outcome o;
	unsigned int i, got = 0;

	outcome_init(&o);
	EXPECT(!dmaengine_pause(chan));
	while (submit(64, &o) > 0)
		got++;
	EXPECT(got);
	dma_async_issue_pending(chan);
	EXPECT(!dmaengine_resume(chan));
	for (i = 0; i < got; i++)
		EXPECT(wait(&o));
	EXPECT(o.calls == got);
	tx = dmaengine_prep_dma_memcpy(chan, dst_addr, src_addr, 64, DMA_CTRL_ACK);
	EXPECT(tx);
	EXPECT(tx->callback_result == note_result);
	tx->callback_result = NULL;
	dmaengine_submit(tx);
	EXPECT(check_copy());
	return true;
}

static bool check_order(void)
{
	struct dma_async_tx_descriptor *tx;
	unsigned long deadline = jiffies + LONG_WAIT;
	unsigned int i, displaced = 0;

	atomic_set(&position, 0);
	EXPECT(!dmaengine_pause(chan));
	for (i = 0; i < MANY; i++) {
		tx = dmaengine_prep_dma_memcpy(chan, dst_addr, src_addr, 64,
					       DMA_PREP_INTERRUPT | DMA_CTRL_ACK);
		EXPECT(tx);
		tx->callback = note_order;
		tx->callback_result = NULL;
		tx->callback_param = (void *)(unsigned long)i;
		EXPECT(dmaengine_submit(tx) > 0);
	}
	dma_async_issue_pending(chan);
	EXPECT(!dmaengine_resume(chan));
	while (atomic_read(&position) < MANY && time_before(jiffies, deadline))
		msleep(10);
	/* The last callback has its number, but may not have written it down. */
	dmaengine_synchronize(chan);
	EXPECT(atomic_read(&position) == MANY);
	for (i = 0; i < MANY; i++)
		displaced += order[i] != i + 1;
	EXPECT(no_order == !!displaced);
	return true;
}

/* With fail_every=2 and fail_half=1: the second fails, as told, half way. */
static uint fail_result;
module_param(fail_result, uint, 0444);
MODULE_PARM_DESC(fail_result, "how each second descriptor fails; 0: none does");

static bool check_results(void)
{
	struct outcome o;
	dma_cookie_t cookie;

	EXPECT(check_copy());
	cookie = start(BYTES, &o);
	EXPECT(wait(&o));
	EXPECT(o.result.result == fail_result);
	EXPECT(o.result.residue == BYTES / 2);
	EXPECT(dmaengine_tx_status(chan, cookie, NULL) == DMA_ERROR);
	EXPECT(!memcmp(src, dst, BYTES / 2));
	EXPECT(!memchr_inv(dst + BYTES / 2, 0, BYTES / 2));
	return check_copy();
}

static void run(const char *name, bool (*check)(void), bool applies)
{
	if (!applies)
		return;
	if (check())
		pr_info("swdma_check: ok %s\n", name);
	else
		pr_info("swdma_check: not ok %s: %s\n", name, why);
	dmaengine_terminate_sync(chan);
}

static bool is_swdma(struct dma_chan *candidate, void *unused)
{
	return !strcmp(dev_name(candidate->device->dev), "swdma.0");
}

static bool slow;
module_param(slow, bool, 0444);
MODULE_PARM_DESC(slow, "the engine was loaded with ns_per_kib: catch it inside a transfer");

static void run_all(void)
{
	if (fail_result) {
		run("results", check_results, true);
		return;
	}
	run("copy", check_copy, true);
	run("pause before", check_pause_before, true);
	run("pause inside", check_pause_inside, slow);
	run("terminate inside", check_terminate_inside, slow);
	run("terminate queued", check_terminate_queued, true);
	run("back-pressure and stale callbacks", check_back_pressure, !slow);
	run("order", check_order, true);
}

static int __init swdma_check_init(void)
{
	dma_cap_mask_t mask;
	unsigned int i;

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	chan = dma_request_channel(mask, is_swdma, NULL);
	if (!chan)
		return -ENODEV;
	dev = dmaengine_get_dma_device(chan);
	src = dma_alloc_coherent(dev, BYTES, &src_addr, GFP_KERNEL);
	dst = dma_alloc_coherent(dev, BYTES, &dst_addr, GFP_KERNEL);
	if (src && dst) {
		for (i = 0; i < BYTES; i++)
			src[i] = 1 + (i ^ (i >> 8)) % 255;
		run_all();
	}
	if (src)
		dma_free_coherent(dev, BYTES, src, src_addr);
	if (dst)
		dma_free_coherent(dev, BYTES, dst, dst_addr);
	dma_release_channel(chan);
	return src && dst ? 0 : -ENOMEM;
}
module_init(swdma_check_init);

static void __exit swdma_check_exit(void)
{
}
module_exit(swdma_check_exit);

MODULE_DESCRIPTION("Checks of the software DMA provider");
MODULE_LICENSE("GPL");
