/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * cftu's recorder: every copy between user and kernel memory that the probed
 * routines of this kernel make, with its size, time, CPUs and caller. The
 * rules of cftu.h hold. One capture at a time for the machine, CAP_SYS_ADMIN.
 *
 * Rings: one a possible CPU, fixed records, never overwritten. A full ring
 * keeps the old records; the new one is dropped and counted, and its sequence
 * number is used up, so a gap in the numbers is the loss. Map a ring read-only
 * at CFTU_TRACE_MMAP_OFFSET(cpu); records lie at index (position & mask),
 * mask = records_per_cpu - 1, positions begin at 0. The head position is read,
 * and the tail advanced, by CFTU_TRACE_CONSUME. A copy stands in the ring of
 * the CPU where it ended.
 *
 * A capture belongs to the open file that started it and ends with it, and a
 * mapping holds the file: unmap before closing. After CFTU_TRACE_STOP the
 * rings and the histogram stay readable until the file is closed or starts
 * the next capture. CFTU_TRACE_STATE answers without a capture as well: its
 * probes are then those of the last attempt, so that a failed start explains
 * itself. The caller of a copy is who called copy_from_user(), the iov_iter
 * routine ...; process numbers are those of the first PID namespace.
 */
#ifndef _UAPI_CFTU_TRACE_H
#define _UAPI_CFTU_TRACE_H

#include "cftu.h"

enum cftu_trace_operation {
	CFTU_TRACE_COPY_FROM_USER	= 0,
	CFTU_TRACE_COPY_TO_USER		= 1,
	CFTU_TRACE_RAW_COPY_FROM_USER	= 2,	/* __copy_from_user and the like */
	CFTU_TRACE_RAW_COPY_TO_USER	= 3,
	CFTU_TRACE_ITER_FROM_USER	= 4,	/* iov_iter: pipes, sockets, files */
	CFTU_TRACE_ITER_TO_USER		= 5,
	CFTU_TRACE_OPERATIONS		= 6,
};

struct cftu_trace_record {
	__u64 sequence;			/* per CPU and operation, dropped ones counted */
	__u64 start_ns;
	__u64 end_ns;
	__u64 caller;			/* return address */
	__u64 length_bytes;
	__u64 not_copied_bytes;
	__u16 cpu_start;
	__u16 cpu_end;
	__u8  operation;
	__u8  engine;			/* enum cftu_engine: CPU, or POLICY for DMA */
	__u16 flags;			/* CFTU_TRACE_RECORD_* */
	__u32 pid;			/* of the process, not the thread */
	__u32 reserved;
};
/* caller lies in the copy routine itself: who called that is not known */
#define CFTU_TRACE_RECORD_NEAR_CALLER	(1U << 0)

#define CFTU_TRACE_PROBES_MAX	16

struct cftu_trace_start {
	__u32 size;
	__u32 flags;			/* CFTU_TRACE_RECORDS | CFTU_TRACE_HISTOGRAM, not none */
	__u32 operations;		/* mask of 1 << operation; 0: all */
	__u32 records_per_cpu;		/* rounded up to a power of two; out: as rounded */
	__u32 slots_per_cpu;		/* of the histogram, likewise */
	__u32 reason;
	__u64 length_min_bytes;
	__u64 length_max_bytes;		/* 0: no limit */
	__u64 cpus_addr;		/* mask of u64 words, where copies start; 0: all */
	__u32 cpus_words;
	__u32 not_pid;			/* copies of this process are left out (the reader's); 0: none */
	__u64 reserved[4];
};
#define CFTU_TRACE_RECORDS	(1U << 0)
#define CFTU_TRACE_HISTOGRAM	(1U << 1)

struct cftu_trace_probe {
	char  symbol[CFTU_NAME_BYTES];
	__u32 flags;			/* CFTU_PROBE_* */
	__s32 error;			/* errno of registering, 0: attached */
	__u64 hits;			/* in this capture, before the filters */
	__u64 missed;			/* kretprobe instances ran out, or recursion */
};
#define CFTU_PROBE_OPTIMISED	(1U << 0)	/* jump instead of a breakpoint */

struct cftu_trace_state {
	__u32 size;
	__u32 active;			/* this file's capture runs */
	__u32 active_elsewhere;		/* another file's does */
	__u32 flags;			/* CFTU_TRACE_STATE_* */
	__u32 probes;
	__u32 records_per_cpu;
	__u32 slots_per_cpu;
	__u32 covered;			/* mask of operations a probe stands for */
	__u64 started_ns;
	__u64 stopped_ns;
	__u64 copies[CFTU_TRACE_OPERATIONS];	/* that passed the filters, dropped ones too */
	__u64 dropped_records;
	__u64 dropped_slots;		/* copies that found no histogram slot */
	struct cftu_trace_probe probe[CFTU_TRACE_PROBES_MAX];
	__u64 reserved[4];
};
/* The CPU copies inline, the entry points are probed: raw copies are not seen,
 * an iov_iter copy is one record whatever the number of its segments. */
#define CFTU_TRACE_STATE_ENTRY_POINTS	(1U << 0)
/* copy_*_user() is inlined here: raw copies stand among the plain ones. */
#define CFTU_TRACE_STATE_RAW_MERGED	(1U << 1)

struct cftu_trace_consume {
	__u32 size;
	__u32 cpu;
	__u64 tail;			/* in: read up to here; ~0: leave */
	__u64 head;			/* out: written up to here */
	__u64 dropped;			/* out: on this CPU */
	/* out: the next number of each operation, so that a loss at the end shows */
	__u64 sequence[CFTU_TRACE_OPERATIONS];
	__u64 reserved[2];
};

/*
 * One cell of size x latency x caller. Buckets are log-linear: values below 16
 * have their own; above, 8 buckets an octave:
 * bucket = 8 * (floor(log2 v) - 3) + (v >> (floor(log2 v) - 3) & 7) + 8.
 */
struct cftu_trace_slot {
	__u64 caller;
	__u16 length_bucket;
	__u16 latency_bucket;
	__u8  operation;
	__u8  engine;
	__u16 reserved;
	__u64 count;
	__u64 bytes;			/* really copied */
	__u64 sum_ns;
	__u64 max_ns;
};

struct cftu_trace_histogram {
	__u32 size;
	__u32 cpu;
	__u64 slots_addr;		/* struct cftu_trace_slot[capacity] */
	__u32 capacity;
	__u32 count;			/* out: slots in use; more than capacity: come again */
	__u64 reserved[2];
};

#define CFTU_TRACE_MMAP_BASE		(1ULL << 40)
#define CFTU_TRACE_MMAP_OFFSET(cpu)	(CFTU_TRACE_MMAP_BASE + ((__u64)(cpu) << 32))

#define CFTU_TRACE_START	_IOWR(CFTU_MAGIC, 0x20, struct cftu_trace_start)
#define CFTU_TRACE_STOP		_IOWR(CFTU_MAGIC, 0x21, struct cftu_trace_state)
#define CFTU_TRACE_STATE	_IOWR(CFTU_MAGIC, 0x22, struct cftu_trace_state)
#define CFTU_TRACE_CONSUME	_IOWR(CFTU_MAGIC, 0x23, struct cftu_trace_consume)
#define CFTU_TRACE_HISTOGRAM_READ _IOWR(CFTU_MAGIC, 0x24, struct cftu_trace_histogram)

#endif /* _UAPI_CFTU_TRACE_H */
