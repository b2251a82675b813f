/* SPDX-License-Identifier: GPL-2.0 */
/* The functions between a caller and the probed copy routine. */
#ifndef CFTU_REC_WRAPPER_H
#define CFTU_REC_WRAPPER_H

#include <linux/types.h>

struct pt_regs;

/*
 * The frame is what lies on the stack between the return address of the call
 * that leaves the function and the function's own: the same for all its calls.
 */
struct cftu_rec_wrapper {
	const char *symbol;
	u8 from_user;		/* the operation of what passes, by direction */
	u8 to_user;
	unsigned long begin;
	unsigned long end;	/* 0: not in this kernel */
	int frame_words;	/* -1: not known */
};

#define CFTU_REC_WRAPPERS	15
extern struct cftu_rec_wrapper cftu_rec_wrappers[CFTU_REC_WRAPPERS];

struct cftu_rec_origin {
	unsigned long caller;
	u8 operation;
	u8 flags;		/* CFTU_TRACE_RECORD_* */
};

/* Resolved once; may sleep. */
void cftu_rec_wrappers_find(void);
/* Raw copies cannot be told from plain ones: copy_*_user() is inlined. */
bool cftu_rec_raw_merged(void);
struct cftu_rec_wrapper *cftu_rec_wrapper_at(unsigned long address);

/* Operation and caller of a copy, at the entry of the probed routine. */
void cftu_rec_origin(struct pt_regs *regs, bool to_user, struct cftu_rec_origin *origin);

/* With the probes attached and nobody listening; may sleep. */
void cftu_rec_calibrate(void);
/* From a probe's entry: true when the copy was one of the calibration's. */
bool cftu_rec_calibrate_hit(struct pt_regs *regs);

#endif
