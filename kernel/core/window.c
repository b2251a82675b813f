// SPDX-License-Identifier: GPL-2.0
#include "window.h"

#define QUANTUM_MIN_NS 1000ULL
#define WINDOW_MAX_NS 10000000000ULL

unsigned int cftu_log2_bucket(u64 value)
{
	int top = fls64(value);

	if (top <= 1)
		return 0;
	return top > CFTU_LOG2_BUCKETS ? CFTU_LOG2_BUCKETS - 1 : (unsigned int)top - 1;
}

bool cftu_window_valid(u64 quantum_ns, u64 window_ns)
{
	return quantum_ns >= QUANTUM_MIN_NS && window_ns <= WINDOW_MAX_NS &&
	       quantum_ns < window_ns && window_ns - quantum_ns >= QUANTUM_MIN_NS;
}

u64 cftu_window_start(struct cftu_window_clock *clock, u64 now_ns,
		      u64 quantum_ns, u64 window_ns)
{
	memset(clock, 0, sizeof(*clock));
	clock->origin_ns = now_ns;
	clock->quantum_ns = quantum_ns;
	clock->window_ns = window_ns;
	clock->changed_ns = now_ns;
	clock->high = true;
	clock->next_ns = now_ns + quantum_ns;
	return clock->next_ns;
}

static void account(struct cftu_window_clock *clock, u64 now_ns)
{
	struct cftu_windows *w = &clock->achieved;
	u64 length_ns = now_ns - clock->changed_ns;

	if (clock->high) {
		w->high_count++;
		w->high_ns += length_ns;
		if (length_ns > w->high_max_ns)
			w->high_max_ns = length_ns;
		w->high_log2[cftu_log2_bucket(length_ns)]++;
	} else {
		w->low_count++;
		w->low_ns += length_ns;
		if (length_ns > w->low_max_ns)
			w->low_max_ns = length_ns;
		w->low_log2[cftu_log2_bucket(length_ns)]++;
	}
}

/* Boundaries in [0, offset): two a window, at quantum and at window. */
static u64 boundaries(const struct cftu_window_clock *clock, u64 now_ns, u64 *phase_ns)
{
	u64 whole = div64_u64_rem(now_ns - clock->origin_ns, clock->window_ns, phase_ns);

	return 2 * whole + (*phase_ns >= clock->quantum_ns ? 1 : 0);
}

u64 cftu_window_tick(struct cftu_window_clock *clock, u64 now_ns)
{
	u64 phase_ns, unused_ns, passed;
	bool high;

	if (now_ns < clock->next_ns)
		return clock->next_ns;

	passed = boundaries(clock, now_ns, &phase_ns) -
		 boundaries(clock, clock->next_ns, &unused_ns);
	clock->achieved.missed += passed;
	high = phase_ns < clock->quantum_ns;
	clock->next_ns = now_ns - phase_ns + (high ? clock->quantum_ns : clock->window_ns);
	if (high != clock->high) {
		account(clock, now_ns);
		clock->high = high;
		clock->changed_ns = now_ns;
	}
	return clock->next_ns;
}

void cftu_window_stop(struct cftu_window_clock *clock, u64 now_ns)
{
	if (clock->window_ns && now_ns > clock->changed_ns)
		account(clock, now_ns);
	clock->window_ns = 0;
}

void cftu_window_waited(struct cftu_windows *achieved, u64 waited_ns)
{
	achieved->gate_waits++;
	achieved->gate_wait_ns += waited_ns;
	if (waited_ns > achieved->gate_wait_max_ns)
		achieved->gate_wait_max_ns = waited_ns;
}

void cftu_window_low_done(struct cftu_window_clock *clock, u64 now_ns)
{
	u64 into_ns;

	if (!clock->high || now_ns <= clock->changed_ns)
		return;
	into_ns = now_ns - clock->changed_ns;
	clock->achieved.bleeds++;
	if (into_ns > clock->achieved.bleed_max_ns)
		clock->achieved.bleed_max_ns = into_ns;
}
