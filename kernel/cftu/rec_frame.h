/* SPDX-License-Identifier: GPL-2.0 */
/* From the entry of a probed routine to the callers above it, by architecture. */
#ifndef CFTU_REC_FRAME_H
#define CFTU_REC_FRAME_H

#include <linux/bits.h>
#include <linux/ptrace.h>

struct cftu_rec_frame {
	unsigned long address;		/* the return address */
	unsigned long *stack;		/* x86: where it lies; arm64: the frame record */
};

#if defined(CONFIG_X86_64)

static __always_inline void cftu_rec_frame_begin(struct cftu_rec_frame *frame, struct pt_regs *regs)
{
	frame->stack = (unsigned long *)regs->sp;
	frame->address = *frame->stack;
}

/* Without frame pointers: by the known size of the frame of who was returned to. */
static __always_inline bool cftu_rec_frame_up(struct cftu_rec_frame *frame, int frame_words)
{
	if (frame_words < 0)
		return false;
	frame->stack += 1 + frame_words;
	frame->address = *frame->stack;
	return (long)frame->address < 0;
}

static __always_inline bool cftu_rec_is_user(unsigned long address)
{
	return (long)address >= 0;
}

#define CFTU_REC_FRAMES_CALIBRATED 1

#elif defined(CONFIG_ARM64)

#include <asm/pointer_auth.h>

#ifndef ptrauth_strip_kernel_insn_pac
#define ptrauth_strip_kernel_insn_pac(address) (address)
#endif

static __always_inline void cftu_rec_frame_begin(struct cftu_rec_frame *frame, struct pt_regs *regs)
{
	frame->address = regs->regs[30];
	frame->stack = (unsigned long *)regs->regs[29];
}

/* The copy routines are leaves: x29 still is the frame record of their caller. */
static __always_inline bool cftu_rec_frame_up(struct cftu_rec_frame *frame, int frame_words)
{
	if ((long)frame->stack >= 0)
		return false;
	frame->address = ptrauth_strip_kernel_insn_pac(frame->stack[1]);
	frame->stack = (unsigned long *)frame->stack[0];
	return (long)frame->address < 0;
}

/* The top byte may be a tag. */
static __always_inline bool cftu_rec_is_user(unsigned long address)
{
	return !(address & BIT(55));
}

#define CFTU_REC_FRAMES_CALIBRATED 0

#endif

#endif
