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

void cftu_choice_begin(struct cftu_choice *choice, enum cftu_policy_kind kind,
		       enum cftu_chooser chooser, enum cftu_class class_)
{
	choice->kind = kind;
	choice->chooser = chooser;
	choice->class_ = class_;
	choice->best.channel = CFTU_NO_CHANNEL;
	choice->last_resort.channel = CFTU_NO_CHANNEL;
}

static void prefer_less_busy(struct cftu_favourite *favourite, u16 channel, u64 outstanding_bytes)
{
	if (favourite->channel != CFTU_NO_CHANNEL &&
	    favourite->outstanding_bytes <= outstanding_bytes)
		return;
	favourite->channel = channel;
	favourite->outstanding_bytes = outstanding_bytes;
}

bool cftu_choice_offer(struct cftu_choice *choice, u16 channel, const struct cftu_seat *seat)
{
	bool by_class = choice->kind == CFTU_POLICY_PRIORITY;
	bool first = choice->chooser == CFTU_CHOOSE_ROUND_ROBIN;
	u64 busy = first ? 0 : seat->outstanding_bytes;

	if (!seat->alive)
		return false;
	if (!by_class || seat->high == (choice->class_ == CFTU_CLASS_HIGH)) {
		prefer_less_busy(&choice->best, channel, busy);
		return first;
	}
	if (seat->high)
		prefer_less_busy(&choice->last_resort, channel, busy);
	return false;
}

u16 cftu_choice_end(const struct cftu_choice *choice)
{
	return choice->best.channel != CFTU_NO_CHANNEL ? choice->best.channel :
							 choice->last_resort.channel;
}
