// SPDX-License-Identifier: GPL-2.0
/*
 * Repeated copies, timed where they happen. The clock is CLOCK_MONOTONIC, read
 * once before and once after each sample; what two readings cost is told by
 * the same call with CFTU_ENGINE_NONE.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "file.h"
#include "flush.h"

#define REPETITIONS_MAX 65536
#define COPIES_PER_SAMPLE_MAX (1U << 20)
#define BEGIN_AHEAD_MAX_NS (10ULL * NSEC_PER_SEC)

static int check(struct cftu_measure *arg)
{
	if (arg->flags & ~(CFTU_MEASURE_FLUSH | CFTU_MEASURE_PHASES) ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved))) {
		arg->reason = CFTU_REASON_RESERVED_SET;
		return -EINVAL;
	}
	if (!arg->repetitions || arg->repetitions > REPETITIONS_MAX || !arg->copies_per_sample ||
	    arg->copies_per_sample > COPIES_PER_SAMPLE_MAX ||
	    (arg->begin_at_ns && arg->begin_at_ns > ktime_get_ns() + BEGIN_AHEAD_MAX_NS)) {
		arg->reason = CFTU_REASON_OUT_OF_RANGE;
		return -EINVAL;
	}
	if (arg->flags & CFTU_MEASURE_FLUSH && !cftu_can_flush())
		return -EOPNOTSUPP;
	return 0;
}

/* Workers on several CPUs begin together. */
static int wait_for_begin(u64 begin_at_ns)
{
	while (ktime_get_ns() < begin_at_ns) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (begin_at_ns - min(begin_at_ns, ktime_get_ns()) > NSEC_PER_MSEC)
			cond_resched();
		cpu_relax();
	}
	return 0;
}

/* One copy one way, summed in @arg. Returns the bytes not copied. */
static size_t copy_once(struct cftu_request *request, enum cftu_direction direction,
			struct cftu_measure *arg)
{
	size_t left;

	request->direction = direction;
	left = cftu_run_copy(request);
	arg->dma_bytes += request->dma_bytes;
	arg->cpu_bytes += request->cpu_bytes;
	return left;
}

static size_t operate(struct cftu_request *request, struct cftu_measure *arg)
{
	size_t left;

	switch (arg->direction) {
	case CFTU_FROM_USER:
	case CFTU_TO_USER:
		return copy_once(request, arg->direction, arg);
	default:
		left = copy_once(request, CFTU_FROM_USER, arg);
		return left ?: copy_once(request, CFTU_TO_USER, arg);
	}
}

static size_t take_sample(struct cftu_request *request, struct cftu_measure *arg,
			  struct cftu_sample *sample)
{
	u64 dma_before = arg->dma_bytes;
	size_t left = 0;
	u32 i;

	memset(sample, 0, sizeof(*sample));
	request->channel = -1;
	request->reason = CFTU_REASON_NONE;
	request->phases = arg->flags & CFTU_MEASURE_PHASES ? &sample->phases : NULL;
	sample->cpu_start = raw_smp_processor_id();
	sample->start_ns = ktime_get_ns();
	if (arg->engine != CFTU_ENGINE_NONE)
		for (i = 0; i < arg->copies_per_sample && !left &&
			    !fatal_signal_pending(current); i++)
			left = operate(request, arg);
	sample->end_ns = ktime_get_ns();
	sample->cpu_end = raw_smp_processor_id();
	sample->channel = request->channel;
	sample->reason = request->reason;
	sample->dma_bytes = arg->dma_bytes - dma_before;
	return left;
}

static int run(struct cftu_request *request, struct cftu_measure *arg,
	       struct cftu_sample *samples)
{
	while (arg->done < arg->repetitions) {
		if (arg->flags & CFTU_MEASURE_FLUSH)
			cftu_flush_request(request);
		arg->not_copied_bytes = take_sample(request, arg, &samples[arg->done]);
		if (arg->not_copied_bytes) {
			arg->reason = request->lost ? CFTU_REASON_CHANNEL_LOST :
				      fatal_signal_pending(current) ? CFTU_REASON_INTERRUPTED :
								      CFTU_REASON_FAULT;
			return request->lost ? -EIO : -EFAULT;
		}
		if (fatal_signal_pending(current)) {
			arg->reason = CFTU_REASON_INTERRUPTED;
			return -EINTR;
		}
		arg->done++;
		cond_resched();
	}
	return 0;
}

int cftu_measure(struct cftu_file *file, struct cftu_measure *arg)
{
	struct cftu_wish wish = CFTU_WISH_OF(arg);
	struct cftu_prepared prepared;
	struct cftu_sample *samples;
	int error = check(arg);

	if (!error)
		error = cftu_prepare(file, &wish, &prepared, &arg->reason);
	if (error)
		return error;
	samples = kvcalloc(arg->repetitions, sizeof(*samples), GFP_KERNEL_ACCOUNT);
	if (!samples) {
		arg->reason = CFTU_REASON_NO_MEMORY;
		error = -ENOMEM;
		goto out;
	}
	arg->done = 0;
	arg->dma_bytes = 0;
	arg->cpu_bytes = 0;
	error = wait_for_begin(arg->begin_at_ns);
	if (error)
		goto out;
	arg->begin_realtime_ns = ktime_get_real_ns();
	arg->begin_ns = ktime_get_ns();
	error = run(&prepared.request, arg, samples);
	arg->end_ns = ktime_get_ns();
	arg->end_realtime_ns = ktime_get_real_ns();
	if (arg->done && copy_to_user((void __user *)(unsigned long)arg->samples_addr, samples,
				      arg->done * sizeof(*samples)))
		error = -EFAULT;
out:
	kvfree(samples);
	cftu_prepared_release(&prepared);
	return error;
}
