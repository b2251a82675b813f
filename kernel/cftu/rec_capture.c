// SPDX-License-Identifier: GPL-2.0
/* Making and freeing captures: the filters as asked, the memory they take. */
#include <linux/atomic.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "rec_capture.h"

static unsigned int trace_memory_max_mib = 256;
module_param(trace_memory_max_mib, uint, 0644);
MODULE_PARM_DESC(trace_memory_max_mib,
		 "Limit of all rings and histograms of the recorder together, MiB (256)");

static atomic64_t memory_bytes;

static bool memory_charge(u64 bytes)
{
	u64 limit = (u64)READ_ONCE(trace_memory_max_mib) << 20;

	if (bytes <= limit && atomic64_add_return(bytes, &memory_bytes) <= limit)
		return true;
	if (bytes <= limit)
		atomic64_sub(bytes, &memory_bytes);
	return false;
}

static int filter_cpus(struct cftu_rec_capture *capture, const struct cftu_trace_start *start)
{
	u64 __user *words = u64_to_user_ptr(start->cpus_addr);
	unsigned int cpu;
	u32 i;
	u64 word;

	capture->all_cpus = !start->cpus_addr;
	if (capture->all_cpus)
		return start->cpus_words ? -EINVAL : 0;
	for (i = 0; i < start->cpus_words && i < DIV_ROUND_UP(nr_cpu_ids, 64); i++) {
		if (copy_from_user(&word, words + i, sizeof(word)))
			return -EFAULT;
		for (cpu = i * 64; cpu < nr_cpu_ids && cpu < (i + 1) * 64; cpu++)
			if (word & 1ULL << cpu % 64)
				cpumask_set_cpu(cpu, &capture->cpumask);
	}
	return cpumask_empty(&capture->cpumask) ? -EINVAL : 0;
}

static int filter_pid(struct cftu_rec_capture *capture, u32 not_pid)
{
	int error = 0;

	if (!not_pid)
		return 0;
	rcu_read_lock();
	capture->not_pid = pid_nr(find_vpid(not_pid));
	if (!capture->not_pid)
		error = -ESRCH;
	rcu_read_unlock();
	return error;
}

static int filters(struct cftu_rec_capture *capture, const struct cftu_trace_start *start)
{
	const u32 all = (1U << CFTU_TRACE_OPERATIONS) - 1;
	int error;

	capture->operations = start->operations ?: all;
	capture->length_min_bytes = start->length_min_bytes;
	capture->length_max_bytes = start->length_max_bytes ?: U64_MAX;
	capture->not_pid = -1;
	if (capture->operations & ~all ||
	    capture->length_min_bytes > capture->length_max_bytes)
		return -EINVAL;
	error = filter_cpus(capture, start);
	return error ?: filter_pid(capture, start->not_pid);
}

/* Rounded sizes and what they take; false: more than any limit allows. */
static bool sizes(struct cftu_rec_capture *capture, const struct cftu_trace_start *start)
{
	const u32 most = 1U << 24;
	u64 bytes = 0;

	if (start->records_per_cpu > most || start->slots_per_cpu > most)
		return false;
	if (capture->flags & CFTU_TRACE_RECORDS) {
		capture->records_per_cpu = roundup_pow_of_two(start->records_per_cpu);
		bytes += PAGE_ALIGN(capture->records_per_cpu * sizeof(struct cftu_trace_record));
	}
	if (capture->flags & CFTU_TRACE_HISTOGRAM) {
		capture->slots_per_cpu = roundup_pow_of_two(start->slots_per_cpu);
		bytes += PAGE_ALIGN(capture->slots_per_cpu * sizeof(struct cftu_trace_slot));
	}
	bytes *= num_possible_cpus();
	if (!memory_charge(bytes))
		return false;
	capture->memory_bytes = bytes;
	return true;
}

static bool allocate(struct cftu_rec_capture *capture)
{
	unsigned int number;

	capture->cpus = alloc_percpu(struct cftu_rec_cpu);
	if (!capture->cpus)
		return false;
	for_each_possible_cpu(number) {
		struct cftu_rec_cpu *cpu = per_cpu_ptr(capture->cpus, number);

		if (capture->records_per_cpu) {
			cpu->records = vmalloc_user(capture->records_per_cpu *
						    sizeof(*cpu->records));
			if (!cpu->records)
				return false;
		}
		if (capture->slots_per_cpu) {
			cpu->slots = __vmalloc(capture->slots_per_cpu * sizeof(*cpu->slots),
					       GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
			if (!cpu->slots)
				return false;
		}
	}
	return true;
}

static bool well_formed(const struct cftu_trace_start *start)
{
	const u32 known = CFTU_TRACE_RECORDS | CFTU_TRACE_HISTOGRAM;

	return start->flags && !(start->flags & ~known) &&
	       !!(start->flags & CFTU_TRACE_RECORDS) == !!start->records_per_cpu &&
	       !!(start->flags & CFTU_TRACE_HISTOGRAM) == !!start->slots_per_cpu;
}

struct cftu_rec_capture *cftu_rec_capture_create(struct cftu_trace_start *start, int *error)
{
	struct cftu_rec_capture *capture;

	*error = -EINVAL;
	if (!well_formed(start))
		return NULL;
	*error = -ENOMEM;
	start->reason = CFTU_REASON_NO_MEMORY;
	capture = kzalloc(sizeof(*capture), GFP_KERNEL);
	if (!capture)
		return NULL;
	capture->flags = start->flags;
	*error = filters(capture, start);
	if (*error) {
		start->reason = CFTU_REASON_NONE;
		goto free;
	}
	*error = -ENOMEM;
	if (!sizes(capture, start)) {
		start->reason = CFTU_REASON_TRACE_MEMORY;
		goto free;
	}
	if (!allocate(capture))
		goto free;
	start->reason = CFTU_REASON_NONE;
	start->records_per_cpu = capture->records_per_cpu;
	start->slots_per_cpu = capture->slots_per_cpu;
	*error = 0;
	return capture;
free:
	cftu_rec_capture_free(capture);
	return NULL;
}

void cftu_rec_capture_free(struct cftu_rec_capture *capture)
{
	unsigned int number;

	if (!capture)
		return;
	if (capture->cpus) {
		for_each_possible_cpu(number) {
			vfree(per_cpu_ptr(capture->cpus, number)->records);
			vfree(per_cpu_ptr(capture->cpus, number)->slots);
		}
		free_percpu(capture->cpus);
	}
	atomic64_sub(capture->memory_bytes, &memory_bytes);
	kfree(capture);
}
