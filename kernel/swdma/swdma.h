/* SPDX-License-Identifier: GPL-2.0 */
/*
 * swdma - a DMA_MEMCPY provider made of software, for testing its clients
 *
 * The engine reaches memory through the kernel's linear map, by turning a DMA
 * address back into a physical one. That holds for direct mappings, bounce
 * buffers (swiotlb=force) included; behind a translating IOMMU it does not, and
 * the module refuses to load there (mapping.c has the check).
 *
 * A descriptor goes: free -> prepared (on no list) -> submitted -> issued
 * [-> batch] -> running -> done -> free. ch->lock guards the lists and every
 * counter. ch->gate is held for each slice of a copy, so that once pause or
 * terminate has returned, not one byte more is written. gate nests in lock.
 */
#ifndef SWDMA_H
#define SWDMA_H

#include <linux/dmaengine.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#ifdef CONFIG_HIGHMEM
#error "swdma needs all memory in the linear map: CONFIG_HIGHMEM is not supported"
#endif

#define SWDMA_MAX_CHANNELS	64
#define SWDMA_MAX_DEVICES	16
#define SWDMA_MAX_RING		65536
#define SWDMA_MAX_WINDOW	64
#define SWDMA_SLICE_BYTES	(16 * 1024)
#define SWDMA_KNOBS		11

/* What is fixed at load time; the meaning of each is in README.md. */
struct swdma_params {
	uint devices;
	uint channels;
	int node;
	int cpu;
	uint ring;
	uint copy_align;
	uint max_segment;
	bool pause;
	bool terminate;
	bool no_order;
	bool inline_copy;
	bool callback_needs_interrupt;
	bool errors_in_status;
};

extern struct swdma_params swdma_params;

/* What can be injected, one u64 each so that one table serves them all. */
struct swdma_faults {
	u64 delay_ns;
	u64 ns_per_kib;
	u64 fail_every;
	u64 fail_result;
	u64 fail_half;
	u64 prep_fail_every;
	u64 hang_at;
	u64 disorder_window;
	u64 disorder_shuffle;
	u64 disorder_seed;
	u64 lost;
};

/* How often each counted rule has been asked since it was set. */
struct swdma_seen {
	u64 fail;
	u64 prep;
	u64 hang;
};

struct swdma_counters {
	u64 prepared;
	u64 submitted;
	u64 descriptors;
	u64 bytes;
	u64 callbacks;
	u64 errors_injected;
	u64 prep_refused;
	u64 prep_injected;
	u64 prep_invalid;
	u64 pauses;
	u64 resumes;
	u64 terminates;
	u64 dropped;
	u64 max_depth;
};

/* What the rules decided for one descriptor when it started. */
struct swdma_plan {
	enum dmaengine_tx_result result;
	size_t copy_bytes;
	u64 delay_ns;
	u64 ns_per_kib;
	bool hang;
};

struct swdma_desc {
	struct dma_async_tx_descriptor txd;
	struct list_head node;
	dma_addr_t src;
	dma_addr_t dst;
	size_t len;
	size_t done_bytes;
	u32 epoch;
	struct swdma_plan plan;
	/* Outlive completion: tx_status answers from them until reuse. */
	dma_cookie_t last_cookie;
	enum dmaengine_tx_result last_result;
};

struct swdma_chan;

struct swdma_knob_file {
	struct swdma_chan *ch;
	uint index;
};

struct swdma_chan {
	struct dma_chan chan;
	struct device *dev;
	uint number;

	spinlock_t lock;
	spinlock_t gate;
	struct swdma_desc *ring;
	struct list_head free;
	struct list_head submitted;
	struct list_head issued;
	struct list_head batch;
	struct list_head done;
	struct swdma_desc *running;
	u64 depth;
	u32 epoch;
	bool paused;
	bool delivering;
	bool inline_busy;
	bool any_failed;

	struct task_struct *worker;
	struct tasklet_struct tasklet;
	wait_queue_head_t work;
	wait_queue_head_t quiet;

	struct swdma_faults faults;
	struct swdma_seen seen;
	u64 random;
	struct swdma_counters counters;

	struct swdma_knob_file knobs[SWDMA_KNOBS];
};

struct swdma_device {
	struct dma_device dma;
	uint count;
	struct swdma_chan ch[];
};

static inline struct swdma_chan *to_swdma_chan(struct dma_chan *chan)
{
	return container_of(chan, struct swdma_chan, chan);
}

static inline struct swdma_desc *to_swdma_desc(struct dma_async_tx_descriptor *txd)
{
	return container_of(txd, struct swdma_desc, txd);
}

/* Whether the running descriptor has to be abandoned where it stands. */
static inline bool swdma_stopped(struct swdma_chan *ch, struct swdma_desc *d)
{
	return READ_ONCE(ch->epoch) != d->epoch || READ_ONCE(ch->faults.lost);
}

/* mapping.c */
int swdma_check_mapping(struct device *dev);
void *swdma_address(struct device *dev, dma_addr_t addr);

/* channel.c */
void swdma_channel_init(struct swdma_chan *ch, struct swdma_device *sd, struct device *dev,
			uint number);
void swdma_operations(struct dma_device *dma);

/* queue.c: the life of a descriptor; _locked wants ch->lock */
struct swdma_desc *swdma_take_free_locked(struct swdma_chan *ch);
struct swdma_desc *swdma_start_next_locked(struct swdma_chan *ch);
void swdma_finish_locked(struct swdma_chan *ch, struct swdma_desc *d);
void swdma_drop_all_locked(struct swdma_chan *ch);
bool swdma_runnable(struct swdma_chan *ch);
void swdma_deliver(struct swdma_chan *ch);
void swdma_wait_quiet(struct swdma_chan *ch);

/* worker.c: one kernel thread a channel */
int swdma_worker_start(struct swdma_chan *ch);
void swdma_worker_stop(struct swdma_chan *ch);
bool swdma_copy_slice(struct swdma_chan *ch, struct swdma_desc *d);

/* inline.c: the submitter copies, a tasklet calls back */
void swdma_inline_init(struct swdma_chan *ch);
void swdma_inline_run(struct swdma_chan *ch);
void swdma_inline_stop(struct swdma_chan *ch);

/* fault.c */
extern struct swdma_faults swdma_fault_defaults;

struct swdma_knob {
	const char *name;
	size_t offset;
	u64 max;
};

extern const struct swdma_knob swdma_knobs[SWDMA_KNOBS];

int swdma_fault_check_defaults(void);
void swdma_fault_reset(struct swdma_chan *ch);
int swdma_fault_set(struct swdma_chan *ch, const struct swdma_knob *knob, u64 value);
u64 swdma_fault_get(struct swdma_chan *ch, const struct swdma_knob *knob);
bool swdma_fault_prep_locked(struct swdma_chan *ch);
struct swdma_plan swdma_fault_plan_locked(struct swdma_chan *ch, size_t len);
void swdma_fill_batch_locked(struct swdma_chan *ch);

/* control.c */
void swdma_control_init(void);
void swdma_control_exit(void);
void swdma_control_add(struct swdma_chan *ch);

/* Starts whatever has been issued, in the mode the module was loaded with. */
static inline void swdma_kick(struct swdma_chan *ch)
{
	if (swdma_params.inline_copy)
		swdma_inline_run(ch);
	else
		wake_up_all(&ch->work);
}

#endif
