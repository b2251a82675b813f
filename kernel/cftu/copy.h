/* SPDX-License-Identifier: GPL-2.0 */
/* One copy between user memory and a kernel buffer, by whom it may be done. */
#ifndef CFTU_COPY_H
#define CFTU_COPY_H

#include "../uapi/cftu.h"
#include "span.h"

/* User pages pinned beforehand. */
struct cftu_pinned {
	struct page **pages;
	unsigned long user_addr;	/* of the first byte registered */
	size_t length_bytes;
};

struct cftu_request {
	/* in */
	enum cftu_direction direction;	/* from or to */
	enum cftu_engine engine;
	enum cftu_wait wait;
	enum cftu_class class_;
	unsigned long user_addr;
	struct cftu_span span;
	size_t span_offset;
	size_t length_bytes;
	const struct cftu_pinned *pinned;	/* NULL: pin for this copy */
	struct cftu_phases *phases;		/* NULL: do not time them */
	unsigned long caller;			/* for the recorder */
	/* out */
	size_t dma_bytes;
	size_t cpu_bytes;
	u32 dma_chunks;
	u32 cpu_chunks;
	enum cftu_reason reason;	/* of the last part that the CPU did */
	int channel;
	bool lost;			/* a lost engine may still write to the target */
};

/*
 * Copies and returns the bytes NOT copied, as copy_from_user() and
 * copy_to_user() do, the tail of the kernel side zeroed likewise. May sleep;
 * where the context may not, the CPU copies. A fatal signal ends it between
 * chunks with CFTU_REASON_INTERRUPTED.
 */
size_t cftu_run_copy(struct cftu_request *request);

#endif
