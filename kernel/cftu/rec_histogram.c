// SPDX-License-Identifier: GPL-2.0
/*
 * Size x latency x caller, for captures too long for a ring: a table for each
 * CPU, open addressing, nothing ever taken out. A slot is in use once its
 * count is not zero; the count is written last.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "../core/log_linear.h"
#include "rec_ioctl.h"

#define PROBES_MAX	32	/* steps from a slot's own place */
#define SLOTS_AT_ONCE	16

static bool same_key(const struct cftu_trace_slot *a, const struct cftu_trace_slot *b)
{
	return a->caller == b->caller && a->length_bucket == b->length_bucket &&
	       a->latency_bucket == b->latency_bucket && a->operation == b->operation &&
	       a->engine == b->engine;
}

static u32 place_of(const struct cftu_trace_slot *key, u32 slots)
{
	u64 mixed = key->caller * GOLDEN_RATIO_64;

	mixed ^= (u64)key->length_bucket << 48 | (u64)key->latency_bucket << 32 |
		 (u64)key->operation << 24 | (u64)key->engine << 16;
	return slots == 1 ? 0 : hash_64(mixed, ilog2(slots));
}

/* The key's slot, or a free one that now bears the key, or NULL. */
static struct cftu_trace_slot *find(struct cftu_rec_cpu *cpu, u32 slots,
				    const struct cftu_trace_slot *key)
{
	u32 place = place_of(key, slots);
	u32 step;

	for (step = 0; step < PROBES_MAX && step < slots; step++) {
		struct cftu_trace_slot *slot = &cpu->slots[(place + step) & (slots - 1)];

		if (!slot->count) {
			*slot = *key;
			WRITE_ONCE(cpu->slots_used, cpu->slots_used + 1);
			return slot;
		}
		if (same_key(slot, key))
			return slot;
	}
	return NULL;
}

void cftu_rec_histogram_add(struct cftu_rec_capture *capture, struct cftu_rec_cpu *cpu,
			    const struct cftu_trace_record *record)
{
	u64 latency_ns = record->end_ns - record->start_ns;
	struct cftu_trace_slot key = {
		.caller = record->caller,
		.length_bucket = cftu_log_linear_bucket(record->length_bytes),
		.latency_bucket = cftu_log_linear_bucket(latency_ns),
		.operation = record->operation,
		.engine = record->engine,
	};
	struct cftu_trace_slot *slot = find(cpu, capture->slots_per_cpu, &key);

	if (!slot) {
		this_cpu_inc(capture->cpus->dropped_slots);
		return;
	}
	slot->bytes += record->length_bytes - record->not_copied_bytes;
	slot->sum_ns += latency_ns;
	if (slot->max_ns < latency_ns)
		slot->max_ns = latency_ns;
	/* Pairs with the acquire in copy_out(): the key is there before the count. */
	smp_store_release(&slot->count, slot->count + 1);
}

static int copy_out(struct cftu_rec_capture *capture, struct cftu_rec_cpu *cpu,
		    struct cftu_trace_histogram *histogram)
{
	struct cftu_trace_slot __user *to = u64_to_user_ptr(histogram->slots_addr);
	struct cftu_trace_slot batch[SLOTS_AT_ONCE];
	u32 place, held = 0, done = 0;

	for (place = 0; place < capture->slots_per_cpu; place++) {
		const struct cftu_trace_slot *slot = &cpu->slots[place];

		if (smp_load_acquire(&slot->count) && done + held < histogram->capacity)
			batch[held++] = *slot;
		if (held < SLOTS_AT_ONCE && place + 1 < capture->slots_per_cpu)
			continue;
		if (copy_to_user(to + done, batch, held * sizeof(*batch)))
			return -EFAULT;
		done += held;
		held = 0;
		cond_resched();
	}
	histogram->count = max(done, READ_ONCE(cpu->slots_used));
	return 0;
}

/* The caller holds the recorder's mutex. While the capture runs a slot may be
 * a copy ahead of its neighbours; after it the sums agree. */
long cftu_rec_histogram_read(struct cftu_rec_capture *capture, void __user *arg)
{
	struct cftu_trace_histogram histogram;
	long error;

	error = cftu_rec_copy_in(&histogram, arg, sizeof(histogram));
	if (error)
		return error;
	if (histogram.cpu >= nr_cpu_ids || !cpu_possible(histogram.cpu) ||
	    !(capture->flags & CFTU_TRACE_HISTOGRAM) ||
	    histogram.reserved[0] || histogram.reserved[1])
		return -EINVAL;
	error = copy_out(capture, per_cpu_ptr(capture->cpus, histogram.cpu), &histogram);
	if (error)
		return error;
	return copy_to_user(arg, &histogram, sizeof(histogram)) ? -EFAULT : 0;
}
