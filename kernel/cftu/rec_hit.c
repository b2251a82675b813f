// SPDX-License-Identifier: GPL-2.0
/*
 * What happens at a copy. The handlers run wherever the copy routines do:
 * with page faults disabled, interrupts off, in an NMI. They allocate nothing,
 * take no lock and touch no user memory; a hit inside a handler is not served
 * by kprobes, which count it as missed.
 */
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/uio.h>

#include "rec_frame.h"
#include "rec_probe.h"
#include "rec_wrapper.h"

#define CREATE_TRACE_POINTS
#include "rec_trace.h"

/* A copy under way; the shape of a record's first half. */
struct flight {
	u64 start_ns;
	unsigned long length_bytes;
	struct cftu_rec_origin origin;
	u32 pid;
	u16 cpu;
	bool captured;
	bool traced;
};

/* False: no copy between user and kernel memory. */
static __always_inline bool read_arguments(enum cftu_rec_shape shape, struct pt_regs *regs,
					   unsigned long *length_bytes, bool *to_user)
{
	const struct iov_iter *iter;
	unsigned long to, from;

	if (shape == REC_ITER || shape == REC_PAGE_ITER) {
		int at = shape == REC_ITER ? 1 : 2;

		iter = (void *)regs_get_kernel_argument(regs, at + 1);
		if (!user_backed_iter(iter))
			return false;
		*length_bytes = min_t(unsigned long, regs_get_kernel_argument(regs, at),
				      iov_iter_count(iter));
		*to_user = iov_iter_rw(iter) == READ;
		return *length_bytes;	/* of nothing, no routine is called */
	}
	to = regs_get_kernel_argument(regs, 0);
	from = regs_get_kernel_argument(regs, 1);
	*length_bytes = regs_get_kernel_argument(regs, 2);
	if (shape == REC_TO_FROM_LENGTH32)
		*length_bytes = (u32)*length_bytes;
#ifdef CONFIG_X86_64
	if (shape == REC_TO_FROM_RCX)
		*length_bytes = regs->cx;
#endif
	*to_user = cftu_rec_is_user(to);
	return *to_user || cftu_rec_is_user(from);
}

static __always_inline unsigned long read_not_copied(enum cftu_rec_shape shape,
						     struct pt_regs *regs,
						     unsigned long length_bytes)
{
	unsigned long result = regs_return_value(regs);

	switch (shape) {
	case REC_ITER:
	case REC_PAGE_ITER:
		return length_bytes - min(result, length_bytes);
	case REC_TO_FROM_LENGTH32:
		result = (u32)result;
		break;
#ifdef CONFIG_X86_64
	case REC_TO_FROM_RCX:
		result = regs->cx;
		break;
#endif
	default:
		break;
	}
	return min(result, length_bytes);
}

static int entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = get_kretprobe(instance);
	struct flight *flight = (struct flight *)instance->data;
	struct cftu_rec_capture *capture;
	struct cftu_rec_probe *probe;
	bool to_user;

	if (!kretprobe)
		return 1;
	probe = container_of(kretprobe, struct cftu_rec_probe, kretprobe);
	capture = rcu_dereference_sched(cftu_rec_active);
	flight->traced = trace_cftu_copy_user_enabled();
	if (!capture && !flight->traced) {
		cftu_rec_calibrate_hit(regs);
		return 1;
	}
	if (capture)
		this_cpu_inc(capture->cpus->hits[probe - cftu_rec_probes]);
	if (!read_arguments(probe->candidate->shape, regs, &flight->length_bytes, &to_user))
		return 1;
	flight->cpu = raw_smp_processor_id();
	flight->pid = current->tgid;
	flight->captured = capture && cftu_rec_wants(capture, flight->length_bytes,
						     flight->cpu, flight->pid);
	if (!flight->captured && !flight->traced)
		return 1;
	cftu_rec_origin(regs, to_user, &flight->origin);
	if (probe->candidate->operation < CFTU_TRACE_OPERATIONS)
		flight->origin.operation = probe->candidate->operation;
	flight->captured = flight->captured &&
			   cftu_rec_wants_operation(capture, flight->origin.operation);
	if (!flight->captured && !flight->traced)
		return 1;
	flight->start_ns = ktime_get_mono_fast_ns();
	return 0;
}
NOKPROBE_SYMBOL(entry);

/* Preemption is off. */
static void told(struct cftu_trace_record *record, bool captured, bool traced)
{
	struct cftu_rec_capture *capture = rcu_dereference_sched(cftu_rec_active);

	if (captured && capture)
		cftu_rec_store(capture, record);
	if (traced)
		trace_cftu_copy_user(record);
}

static int returned(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	u64 end_ns = ktime_get_mono_fast_ns();
	struct kretprobe *kretprobe = get_kretprobe(instance);
	const struct flight *flight = (struct flight *)instance->data;
	struct cftu_rec_probe *probe;
	struct cftu_trace_record record;

	if (!kretprobe)
		return 0;
	probe = container_of(kretprobe, struct cftu_rec_probe, kretprobe);
	record = (struct cftu_trace_record) {
		.start_ns = flight->start_ns,
		.end_ns = end_ns,
		.caller = flight->origin.caller,
		.length_bytes = flight->length_bytes,
		.not_copied_bytes = read_not_copied(probe->candidate->shape, regs,
						    flight->length_bytes),
		.cpu_start = flight->cpu,
		.cpu_end = raw_smp_processor_id(),
		.operation = flight->origin.operation,
		.engine = CFTU_ENGINE_CPU,
		.flags = flight->origin.flags,
		.pid = flight->pid,
	};
	told(&record, flight->captured, flight->traced);
	return 0;
}
NOKPROBE_SYMBOL(returned);

void cftu_rec_probe_prepare(struct cftu_rec_probe *probe)
{
	/* A copy may sleep in a page fault: one instance each, and some. */
	const int most = 4096;

	probe->kretprobe = (struct kretprobe) {
		.kp.symbol_name = probe->candidate->symbol,
		.entry_handler = entry,
		.handler = returned,
		.data_size = sizeof(struct flight),
		.maxactive = min_t(int, 256 + 64 * num_possible_cpus(), most),
	};
}

void cftu_rec_dma_slow(const struct cftu_rec_copy *copy)
{
	struct cftu_trace_record record = {
		.start_ns = copy->start_ns,
		.end_ns = copy->end_ns,
		.caller = copy->caller,
		.length_bytes = copy->length_bytes,
		.not_copied_bytes = copy->not_copied_bytes,
		.cpu_start = copy->cpu_start,
		.operation = copy->operation,
		.engine = CFTU_ENGINE_POLICY,
		.pid = current->tgid,
	};
	struct cftu_rec_capture *capture;

	preempt_disable();
	record.cpu_end = smp_processor_id();
	capture = rcu_dereference_sched(cftu_rec_active);
	told(&record,
	     capture && cftu_rec_wants(capture, record.length_bytes, record.cpu_start, record.pid) &&
	     cftu_rec_wants_operation(capture, record.operation),
	     trace_cftu_copy_user_enabled());
	preempt_enable();
}
