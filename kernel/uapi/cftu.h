/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * cftu: copies between user memory and kernel buffers, by the CPU or by a DMA
 * engine under a channel policy. The interface of /dev/cftu.
 *
 * Rules for every structure here: the first word is its size in bytes as the
 * caller knows it; reserved words and unknown flag bits must be zero (EINVAL);
 * all fields have fixed widths and lie at the same offsets for 32-bit and
 * 64-bit callers. Times are nanoseconds of CLOCK_MONOTONIC unless the name
 * says otherwise.
 *
 * Errors: the ioctl's errno tells the class, `reason` (enum cftu_reason) where
 * a structure has it tells the cause; userland turns it into a sentence.
 */
#ifndef _UAPI_CFTU_H
#define _UAPI_CFTU_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define CFTU_DEVICE_NAME	"cftu"
/* Changes whenever a structure or a meaning does; there is no range. */
#define CFTU_ABI_VERSION	1

#define CFTU_NAME_BYTES		32	/* a driver's, device's or channel's name */
#define CFTU_CHANNELS_MAX	64
#define CFTU_LOG2_BUCKETS	32	/* bucket i counts values in [2^i, 2^(i+1)) */

/* Why a copy, or a part of it, was not done by DMA, or why a call failed. */
enum cftu_reason {
	CFTU_REASON_NONE		= 0,
	CFTU_REASON_ASKED_CPU		= 1,	/* the caller asked for the CPU */
	CFTU_REASON_NO_POLICY		= 2,	/* no policy is running */
	CFTU_REASON_BELOW_THRESHOLD	= 4,
	CFTU_REASON_ATOMIC		= 5,	/* context may not sleep */
	CFTU_REASON_NO_CHANNEL_FOR_CPU	= 6,	/* exclusive: this CPU owns none */
	CFTU_REASON_NO_CHANNEL		= 7,	/* none is left alive */
	CFTU_REASON_MISALIGNED		= 8,	/* ends differ in the engine's alignment */
	CFTU_REASON_UNALIGNED_ENDS	= 9,	/* head or tail of a chunk */
	CFTU_REASON_PIN_FAILED		= 10,	/* pages that cannot be pinned */
	CFTU_REASON_FILE_PAGE		= 11,	/* shared file page: write-back order */
	CFTU_REASON_MAP_FAILED		= 12,
	CFTU_REASON_NO_DESCRIPTOR	= 13,	/* prep refused until the time limit */
	CFTU_REASON_SUBMIT_FAILED	= 14,
	CFTU_REASON_READ_FAILED		= 15,	/* engine: reading the source */
	CFTU_REASON_WRITE_FAILED	= 16,	/* engine: writing the destination */
	CFTU_REASON_ABORTED		= 17,	/* engine aborted the descriptor */
	CFTU_REASON_TIMED_OUT		= 18,	/* terminated after the time limit */
	CFTU_REASON_CHANNEL_LOST	= 19,	/* never answered, cannot be terminated */
	CFTU_REASON_KERNEL_MEMORY	= 20,	/* kernel side is not page backed */
	CFTU_REASON_NO_MEMORY		= 21,
	/* reasons of failing calls */
	CFTU_REASON_ABI			= 32,
	CFTU_REASON_RESERVED_SET	= 33,
	CFTU_REASON_NO_SUCH_BUFFER	= 34,
	CFTU_REASON_OUT_OF_RANGE	= 35,
	CFTU_REASON_MEMLOCK		= 36,	/* RLIMIT_MEMLOCK would be passed */
	CFTU_REASON_NOT_PERMITTED	= 37,
	CFTU_REASON_NO_ENGINE		= 38,	/* no device offers DMA_MEMCPY */
	CFTU_REASON_ALL_TAKEN		= 39,	/* there are channels, none is free */
	CFTU_REASON_TOO_FEW_CHANNELS	= 40,	/* exclusive needs one a CPU */
	CFTU_REASON_POLICY_ACTIVE	= 41,
	CFTU_REASON_BAD_WINDOW		= 42,	/* 0 < quantum < window does not hold */
	CFTU_REASON_FAULT		= 43,	/* user memory: EFAULT */
	CFTU_REASON_INTERRUPTED		= 44,
	CFTU_REASON_NO_PAUSE		= 45,	/* hardware pause asked, not offered */
	CFTU_REASON_TRACE_ACTIVE	= 46,
	CFTU_REASON_NO_PROBE		= 47,	/* no copy routine could be probed */
	CFTU_REASON_SELF_TEST		= 48,	/* a channel copied wrong bytes */
	CFTU_REASON_NO_MATCH		= 49,	/* free channels, none as asked for */
	CFTU_REASON_TRACE_MEMORY	= 51,	/* rings and histogram above the module's limit */
	CFTU_REASON_TRACE_MAPPED	= 52,	/* rings of the last capture are still mapped */
	CFTU_REASON_COUNT		= 53,
};

