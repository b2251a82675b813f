/* SPDX-License-Identifier: GPL-2.0 */
/* The probes on this kernel's copy routines. */
#ifndef CFTU_REC_PROBE_H
#define CFTU_REC_PROBE_H

#include <linux/kprobes.h>

#include "rec_capture.h"

/* How a probed routine takes its arguments and tells what it did. */
enum cftu_rec_shape {
	REC_TO_FROM_LENGTH,	/* (to, from, length) -> not copied */
	REC_TO_FROM_LENGTH32,	/* likewise, both 32 bits wide */
	REC_TO_FROM_RCX,	/* x86 rep_movs_alternative: rcx in and out */
	REC_ITER,		/* (address, length, iov_iter) -> copied */
	REC_PAGE_ITER,		/* (page, offset, length, iov_iter) -> copied */
};

struct cftu_rec_candidate {
	const char *symbol;
	enum cftu_rec_shape shape;
	u8 operation;		/* of an entry point; CFTU_TRACE_OPERATIONS: the caller tells */
};

struct cftu_rec_probe {
	struct kretprobe kretprobe;
	const struct cftu_rec_candidate *candidate;
	int error;
	u64 missed;		/* told when it was detached */
	bool optimised;
};

/* The handlers: rec_hit.c. The data of one copy under way is theirs. */
void cftu_rec_probe_prepare(struct cftu_rec_probe *probe);
extern struct cftu_rec_probe cftu_rec_probes[CFTU_TRACE_PROBES_MAX];

/* One use of the probes: a capture, or the trace event. Counted. */
int cftu_rec_probes_get(void);
void cftu_rec_probes_put(void);
/* Takes them away whoever may still use them: the module goes. */
void cftu_rec_probes_drop(void);
void cftu_rec_probes_tell(struct cftu_trace_state *state,
			  const struct cftu_rec_capture *capture);

#endif
