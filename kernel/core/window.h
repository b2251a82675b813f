/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clockwork of the priority policy: windows of window_ns, in each the
 * first quantum_ns belong to the high-priority channels. No timer here: the
 * caller tells the time and is told when to come back.
 */
#ifndef CFTU_CORE_WINDOW_H
#define CFTU_CORE_WINDOW_H

#include "types.h"

struct cftu_window_clock {
	u64 origin_ns;
	u64 quantum_ns;
	u64 window_ns;
	u64 next_ns;		/* the boundary we wait for */
	u64 changed_ns;		/* when `high` last changed */
	bool high;
	struct cftu_windows achieved;
};

/* 0 < quantum < window, and a window that a timer can follow. */
bool cftu_window_valid(u64 quantum_ns, u64 window_ns);

/* Begins with a high window. Returns when to call cftu_window_tick(). */
u64 cftu_window_start(struct cftu_window_clock *clock, u64 now_ns,
		      u64 quantum_ns, u64 window_ns);

/*
 * Moves to the state that now_ns belongs to and accounts the window that
 * ended. Boundaries passed without a call are counted as missed; the phase is
 * kept, so lateness does not add up. Called early it changes nothing.
 * Returns when to call again.
 */
u64 cftu_window_tick(struct cftu_window_clock *clock, u64 now_ns);

/* Accounts the window under way; the clock is stopped. */
void cftu_window_stop(struct cftu_window_clock *clock, u64 now_ns);

/* Accounts one wait for the gate. */
void cftu_window_waited(struct cftu_windows *achieved, u64 waited_ns);

/* A low chunk that ended at now_ns: counts it if that was in a high window. */
void cftu_window_low_done(struct cftu_window_clock *clock, u64 now_ns);

/* The bucket of a log2 histogram, the last one takes the rest. */
unsigned int cftu_log2_bucket(u64 value);

#endif