enum cftu_direction {
	CFTU_FROM_USER	= 0,
	CFTU_TO_USER	= 1,
	CFTU_BOTH	= 2,	/* measure only: from, then to, as one operation */
};

enum cftu_engine {
	CFTU_ENGINE_CPU		= 0,
	CFTU_ENGINE_POLICY	= 1,	/* DMA as the started policy says */
	CFTU_ENGINE_NONE	= 2,	/* measure only: the empty operation */
};

enum cftu_wait {
	CFTU_WAIT_IRQ		= 0,	/* sleep until the callback */
	CFTU_WAIT_POLL		= 1,	/* spin, without interrupts where the channel allows it */
	CFTU_WAIT_HYBRID	= 2,	/* spin shortly for the callback, then sleep */
};

enum cftu_class {
	CFTU_CLASS_LOW	= 0,
	CFTU_CLASS_HIGH	= 1,
};

enum cftu_policy_kind {
	CFTU_POLICY_NONE	= 0,
	CFTU_POLICY_EXCLUSIVE	= 1,
	CFTU_POLICY_SHARED	= 2,
	CFTU_POLICY_PRIORITY	= 3,
};

enum cftu_chooser {
	CFTU_CHOOSE_ROUND_ROBIN		= 0,
	CFTU_CHOOSE_LEAST_OUTSTANDING	= 1,
};

/* Where the time of one DMA copy went, summed over its chunks. */
struct cftu_phases {
	__u64 gate_ns;
	__u64 pin_ns;
	__u64 map_ns;
	__u64 submit_ns;
	__u64 wait_ns;
	__u64 unmap_ns;
	__u64 unpin_ns;
	__u64 cpu_copy_ns;	/* heads, tails and chunks done by the CPU */
};

struct cftu_hello {
	__u32 size;
	__u32 abi_version;		/* in: the caller's; out: the module's */
	__u64 features;			/* out: CFTU_FEATURE_* */
	char  module_version[CFTU_NAME_BYTES];
	__u32 channels_max;
	__u32 reason;
	__u64 chunk_bytes_default;
	__u64 threshold_bytes_default;
	__u64 reserved[4];
};
#define CFTU_FEATURE_FLUSH	(1ULL << 0)	/* lines can be flushed: "no cache" */
#define CFTU_FEATURE_TRACE	(1ULL << 1)	/* the recorder is built in */

/* A kernel buffer of this open file. Charged to RLIMIT_MEMLOCK. */
struct cftu_buffer_alloc {
	__u32 size;
	__u32 flags;			/* CFTU_BUFFER_* */
	__u64 length_bytes;
	__s32 node;			/* NUMA node, -1: the caller's */
	__u32 id;			/* out */
	__u64 mmap_offset;		/* out: read-only mmap() at this offset */
	__u32 extents;			/* out: physically contiguous pieces */
	__u32 reason;
	__u64 reserved[3];
};
#define CFTU_BUFFER_SCATTERED	(1U << 0)	/* single pages, never in a row */

/* User memory pinned until unregistered. Charged to RLIMIT_MEMLOCK. */
struct cftu_register {
	__u32 size;
	__u32 flags;			/* CFTU_REGISTER_* */
	__u64 user_addr;
	__u64 length_bytes;
	__u32 id;			/* out */
	__u32 extents;			/* out */
	__u32 reason;
	__u32 reserved0;
	__u64 pin_ns;			/* out */
	__u64 reserved[3];
};
#define CFTU_REGISTER_WRITABLE	(1U << 0)	/* may be a destination */

/* Frees a buffer or a registration. EBUSY: a copy, or a lost engine, uses it. */
struct cftu_release {
	__u32 size;
	__u32 id;
	__u64 unpin_ns;			/* out: registrations */
	__u64 reserved[2];
};

