/* SPDX-License-Identifier: GPL-2.0 */
/* Which channel a copy takes under a policy. */
#ifndef CFTU_CORE_CHOOSE_H
#define CFTU_CORE_CHOOSE_H

#include "types.h"

#define CFTU_NO_CHANNEL 0xffff

/* A channel as choosing sees it. */
struct cftu_seat {
	bool alive;
	bool high;		/* priority policy: a high-priority channel */
	u64 outstanding_bytes;
};

/*
 * Fills map[cpu] for `cpus` CPUs: each CPU with online[cpu] gets a channel of
 * its own in order; with allow_fold CPUs share when channels run out. CPUs
 * without one get CFTU_NO_CHANNEL. Returns how many online CPUs have none.
 */
unsigned int cftu_exclusive_map(u16 *map, const bool *online, unsigned int cpus,
				unsigned int channels, bool allow_fold);

/* One CPU came: gives it a channel that no CPU owns, else CFTU_NO_CHANNEL. */
u16 cftu_exclusive_join(u16 *map, unsigned int cpus, unsigned int cpu,
			unsigned int channels);

/* A channel with the fewest outstanding bytes so far. */
struct cftu_favourite {
	u16 channel;		/* or CFTU_NO_CHANNEL */
	u64 outstanding_bytes;
};

/*
 * Choosing in progress. Seats are offered one by one, so that no list of them
 * has to stand on the stack of whoever copies.
 */
struct cftu_choice {
	enum cftu_policy_kind kind;
	enum cftu_chooser chooser;
	enum cftu_class class_;
	struct cftu_favourite best;
	struct cftu_favourite last_resort;	/* high, for a low-priority copy */
};

void cftu_choice_begin(struct cftu_choice *choice, enum cftu_policy_kind kind,
		       enum cftu_chooser chooser, enum cftu_class class_);

/*
 * Offers one channel; the caller begins each time with another (`turn`) and
 * goes round. True: no other can be better, stop. Chosen is the first channel
 * for which class and life allow it (round robin), or the one of these with
 * the fewest outstanding bytes, ties going to the one offered first.
 * Low-priority copies take the channels that are not high; where none of these
 * lives they take any.
 */
bool cftu_choice_offer(struct cftu_choice *choice, u16 channel, const struct cftu_seat *seat);

/* The channel chosen, or CFTU_NO_CHANNEL. */
u16 cftu_choice_end(const struct cftu_choice *choice);

#endif
