/* SPDX-License-Identifier: GPL-2.0 */
/* A capture: filters, a ring and a histogram for each CPU, and its counters. */
#ifndef CFTU_REC_CAPTURE_H
#define CFTU_REC_CAPTURE_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "rec.h"

/*
 * Written by its CPU alone, with interrupts off; a reader elsewhere moves the
 * tail. An NMI that finds the CPU busy here drops its record and counts it.
 */
struct cftu_rec_cpu {
	unsigned int busy;
	u32 slots_used;
	u64 head;
	u64 tail;
	struct cftu_trace_record *records;
	struct cftu_trace_slot *slots;
	unsigned long dropped_records;
	unsigned long dropped_slots;
	unsigned long sequence[CFTU_TRACE_OPERATIONS];
	unsigned long hits[CFTU_TRACE_PROBES_MAX];
};

struct cftu_rec_capture {
	struct cftu_rec_cpu __percpu *cpus;
	u32 flags;
	u32 records_per_cpu;
	u32 slots_per_cpu;
	u64 memory_bytes;
	u64 started_ns;
	u64 stopped_ns;			/* 0: runs */
	/* filters */
	u32 operations;
	pid_t not_pid;
	u64 length_min_bytes;
	u64 length_max_bytes;
	bool all_cpus;
	struct cpumask cpumask;
};

/* The running one; readers have preemption off or hold rcu_read_lock(). */
extern struct cftu_rec_capture __rcu *cftu_rec_active;

/* NULL: *@start says why in its reason, *@error holds the errno. */
struct cftu_rec_capture *cftu_rec_capture_create(struct cftu_trace_start *start, int *error);
void cftu_rec_capture_free(struct cftu_rec_capture *capture);

/* Fills in sequence and cpu_end, counts, stores. @record is the caller's own. */
void cftu_rec_store(struct cftu_rec_capture *capture, struct cftu_trace_record *record);
void cftu_rec_histogram_add(struct cftu_rec_capture *capture, struct cftu_rec_cpu *cpu,
			    const struct cftu_trace_record *record);
long cftu_rec_histogram_read(struct cftu_rec_capture *capture, void __user *arg);
long cftu_rec_consume(struct cftu_rec_capture *capture, void __user *arg);

static inline bool cftu_rec_wants(const struct cftu_rec_capture *capture, u64 length_bytes,
				  unsigned int cpu, pid_t pid)
{
	return length_bytes >= capture->length_min_bytes &&
	       length_bytes <= capture->length_max_bytes &&
	       pid != capture->not_pid &&
	       (capture->all_cpus || cpumask_test_cpu(cpu, &capture->cpumask));
}

static inline bool cftu_rec_wants_operation(const struct cftu_rec_capture *capture,
					    unsigned int operation)
{
	return capture->operations & 1U << operation;
}

#endif