struct cftu_copy {
	__u32 size;
	__u32 flags;			/* zero */
	__u32 direction;
	__u32 engine;
	__u32 wait;
	__u32 class_;
	__u32 buffer;			/* kernel buffer's id */
	__u32 registration;		/* id, or 0: pin for this copy */
	__u64 user_addr;
	__u64 kernel_offset;
	__u64 length_bytes;
	/* out */
	__u64 not_copied_bytes;		/* as copy_from_user() and copy_to_user() tell it */
	__u64 dma_bytes;
	__u64 cpu_bytes;
	__u32 dma_chunks;
	__u32 cpu_chunks;
	__u32 reason;			/* of the last part done by the CPU */
	__s32 channel;			/* that did the last DMA chunk, -1: none */
	__u32 cpu_start;
	__u32 cpu_end;
	__u64 reserved[2];
	struct cftu_phases phases;
};

/* One timed repetition. */
struct cftu_sample {
	__u64 start_ns;
	__u64 end_ns;
	__u32 cpu_start;
	__u32 cpu_end;
	__s32 channel;
	__u32 reason;
	__u64 dma_bytes;
	struct cftu_phases phases;
};

/* Repeats one copy in the kernel, timed there: a system call a copy would hide it. */
struct cftu_measure {
	__u32 size;
	__u32 flags;			/* CFTU_MEASURE_* */
	__u32 direction;
	__u32 engine;
	__u32 wait;
	__u32 class_;
	__u32 buffer;
	__u32 registration;
	__u64 user_addr;
	__u64 kernel_offset;
	__u64 length_bytes;
	__u64 samples_addr;		/* struct cftu_sample[repetitions] */
	__u32 repetitions;
	__u32 copies_per_sample;	/* back to back inside one sample, at least 1 */
	__u64 begin_at_ns;		/* spin until then; 0: at once */
	/* out */
	__u32 done;			/* repetitions finished */
	__u32 reason;
	__u64 begin_ns;			/* of the first, CLOCK_MONOTONIC */
	__u64 end_ns;
	__u64 begin_realtime_ns;
	__u64 end_realtime_ns;
	__u64 dma_bytes;
	__u64 cpu_bytes;
	__u64 not_copied_bytes;
	__u64 reserved[3];
};
#define CFTU_MEASURE_FLUSH	(1U << 0)	/* flush both sides' lines before each sample */
#define CFTU_MEASURE_PHASES	(1U << 1)	/* time the phases too; it lengthens the copy */

/* One DMA_MEMCPY channel of this machine. */
struct cftu_channel {
	char  name[CFTU_NAME_BYTES];	/* dma0chan0 */
	char  driver[CFTU_NAME_BYTES];
	char  device[CFTU_NAME_BYTES];
	__s32 node;
	__u32 flags;			/* CFTU_CHANNEL_* */
	__u32 copy_align_bytes;
	__u32 length_granule_bytes;	/* a known rule of the driver, else 1 */
	__u64 segment_max_bytes;
	__u64 boundary_mask;
	/* ours only, zero otherwise */
	__u64 dma_bytes;
	__u64 dma_chunks;
	__u64 descriptors;
	__u64 errors;
	__u64 outstanding_bytes;
	__u64 reserved[2];
};
#define CFTU_CHANNEL_OURS	(1U << 0)
#define CFTU_CHANNEL_TAKEN	(1U << 1)	/* by another client */
#define CFTU_CHANNEL_PAUSE	(1U << 2)	/* device_pause and device_resume */
#define CFTU_CHANNEL_TERMINATE	(1U << 3)
#define CFTU_CHANNEL_NO_ORDER	(1U << 4)	/* completes in any order */
#define CFTU_CHANNEL_HIGH	(1U << 5)	/* high-priority under the policy */
#define CFTU_CHANNEL_DEAD	(1U << 6)	/* gave no answer; not used any more */
#define CFTU_CHANNEL_DCA_OFF	(1U << 7)	/* cache injection known to be off */
#define CFTU_CHANNEL_DCA_ON	(1U << 8)	/* ... known to be on */
#define CFTU_CHANNEL_COHERENT	(1U << 9)
#define CFTU_CHANNEL_IOMMU	(1U << 10)	/* mapped through an IOMMU */
#define CFTU_CHANNEL_PRIVATE	(1U << 11)	/* DMA_PRIVATE: not shared with async_tx */
#define CFTU_CHANNEL_REAPABLE	(1U << 12)	/* polling needs no interrupt; ours only */

struct cftu_channels {
	__u32 size;
	__u32 capacity;			/* in: entries at channels_addr */
	__u64 channels_addr;		/* struct cftu_channel[capacity] */
	__u32 count;			/* out: how many there are */
	__u32 reason;
	__u64 reserved[2];
};

