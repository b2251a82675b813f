// SPDX-License-Identifier: GPL-2.0
/* What goes wrong, and when: rules counted in descriptors, never in time. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/stddef.h>

#include "swdma.h"

#define MAX_DELAY_NS (3600ULL * NSEC_PER_SEC)
#define DEFAULT_WINDOW 8

struct swdma_faults swdma_fault_defaults = {
	.fail_result = DMA_TRANS_WRITE_FAILED,
	.disorder_seed = 1,
};

#define FAULT(field, text)							\
	module_param_named(field, swdma_fault_defaults.field, ullong, 0444);	\
	MODULE_PARM_DESC(field, text)

FAULT(delay_ns, "delay before each descriptor, ns");
FAULT(ns_per_kib, "time each KiB takes, ns: 0 is as fast as the CPU copies");
FAULT(fail_every, "each k-th descriptor fails; 0 is never");
FAULT(fail_result, "how it fails: 1 read failed, 2 write failed, 3 aborted");
FAULT(fail_half, "1: a failing descriptor has copied half of its bytes");
FAULT(prep_fail_every, "each k-th prep returns NULL; 0 is never");
FAULT(hang_at, "the k-th descriptor never completes; 0 is none");
FAULT(disorder_window, "descriptors reordered at a time, with no_order=1; 0 is 8 then");
FAULT(disorder_shuffle, "0: reversed within the window, 1: shuffled");
FAULT(disorder_seed, "start of the shuffle");
FAULT(lost, "1: the channel behaves as if its device had been removed");

#define KNOB(field, most) { #field, offsetof(struct swdma_faults, field), most }

const struct swdma_knob swdma_knobs[SWDMA_KNOBS] = {
	KNOB(delay_ns, MAX_DELAY_NS),
	KNOB(ns_per_kib, NSEC_PER_SEC),
	KNOB(fail_every, U64_MAX),
	KNOB(fail_result, DMA_TRANS_ABORTED),
	KNOB(fail_half, 1),
	KNOB(prep_fail_every, U64_MAX),
	KNOB(hang_at, U64_MAX),
	KNOB(disorder_window, SWDMA_MAX_WINDOW),
	KNOB(disorder_shuffle, 1),
	KNOB(disorder_seed, U64_MAX),
	KNOB(lost, 1),
};

static u64 *knob_value(struct swdma_faults *faults, const struct swdma_knob *knob)
{
	return (void *)faults + knob->offset;
}

/* An ordered channel may not complete out of order: cookies would then lie. */
static const char *complaint(const struct swdma_faults *faults)
{
	if (!faults->fail_result)
		return "fail_result is 1 (read), 2 (write) or 3 (aborted)";
	if (faults->disorder_window > 1 && !swdma_params.no_order)
		return "disorder_window needs a module loaded with no_order=1";
	return NULL;
}

int swdma_fault_check_defaults(void)
{
	const char *why = complaint(&swdma_fault_defaults);
	uint i;

	for (i = 0; i < SWDMA_KNOBS && !why; i++)
		if (*knob_value(&swdma_fault_defaults, &swdma_knobs[i]) > swdma_knobs[i].max)
			why = swdma_knobs[i].name;
	if (!why)
		return 0;
	pr_err("swdma: cannot load: bad fault parameter: %s\n", why);
	return -EINVAL;
}

/* Counts begin anew, so that "the k-th" means the k-th from now. */
static void restart_locked(struct swdma_chan *ch)
{
	memset(&ch->seen, 0, sizeof(ch->seen));
	ch->random = ch->faults.disorder_seed | 1;
}

void swdma_fault_reset(struct swdma_chan *ch)
{
	unsigned long flags;

	spin_lock_irqsave(&ch->lock, flags);
	ch->faults = swdma_fault_defaults;
	if (!ch->faults.disorder_window)
		ch->faults.disorder_window = swdma_params.no_order ? DEFAULT_WINDOW : 1;
	restart_locked(ch);
	spin_unlock_irqrestore(&ch->lock, flags);
	swdma_kick(ch);
}

int swdma_fault_set(struct swdma_chan *ch, const struct swdma_knob *knob, u64 value)
{
	struct swdma_faults wanted;
	unsigned long flags;
	const char *why;

	if (value > knob->max)
		return -ERANGE;
	spin_lock_irqsave(&ch->lock, flags);
	wanted = ch->faults;
	*knob_value(&wanted, knob) = value;
	why = complaint(&wanted);
	if (!why) {
		ch->faults = wanted;
		restart_locked(ch);
	}
	spin_unlock_irqrestore(&ch->lock, flags);
	if (why) {
		dev_err(ch->dev, "cannot set %s of chan%u: %s\n", knob->name, ch->number, why);
		return -EINVAL;
	}
	swdma_kick(ch);
	return 0;
}

u64 swdma_fault_get(struct swdma_chan *ch, const struct swdma_knob *knob)
{
	unsigned long flags;
	u64 value;

	spin_lock_irqsave(&ch->lock, flags);
	value = *knob_value(&ch->faults, knob);
	spin_unlock_irqrestore(&ch->lock, flags);
	return value;
}

static bool is_kth(u64 *seen, u64 every)
{
	if (!every || ++*seen < every)
		return false;
	*seen = 0;
	return true;
}

bool swdma_fault_prep_locked(struct swdma_chan *ch)
{
	return is_kth(&ch->seen.prep, ch->faults.prep_fail_every);
}

struct swdma_plan swdma_fault_plan_locked(struct swdma_chan *ch, size_t len)
{
	const struct swdma_faults *faults = &ch->faults;
	struct swdma_plan plan = {
		.result = DMA_TRANS_NOERROR,
		.copy_bytes = len,
		.delay_ns = faults->delay_ns,
		.ns_per_kib = faults->ns_per_kib,
	};

	plan.hang = faults->hang_at && ++ch->seen.hang == faults->hang_at;
	if (is_kth(&ch->seen.fail, faults->fail_every)) {
		plan.result = faults->fail_result;
		plan.copy_bytes = faults->fail_half ? len / 2 : 0;
	}
	return plan;
}

static u32 next_random(struct swdma_chan *ch)
{
	ch->random ^= ch->random << 13;
	ch->random ^= ch->random >> 7;
	ch->random ^= ch->random << 17;
	return ch->random >> 32;
}

/* The neighbour in the batch before which the n-th newcomer goes. */
static struct list_head *place(struct swdma_chan *ch, u32 n)
{
	struct list_head *at = ch->batch.next;
	u32 skip;

	if (!ch->faults.disorder_shuffle)
		return at;
	for (skip = mul_u64_u32_shr(next_random(ch), n + 1, 32); skip; skip--)
		at = at->next;
	return at;
}

/* Nothing may overtake a fenced descriptor, so a batch ends with it. */
void swdma_fill_batch_locked(struct swdma_chan *ch)
{
	struct swdma_desc *d;
	bool fenced = false;
	u32 n;

	for (n = 0; !fenced && n < max(1ULL, ch->faults.disorder_window); n++) {
		d = list_first_entry_or_null(&ch->issued, struct swdma_desc, node);
		if (!d)
			break;
		fenced = d->txd.flags & DMA_PREP_FENCE;
		list_move_tail(&d->node, place(ch, n));
	}
}
