// SPDX-License-Identifier: GPL-2.0
/*
 * The size of each wrapper's frame, where there are no frame pointers: make a
 * copy through it from a function of our own, and look, in the probe, where on
 * the stack the return address into that function lies. One frame a function:
 * its prologue is run before any call.
 */
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "rec_frame.h"
#include "rec_wrapper.h"

#if CFTU_REC_FRAMES_CALIBRATED

#define BYTES		128
#define FRAME_WORDS_MAX	64

static struct {
	struct task_struct *task;
	unsigned long *top;	/* of the frame of the function that copies */
	unsigned long function;
} calibration;

/* Room for the code of each of them. */
#define FUNCTION_BYTES	1024

/* From above: what lies deeper may be a leftover, the uppermost is the call. */
static int frame_words(const unsigned long *stack)
{
	const unsigned long *word;

	for (word = calibration.top; word > stack; word--)
		if (*word - calibration.function < FUNCTION_BYTES)
			return word - (stack + 1);
	return -1;
}

bool cftu_rec_calibrate_hit(struct pt_regs *regs)
{
	struct cftu_rec_wrapper *wrapper;
	struct cftu_rec_frame frame;

	if (READ_ONCE(calibration.task) != current)
		return false;
	cftu_rec_frame_begin(&frame, regs);
	while ((wrapper = cftu_rec_wrapper_at(frame.address))) {
		if (wrapper->frame_words < 0) {
			int words = frame_words(frame.stack);

			if (words >= 0 && words < FRAME_WORDS_MAX)
				wrapper->frame_words = words;
			break;
		}
		cftu_rec_frame_up(&frame, wrapper->frame_words);
	}
	return true;
}
NOKPROBE_SYMBOL(cftu_rec_calibrate_hit);

struct calibration_copy {
	void __user *user;
	struct page *page;
	struct iovec segment;
	struct iov_iter iter;
	unsigned long bytes;	/* not a constant to the compiler */
	unsigned long result;
};

static void aim(struct calibration_copy *copy, unsigned int direction)
{
	copy->segment.iov_base = copy->user;
	copy->segment.iov_len = copy->bytes;
	iov_iter_init(&copy->iter, direction, &copy->segment, 1, copy->bytes);
}

/* Each holds its own call; the barrier keeps it from becoming a jump. */
#define COPIER(name, call)						\
static noinline void name(struct calibration_copy *copy)		\
{									\
	calibration.function = (unsigned long)name;			\
	calibration.top = __builtin_frame_address(0);			\
	copy->result = (call);						\
	barrier();							\
}

COPIER(through_to_user,
       copy_to_user(copy->user, page_address(copy->page), copy->bytes))
COPIER(through_from_user,
       copy_from_user(page_address(copy->page), copy->user, copy->bytes))
COPIER(through_to_iter,
       copy_to_iter(page_address(copy->page), copy->bytes, &copy->iter))
COPIER(through_from_iter,
       copy_from_iter(page_address(copy->page), copy->bytes, &copy->iter))
COPIER(through_page_to_iter,
       copy_page_to_iter(copy->page, 0, copy->bytes, &copy->iter))
COPIER(through_page_from_iter,
       copy_page_from_iter(copy->page, 0, copy->bytes, &copy->iter))
#ifdef CFTU_HAVE_FOLIO_ITER
COPIER(through_page_from_iter_atomic,
       copy_folio_from_iter_atomic(page_folio(copy->page), 0, copy->bytes, &copy->iter))
#else
COPIER(through_page_from_iter_atomic,
       copy_page_from_iter_atomic(copy->page, 0, copy->bytes, &copy->iter))
#endif

/* The inner ones first: the outer are reached through them. */
static void copy_through_all(struct calibration_copy *copy)
{
	through_to_user(copy);
	through_from_user(copy);
	aim(copy, READ);
	through_to_iter(copy);
	aim(copy, READ);
	through_page_to_iter(copy);
	aim(copy, WRITE);
	through_from_iter(copy);
	aim(copy, WRITE);
	through_page_from_iter(copy);
	aim(copy, WRITE);
	through_page_from_iter_atomic(copy);
}

void cftu_rec_calibrate(void)
{
	static bool done;
	struct calibration_copy copy = { .bytes = BYTES };
	unsigned long user;

	if (done || !current->mm)
		return;
	user = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_ANONYMOUS | MAP_PRIVATE, 0);
	if (IS_ERR_VALUE(user))
		return;
	copy.user = (void __user *)user;
	copy.page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (copy.page) {
		WRITE_ONCE(calibration.task, current);
		copy_through_all(&copy);
		WRITE_ONCE(calibration.task, NULL);
		__free_page(copy.page);
		done = true;
	}
	vm_munmap(user, PAGE_SIZE);
}

#else

bool cftu_rec_calibrate_hit(struct pt_regs *regs)
{
	return false;
}

void cftu_rec_calibrate(void)
{
}

#endif