struct cftu_policy {
	__u32 size;
	__u32 flags;			/* CFTU_POLICY_* */
	__u32 kind;
	__u32 channels;			/* wanted; 0: as many as there are, at most one a CPU */
	__u32 high_channels;		/* priority: the first n, default 1 */
	__u32 chooser;
	__u64 quantum_ns;		/* priority: the high share of each window */
	__u64 window_ns;
	__u64 chunk_bytes;		/* 0: the default */
	__u64 threshold_bytes;		/* smaller copies go by CPU; ~0: the default */
	__u64 timeout_ns;		/* of one chunk; 0: the default */
	__s32 node;			/* channels of this NUMA node only; -1: any */
	__u32 reason;			/* out */
	char  driver[CFTU_NAME_BYTES];	/* channels of this driver only; empty: any */
	char  channel[CFTU_NAME_BYTES];	/* this channel only; empty: any */
	__u64 reserved[4];
};
#define CFTU_POLICY_ALLOW_FOLD		(1U << 0)	/* exclusive: CPUs may share */
#define CFTU_POLICY_PERSIST		(1U << 1)	/* outlives the open file */
#define CFTU_POLICY_HARDWARE_PAUSE	(1U << 2)	/* priority: pause channels */
#define CFTU_POLICY_REPLACE		(1U << 3)	/* switch if one is started */

/* What the gate of the priority policy really did. */
struct cftu_windows {
	__u64 high_count;
	__u64 low_count;
	__u64 high_ns;			/* summed */
	__u64 low_ns;
	__u64 high_max_ns;
	__u64 low_max_ns;
	__u64 missed;			/* periods that passed without a flip */
	__u64 gate_waits;
	__u64 gate_wait_ns;
	__u64 gate_wait_max_ns;
	__u64 bleeds;			/* low chunks that ended inside a high window */
	__u64 bleed_max_ns;
	__u64 pause_errors;
	__u64 high_log2[CFTU_LOG2_BUCKETS];
	__u64 low_log2[CFTU_LOG2_BUCKETS];
};

struct cftu_policy_state {
	__u32 size;
	__u32 reserved0;
	struct cftu_policy policy;	/* as started, defaults filled in */
	__u32 channels_held;
	__u32 channels_seen;		/* DMA_MEMCPY channels of the machine */
	__u32 channels_dead;
	__u32 switches;			/* since the module was loaded */
	__u64 started_ns;
	struct cftu_windows windows;
	__u64 reserved[4];
};

/* Module-wide counters since loading. */
struct cftu_stats {
	__u32 size;
	__u32 reserved0;
	__u64 copies;
	__u64 dma_bytes;
	__u64 cpu_bytes;
	__u64 not_copied_bytes;
	__u64 dma_chunks;
	__u64 cpu_chunks[CFTU_REASON_COUNT];	/* by reason */
	__u64 reserved[8];
};

#define CFTU_MAGIC		0xB7
#define CFTU_HELLO		_IOWR(CFTU_MAGIC, 0x00, struct cftu_hello)
#define CFTU_BUFFER_ALLOC	_IOWR(CFTU_MAGIC, 0x01, struct cftu_buffer_alloc)
#define CFTU_BUFFER_FREE	_IOWR(CFTU_MAGIC, 0x02, struct cftu_release)
#define CFTU_REGISTER		_IOWR(CFTU_MAGIC, 0x03, struct cftu_register)
#define CFTU_UNREGISTER		_IOWR(CFTU_MAGIC, 0x04, struct cftu_release)
#define CFTU_COPY		_IOWR(CFTU_MAGIC, 0x05, struct cftu_copy)
#define CFTU_MEASURE		_IOWR(CFTU_MAGIC, 0x06, struct cftu_measure)
#define CFTU_CHANNELS		_IOWR(CFTU_MAGIC, 0x07, struct cftu_channels)
#define CFTU_POLICY_START	_IOWR(CFTU_MAGIC, 0x08, struct cftu_policy)
#define CFTU_POLICY_STOP	_IOWR(CFTU_MAGIC, 0x09, struct cftu_policy)
#define CFTU_POLICY_SHOW	_IOWR(CFTU_MAGIC, 0x0a, struct cftu_policy_state)
#define CFTU_STATS		_IOWR(CFTU_MAGIC, 0x0b, struct cftu_stats)
/* 0x20 ... 0x2f: the recorder, cftu_trace.h */

#endif /* _UAPI_CFTU_H */
