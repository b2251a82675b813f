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

/*
 * The first channel for which the class and life allow it, from `turn` on
 * (round robin) or with the fewest outstanding bytes, ties broken from `turn`
 * on. Low-priority copies take the channels that are not high; where all are
 * high they take any. Returns an index or CFTU_NO_CHANNEL.
 */
u16 cftu_choose(enum cftu_policy_kind kind, enum cftu_chooser chooser,
		enum cftu_class class_, const struct cftu_seat *seats,
		unsigned int channels, u32 turn);

#endif
