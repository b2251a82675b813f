// SPDX-License-Identifier: GPL-2.0
/*
 * Which routines to probe. Where every copy ends in one routine, that one;
 * where the CPU's own instruction stands inline instead, the entry points that
 * call none of each other. Never both: no copy is counted twice.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>
#endif

#include "rec_probe.h"
#include "rec_trace.h"
#include "rec_wrapper.h"

static bool trace_entry_points;
module_param(trace_entry_points, bool, 0444);
MODULE_PARM_DESC(trace_entry_points,
		 "Probe the entry points even where one routine does all copies (N)");

#define CALLER_TELLS	CFTU_TRACE_OPERATIONS

static const struct cftu_rec_candidate single_routines[] = {
#if defined(CONFIG_X86_64)
	/* to 6.3: one of the three, by CPU features; newer: the one after them */
	{ "copy_user_enhanced_fast_string", REC_TO_FROM_LENGTH32, CALLER_TELLS },
	{ "copy_user_generic_string", REC_TO_FROM_LENGTH32, CALLER_TELLS },
	{ "copy_user_generic_unrolled", REC_TO_FROM_LENGTH32, CALLER_TELLS },
	{ "rep_movs_alternative", REC_TO_FROM_RCX, CALLER_TELLS },
	/* beside them: copies that go round the caches */
	{ "__copy_user_nocache", REC_TO_FROM_LENGTH32, CALLER_TELLS },
	{ "copy_to_nontemporal", REC_TO_FROM_LENGTH, CALLER_TELLS },
#elif defined(CONFIG_ARM64)
	{ "__arch_copy_from_user", REC_TO_FROM_LENGTH, CALLER_TELLS },
	{ "__arch_copy_to_user", REC_TO_FROM_LENGTH, CALLER_TELLS },
#endif
};

static const struct cftu_rec_candidate entry_points[] = {
	{ "_copy_from_user", REC_TO_FROM_LENGTH, CFTU_TRACE_COPY_FROM_USER },
	{ "_copy_to_user", REC_TO_FROM_LENGTH, CFTU_TRACE_COPY_TO_USER },
	{ "_copy_from_iter", REC_ITER, CFTU_TRACE_ITER_FROM_USER },
	{ "_copy_to_iter", REC_ITER, CFTU_TRACE_ITER_TO_USER },
	{ "copy_page_from_iter_atomic", REC_PAGE_ITER, CFTU_TRACE_ITER_FROM_USER },
	{ "copy_folio_from_iter_atomic", REC_PAGE_ITER, CFTU_TRACE_ITER_FROM_USER },
};

/* The first ones decide: without one of these the caches' detours are no use. */
#define DECIDING_SINGLE_ROUTINES	4

static_assert(ARRAY_SIZE(single_routines) + ARRAY_SIZE(entry_points) <= CFTU_TRACE_PROBES_MAX);

DEFINE_STATIC_KEY_FALSE(cftu_rec_attached);
struct cftu_rec_probe cftu_rec_probes[CFTU_TRACE_PROBES_MAX];

static DEFINE_MUTEX(probes_mutex);
static int uses;
static u32 probes_tried, state_flags, covered;

/* Its code is there, yet this CPU's copies do not pass it. */
static bool passed_by(const struct cftu_rec_candidate *candidate)
{
#ifdef CONFIG_X86_64
	return candidate->shape == REC_TO_FROM_RCX && boot_cpu_has(X86_FEATURE_FSRM);
#else
	return false;
#endif
}

static int attach_one(const struct cftu_rec_candidate *candidate)
{
	struct cftu_rec_probe *probe = &cftu_rec_probes[probes_tried++];

	memset(probe, 0, sizeof(*probe));
	probe->candidate = candidate;
	cftu_rec_probe_prepare(probe);
	probe->error = passed_by(candidate) ? -EOPNOTSUPP :
		       register_kretprobe(&probe->kretprobe);
	return probe->error;
}

static void detach_all(void)
{
	struct kretprobe *attached[CFTU_TRACE_PROBES_MAX];
	int count = 0;
	u32 i;

	for (i = 0; i < probes_tried; i++)
		if (!cftu_rec_probes[i].error)
			attached[count++] = &cftu_rec_probes[i].kretprobe;
	if (count)
		unregister_kretprobes(attached, count);
}

