// SPDX-License-Identifier: GPL-2.0
#include <linux/instruction_pointer.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "chunk.h"
#include "copy.h"
#include "events.h"
#include "module.h"
#include "policy.h"
#include "rec.h"
#include "stats.h"

static bool is_to_user(const struct cftu_request *request)
{
	return request->direction == CFTU_TO_USER;
}

/* Copies [at, at + length) and returns the bytes not copied. */
static size_t copy_by_cpu(struct cftu_request *request, size_t at, size_t length)
{
	while (length) {
		void __user *user = (void __user *)(request->user_addr + at);
		size_t run, left;
		void *kernel = cftu_span_run(&request->span, request->span_offset + at, length,
					     &run);

		left = is_to_user(request) ? copy_to_user(user, kernel, run) :
					     copy_from_user(kernel, user, run);
		request->cpu_bytes += run - left;
		at += run - left;
		length -= run - left;
		if (left)
			break;
		cond_resched();
	}
	return length;
}

static void note_cpu_part(struct cftu_request *request, enum cftu_reason reason)
{
	request->reason = reason;
	request->cpu_chunks++;
	cftu_stats_cpu_chunk(reason);
}

static size_t timed_copy_by_cpu(struct cftu_request *request, size_t at, size_t length,
				enum cftu_reason reason)
{
	u64 begin_ns = request->phases ? ktime_get_mono_fast_ns() : 0;
	size_t left = copy_by_cpu(request, at, length);

	if (request->phases)
		request->phases->cpu_copy_ns += ktime_get_mono_fast_ns() - begin_ns;
	note_cpu_part(request, reason);
	return left;
}

/* Where the engine writes, as an address whose alignment counts. */
static u64 destination_at(const struct cftu_request *request, size_t at)
{
	size_t run;

	if (is_to_user(request))
		return request->user_addr + at;
	return (u64)(unsigned long)cftu_span_run(&request->span, request->span_offset + at, 1,
						 &run);
}

static u64 source_at(const struct cftu_request *request, size_t at)
{
	size_t run;

	if (!is_to_user(request))
		return request->user_addr + at;
	return (u64)(unsigned long)cftu_span_run(&request->span, request->span_offset + at, 1,
						 &run);
}

static enum cftu_reason pass_gate(struct cftu_request *request, struct cftu_active *active)
{
	u64 begin_ns;
	bool passed;

	if (active->spec.kind != CFTU_POLICY_PRIORITY || request->class_ == CFTU_CLASS_HIGH)
		return CFTU_REASON_NONE;
	begin_ns = request->phases ? ktime_get_mono_fast_ns() : 0;
	passed = cftu_gate_pass(&active->gate);
	if (request->phases)
		request->phases->gate_ns += ktime_get_mono_fast_ns() - begin_ns;
	return passed ? CFTU_REASON_NONE : CFTU_REASON_INTERRUPTED;
}

/* Engine part of a chunk, between its ends. */
static enum cftu_reason body_by_dma(struct cftu_request *request, struct cftu_active *active,
				    struct cftu_lane *lane, int index, size_t at, size_t length,
				    size_t *moved)
{
	struct cftu_work *work = cftu_policy_take_work(active);
	enum cftu_reason reason;

	if (!work)
		return CFTU_REASON_NO_MEMORY;
	reason = cftu_chunk_by_dma(request, lane, work, at, length, active->spec.timeout_ns,
				   moved);
	trace_cftu_chunk(index, at, length, reason);
	if (reason == CFTU_REASON_CHANNEL_LOST) {
		request->lost = true;
		return reason;
	}
	cftu_policy_return_work(active, work);
	if (active->spec.kind == CFTU_POLICY_PRIORITY && request->class_ == CFTU_CLASS_LOW)
		cftu_gate_low_done(&active->gate);
	if (reason == CFTU_REASON_NONE) {
		request->channel = index;
		request->dma_bytes += *moved;
		request->dma_chunks++;
		cftu_stats_dma_chunk();
	}
	return reason;
}

/*
 * [at, at + length) on the lane: ends by CPU, the body by the engine. On
 * CFTU_REASON_NONE *moved bytes are done, fewer than length where a page could
 * not be pinned or an end faulted.
 */
static enum cftu_reason chunk_on_lane(struct cftu_request *request, struct cftu_active *active,
				      struct cftu_lane *lane, int index, size_t at,
				      size_t length, size_t *moved)
{
	struct cftu_split split;
	enum cftu_reason reason;
	size_t left, body = 0;

	*moved = 0;
	reason = cftu_split(destination_at(request, at), source_at(request, at), length,
			    &lane->rule, &split);
	if (reason != CFTU_REASON_NONE)
		return reason;
	if (split.head_bytes) {
		left = timed_copy_by_cpu(request, at, split.head_bytes,
					 CFTU_REASON_UNALIGNED_ENDS);
		*moved = split.head_bytes - left;
		if (left)
			return CFTU_REASON_NONE;
	}
	reason = body_by_dma(request, active, lane, index, at + split.head_bytes,
			     split.body_bytes, &body);
	if (reason != CFTU_REASON_NONE) {
		request->cpu_bytes -= split.head_bytes;
		return reason;
	}
	*moved += body;
	if (body == split.body_bytes && split.tail_bytes) {
		left = timed_copy_by_cpu(request, at + *moved, split.tail_bytes,
					 CFTU_REASON_UNALIGNED_ENDS);
		*moved += split.tail_bytes - left;
	}
	return CFTU_REASON_NONE;
}

