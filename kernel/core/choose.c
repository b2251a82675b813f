// SPDX-License-Identifier: GPL-2.0
#include "choose.h"

unsigned int cftu_exclusive_map(u16 *map, const bool *online, unsigned int cpus,
				unsigned int channels, bool allow_fold)
{
	unsigned int cpu, next = 0, without = 0;

	for (cpu = 0; cpu < cpus; cpu++) {
		map[cpu] = CFTU_NO_CHANNEL;
		if (!online[cpu])
			continue;
		if (next < channels || (allow_fold && channels))
			map[cpu] = (u16)(next++ % channels);
		else
			without++;
	}
	return without;
}

static bool is_owned(const u16 *map, unsigned int cpus, u16 channel)
{
	unsigned int cpu;

	for (cpu = 0; cpu < cpus; cpu++)
		if (map[cpu] == channel)
			return true;
	return false;
}

u16 cftu_exclusive_join(u16 *map, unsigned int cpus, unsigned int cpu,
			unsigned int channels)
{
	unsigned int channel;

	map[cpu] = CFTU_NO_CHANNEL;
	for (channel = 0; channel < channels; channel++) {
		if (is_owned(map, cpus, (u16)channel))
			continue;
		map[cpu] = (u16)channel;
		break;
	}
	return map[cpu];
}

static bool may_take(enum cftu_policy_kind kind, enum cftu_class class_,
		     const struct cftu_seat *seat, bool low_exists)
{
	if (!seat->alive)
		return false;
	if (kind != CFTU_POLICY_PRIORITY)
		return true;
	if (class_ == CFTU_CLASS_HIGH)
		return seat->high;
	return !seat->high || !low_exists;
}

static bool any_low_alive(const struct cftu_seat *seats, unsigned int channels)
{
	unsigned int i;

	for (i = 0; i < channels; i++)
		if (seats[i].alive && !seats[i].high)
			return true;
	return false;
}

u16 cftu_choose(enum cftu_policy_kind kind, enum cftu_chooser chooser,
		enum cftu_class class_, const struct cftu_seat *seats,
		unsigned int channels, u32 turn)
{
	bool low_exists = any_low_alive(seats, channels);
	u16 best = CFTU_NO_CHANNEL;
	unsigned int i;

	for (i = 0; i < channels; i++) {
		unsigned int at = (turn + i) % channels;

		if (!may_take(kind, class_, &seats[at], low_exists))
			continue;
		if (chooser == CFTU_CHOOSE_ROUND_ROBIN)
			return (u16)at;
		if (best == CFTU_NO_CHANNEL ||
		    seats[at].outstanding_bytes < seats[best].outstanding_bytes)
			best = (u16)at;
	}
	return best;
}