static void attach_single_routines(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(single_routines); i++) {
		if (!attach_one(&single_routines[i]) && i < DECIDING_SINGLE_ROUTINES)
			covered = (1U << CFTU_TRACE_OPERATIONS) - 1;
	}
	if (covered && cftu_rec_raw_merged()) {
		state_flags |= CFTU_TRACE_STATE_RAW_MERGED;
		covered &= ~(1U << CFTU_TRACE_RAW_COPY_FROM_USER | 1U << CFTU_TRACE_RAW_COPY_TO_USER);
	}
}

static void attach_entry_points(void)
{
	size_t i;

	state_flags |= CFTU_TRACE_STATE_ENTRY_POINTS;
	for (i = 0; i < ARRAY_SIZE(entry_points); i++)
		if (!attach_one(&entry_points[i]))
			covered |= 1U << entry_points[i].operation;
}

static int attach(void)
{
	probes_tried = state_flags = covered = 0;
	cftu_rec_wrappers_find();
	if (!trace_entry_points)
		attach_single_routines();
	if (!covered) {
		detach_all();
		attach_entry_points();
	}
	if (!covered)
		return -ENODEV;
	cftu_rec_calibrate();
	static_branch_enable(&cftu_rec_attached);
	return 0;
}

/* On x86 a probe that became a jump shows in the text itself. */
static bool optimised(const struct kprobe *probe)
{
#ifdef CONFIG_X86_64
	return probe->addr && READ_ONCE(*probe->addr) == 0xe9;
#else
	return false;
#endif
}

static void remember(struct cftu_rec_probe *probe)
{
	probe->missed = probe->kretprobe.nmissed + probe->kretprobe.kp.nmissed;
	probe->optimised = optimised(&probe->kretprobe.kp);
}

static void detach(void)
{
	u32 i;

	static_branch_disable(&cftu_rec_attached);
	for (i = 0; i < probes_tried; i++)
		if (!cftu_rec_probes[i].error)
			remember(&cftu_rec_probes[i]);
	detach_all();
}

int cftu_rec_probes_get(void)
{
	int error = 0;

	mutex_lock(&probes_mutex);
	if (!uses)
		error = attach();
	if (!error)
		uses++;
	mutex_unlock(&probes_mutex);
	return error;
}

void cftu_rec_probes_put(void)
{
	mutex_lock(&probes_mutex);
	if (uses && !--uses)
		detach();
	mutex_unlock(&probes_mutex);
}

void cftu_rec_probes_drop(void)
{
	mutex_lock(&probes_mutex);
	if (uses)
		detach();
	uses = 0;
	mutex_unlock(&probes_mutex);
}

static void tell_one(struct cftu_trace_probe *told, struct cftu_rec_probe *probe,
		     const struct cftu_rec_capture *capture, u32 index)
{
	unsigned int cpu;

	strscpy(told->symbol, probe->candidate->symbol, sizeof(told->symbol));
	told->error = -probe->error;
	if (probe->error)
		return;
	if (uses)
		remember(probe);
	told->missed = probe->missed;
	told->flags = probe->optimised ? CFTU_PROBE_OPTIMISED : 0;
	if (!capture)
		return;
	for_each_possible_cpu(cpu)
		told->hits += READ_ONCE(per_cpu_ptr(capture->cpus, cpu)->hits[index]);
}

void cftu_rec_probes_tell(struct cftu_trace_state *state,
			  const struct cftu_rec_capture *capture)
{
	u32 i;

	mutex_lock(&probes_mutex);
	state->probes = probes_tried;
	state->covered = covered;
	state->flags = state_flags;
	for (i = 0; i < probes_tried; i++)
		tell_one(&state->probe[i], &cftu_rec_probes[i], capture, i);
	mutex_unlock(&probes_mutex);
}

int cftu_rec_trace_on(void)
{
	return cftu_rec_probes_get();
}

void cftu_rec_trace_off(void)
{
	cftu_rec_probes_put();
}