/* The next chunk of [at, at + *length) under this policy. */
static enum cftu_reason chunk_by(struct cftu_request *request, struct cftu_active *active,
				 size_t at, size_t *length, size_t *moved)
{
	struct cftu_lane *lane;
	enum cftu_reason reason;
	int index;

	if (request->length_bytes < active->spec.threshold_bytes)
		return CFTU_REASON_BELOW_THRESHOLD;
	*length = cftu_chunk_length(destination_at(request, at), *length,
				    active->spec.chunk_bytes);
	reason = pass_gate(request, active);
	if (reason != CFTU_REASON_NONE)
		return reason;
	lane = cftu_policy_choose(active, request->class_, &index, &reason);
	if (!lane)
		return reason;
	return chunk_on_lane(request, active, lane, index, at, *length, moved);
}

static enum cftu_reason chunk_by_policy(struct cftu_request *request, size_t at, size_t *length,
					size_t *moved)
{
	struct cftu_active *active;
	enum cftu_reason reason;
	int section;

	active = cftu_policy_enter(&section, &reason);
	if (active)
		reason = chunk_by(request, active, at, length, moved);
	cftu_policy_leave(section);
	return reason;
}

/* Why an engine may not be asked at all. */
static enum cftu_reason why_cpu(const struct cftu_request *request)
{
	if (request->engine == CFTU_ENGINE_CPU)
		return CFTU_REASON_ASKED_CPU;
	if (in_atomic() || irqs_disabled() || pagefault_disabled() || !current->mm)
		return CFTU_REASON_ATOMIC;
	if (!cftu_span_is_page_backed(&request->span))
		return CFTU_REASON_KERNEL_MEMORY;
	return CFTU_REASON_NONE;
}

/* Returns how far it came. */
static size_t copy_by_chunks(struct cftu_request *request)
{
	size_t at = 0;

	while (at < request->length_bytes) {
		size_t length = request->length_bytes - at;
		enum cftu_reason reason;
		size_t moved = 0, left;

		if (fatal_signal_pending(current)) {
			request->reason = CFTU_REASON_INTERRUPTED;
			break;
		}
		reason = chunk_by_policy(request, at, &length, &moved);
		if (reason == CFTU_REASON_INTERRUPTED || request->lost) {
			request->reason = reason;
			break;
		}
		if (reason == CFTU_REASON_NONE && moved) {
			at += moved;
			continue;
		}
		if (reason == CFTU_REASON_NONE)
			reason = CFTU_REASON_PIN_FAILED;
		left = timed_copy_by_cpu(request, at, length, reason);
		at += length - left;
		if (left)
			break;
	}
	return at;
}

/*
 * What the engine did, for the recorder. The parts that the CPU did pass the
 * probed routines and stand there by themselves: no byte is told twice.
 */
static void tell_recorder(const struct cftu_request *request, u64 start_ns,
			  unsigned int cpu_start, unsigned long caller)
{
	struct cftu_rec_copy told = {
		.start_ns = start_ns,
		.end_ns = ktime_get_mono_fast_ns(),
		.caller = caller,
		.length_bytes = request->dma_bytes,
		.cpu_start = cpu_start,
		.operation = is_to_user(request) ? CFTU_TRACE_COPY_TO_USER :
						   CFTU_TRACE_COPY_FROM_USER,
	};

	cftu_rec_dma(&told);
}

size_t cftu_run_copy(struct cftu_request *request)
{
	size_t length = request->length_bytes;
	void __user *user = (void __user *)request->user_addr;
	u64 begin_ns = cftu_rec_on() ? ktime_get_mono_fast_ns() : 0;
	unsigned int cpu = raw_smp_processor_id();
	enum cftu_reason why;
	size_t done;

	request->channel = -1;
	/* Of this copy alone: a measurement makes many with one request. */
	request->dma_bytes = 0;
	request->cpu_bytes = 0;
	if (!access_ok(user, length)) {
		request->reason = CFTU_REASON_FAULT;
		done = 0;
	} else {
		why = why_cpu(request);
		if (why != CFTU_REASON_NONE)
			done = length - timed_copy_by_cpu(request, 0, length, why);
		else
			done = copy_by_chunks(request);
	}
	if (done < length && !is_to_user(request) && !request->lost)
		cftu_span_zero(&request->span, request->span_offset + done, length - done);
	cftu_stats_copy(request, length - done);
	trace_cftu_copy(request->direction, length, length - done, request->dma_bytes,
			request->reason, request->channel);
	if (begin_ns && request->dma_bytes)
		tell_recorder(request, begin_ns, cpu, request->caller ?: _RET_IP_);
	return length - done;
}
