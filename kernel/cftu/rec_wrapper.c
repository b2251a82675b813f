// SPDX-License-Identifier: GPL-2.0
/*
 * Which operation a copy is, and who asked for it: all six end in the same
 * routine, so the return addresses above it tell. The ranges of the functions
 * in between are found by name once; kernel text does not move.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "../uapi/cftu_trace.h"
#include "rec_frame.h"
#include "rec_wrapper.h"

#define STEPS_MAX	3	/* _copy_to_iter, copy_page_to_iter, its caller */

#define ITERATOR(name) \
	{ name, CFTU_TRACE_ITER_FROM_USER, CFTU_TRACE_ITER_TO_USER, 0, 0, -1 }

struct cftu_rec_wrapper cftu_rec_wrappers[CFTU_REC_WRAPPERS] = {
	{ "_copy_from_user", CFTU_TRACE_COPY_FROM_USER, CFTU_TRACE_COPY_FROM_USER, 0, 0, -1 },
	{ "_copy_to_user", CFTU_TRACE_COPY_TO_USER, CFTU_TRACE_COPY_TO_USER, 0, 0, -1 },
	ITERATOR("_copy_from_iter"),
	ITERATOR("_copy_to_iter"),
	ITERATOR("copy_page_from_iter_atomic"),
	ITERATOR("copy_folio_from_iter_atomic"),
	ITERATOR("copy_page_from_iter"),
	ITERATOR("copy_page_to_iter"),
	ITERATOR("copy_page_to_iter_nofault"),
	ITERATOR("_copy_from_iter_nocache"),
	ITERATOR("_copy_mc_to_iter"),
	ITERATOR("copyin"),
	ITERATOR("copyout"),
	ITERATOR("copy_from_user_iter"),
	ITERATOR("copy_to_user_iter"),
};

static unsigned long lowest = ~0UL, highest;
static bool raw_merged;

/* "name+0x4/0x70": what lies before the address, and how long the function is. */
static void range_of(unsigned long address, unsigned long *begin, unsigned long *end)
{
	static char text[KSYM_SYMBOL_LEN];	/* under the probes' mutex */
	unsigned long offset, size;
	const char *plus;

	sprint_symbol(text, address);
	plus = strchr(text, '+');
	if (!plus || sscanf(plus, "+%lx/%lx", &offset, &size) != 2)
		return;
	*begin = address - offset;
	*end = *begin + size;
}

/* A probe that is never armed: its registration finds the address of a name. */
static bool locate(struct kprobe *probe, struct cftu_rec_wrapper *wrapper)
{
	probe->symbol_name = wrapper->symbol;
	probe->flags = KPROBE_FLAG_DISABLED;
	if (register_kprobe(probe))
		return false;
	range_of((unsigned long)probe->addr, &wrapper->begin, &wrapper->end);
	lowest = min(lowest, wrapper->begin);
	highest = max(highest, wrapper->end);
	return true;
}

/* arm64 has out-of-line ones for Rust at most: its C code inlines them. */
static bool plain_told(void)
{
	return !IS_ENABLED(CONFIG_ARM64) && cftu_rec_wrappers[0].end && cftu_rec_wrappers[1].end;
}

void cftu_rec_wrappers_find(void)
{
	static struct kprobe probes[CFTU_REC_WRAPPERS];
	struct kprobe *found[CFTU_REC_WRAPPERS];
	int count = 0, i;

	if (highest)
		return;
	memset(probes, 0, sizeof(probes));
	for (i = 0; i < CFTU_REC_WRAPPERS; i++)
		if (locate(&probes[i], &cftu_rec_wrappers[i]))
			found[count++] = &probes[i];
	if (count)
		unregister_kprobes(found, count);
	raw_merged = !plain_told();
}

struct cftu_rec_wrapper *cftu_rec_wrapper_at(unsigned long address)
{
	int i;

	if (address < lowest || address >= highest)
		return NULL;
	for (i = 0; i < CFTU_REC_WRAPPERS; i++)
		if (address - cftu_rec_wrappers[i].begin <
		    cftu_rec_wrappers[i].end - cftu_rec_wrappers[i].begin)
			return &cftu_rec_wrappers[i];
	return NULL;
}
NOKPROBE_SYMBOL(cftu_rec_wrapper_at);

/* Where copy_*_user() is inlined, nothing tells its callers from raw ones. */
static __always_inline u8 outside_operation(bool to_user)
{
	if (raw_merged)
		return to_user ? CFTU_TRACE_COPY_TO_USER : CFTU_TRACE_COPY_FROM_USER;
	return to_user ? CFTU_TRACE_RAW_COPY_TO_USER : CFTU_TRACE_RAW_COPY_FROM_USER;
}

bool cftu_rec_raw_merged(void)
{
	return raw_merged;
}

void cftu_rec_origin(struct pt_regs *regs, bool to_user, struct cftu_rec_origin *origin)
{
	const struct cftu_rec_wrapper *wrapper;
	struct cftu_rec_frame frame;
	int step;

	cftu_rec_frame_begin(&frame, regs);
	origin->caller = frame.address;
	origin->flags = 0;
	wrapper = cftu_rec_wrapper_at(frame.address);
	if (!wrapper) {
		origin->operation = outside_operation(to_user);
		return;
	}
	origin->operation = to_user ? wrapper->to_user : wrapper->from_user;
	for (step = 0; wrapper && step < STEPS_MAX; step++) {
		if (!cftu_rec_frame_up(&frame, wrapper->frame_words)) {
			origin->flags = CFTU_TRACE_RECORD_NEAR_CALLER;
			return;
		}
		origin->caller = frame.address;
		wrapper = cftu_rec_wrapper_at(frame.address);
	}
}
NOKPROBE_SYMBOL(cftu_rec_origin);
