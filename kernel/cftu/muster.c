// SPDX-License-Identifier: GPL-2.0
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/numa.h>
#include <linux/slab.h>

#include "module.h"
#include "muster.h"

#define KNOWN_FLAGS (CFTU_POLICY_ALLOW_FOLD | CFTU_POLICY_PERSIST | \
		     CFTU_POLICY_HARDWARE_PAUSE | CFTU_POLICY_REPLACE)

static int refuse(struct cftu_policy *spec, enum cftu_reason reason)
{
	spec->reason = reason;
	return -EINVAL;
}

static bool is_terminated(const char *name)
{
	return memchr(name, 0, CFTU_NAME_BYTES);
}

static void fill_defaults(struct cftu_policy *spec)
{
	if (!spec->chunk_bytes)
		spec->chunk_bytes = cftu_chunk_bytes;
	if (spec->threshold_bytes == ~0ULL)
		spec->threshold_bytes = cftu_threshold_bytes;
	if (!spec->timeout_ns)
		spec->timeout_ns = (u64)cftu_timeout_ms * NSEC_PER_MSEC;
	if (spec->kind == CFTU_POLICY_PRIORITY && !spec->high_channels)
		spec->high_channels = 1;
}

int cftu_muster_check(struct cftu_policy *spec)
{
	if (memchr_inv(spec->reserved, 0, sizeof(spec->reserved)) || spec->flags & ~KNOWN_FLAGS)
		return refuse(spec, CFTU_REASON_RESERVED_SET);
	if (spec->kind == CFTU_POLICY_NONE || spec->kind > CFTU_POLICY_PRIORITY ||
	    spec->chooser > CFTU_CHOOSE_LEAST_OUTSTANDING ||
	    spec->channels > CFTU_CHANNELS_MAX || spec->high_channels > CFTU_CHANNELS_MAX ||
	    spec->node < NUMA_NO_NODE || spec->node >= MAX_NUMNODES ||
	    !is_terminated(spec->driver) || !is_terminated(spec->channel))
		return refuse(spec, CFTU_REASON_OUT_OF_RANGE);
	fill_defaults(spec);
	if (spec->chunk_bytes < CFTU_CHUNK_MIN_BYTES || spec->chunk_bytes > CFTU_CHUNK_MAX_BYTES ||
	    !is_power_of_2(spec->chunk_bytes) || spec->timeout_ns < NSEC_PER_MSEC ||
	    spec->timeout_ns > 600ULL * NSEC_PER_SEC)
		return refuse(spec, CFTU_REASON_OUT_OF_RANGE);
	if (spec->kind == CFTU_POLICY_PRIORITY &&
	    !cftu_window_valid(spec->quantum_ns, spec->window_ns))
		return refuse(spec, CFTU_REASON_BAD_WINDOW);
	return 0;
}

static unsigned int wanted_count(const struct cftu_policy *spec)
{
	if (spec->channels)
		return spec->channels;
	return min_t(unsigned int, num_online_cpus(), CFTU_CHANNELS_MAX);
}

static bool holds(const struct cftu_active *active, const struct cftu_lane *lane)
{
	unsigned int i;

	for (i = 0; active && i < active->lane_count; i++)
		if (active->lanes[i] == lane)
			return true;
	return false;
}

static struct cftu_lane *share_lane(const struct cftu_active *active,
				    const struct cftu_active *old,
				    const struct cftu_wanted *wanted)
{
	unsigned int i;

	for (i = 0; old && i < old->lane_count; i++)
		if (cftu_lane_matches(old->lanes[i], wanted) && !holds(active, old->lanes[i]))
			return old->lanes[i];
	return NULL;
}

static int take_lanes(struct cftu_active *active, const struct cftu_active *old)
{
	const struct cftu_policy *spec = &active->spec;
	struct cftu_wanted wanted = {
		.node = spec->node,
		.driver = spec->driver,
		.device_channel = spec->channel,
	};
	unsigned int count = wanted_count(spec);

	while (active->lane_count < count) {
		struct cftu_lane *lane = share_lane(active, old, &wanted);

		if (!lane)
			lane = cftu_lane_take(&wanted);
		if (IS_ERR(lane))
			return PTR_ERR(lane);
		active->high[active->lane_count] = spec->kind == CFTU_POLICY_PRIORITY &&
						   active->lane_count < spec->high_channels;
		active->lanes[active->lane_count++] = lane;
	}
	return 0;
}

static int map_cpus(struct cftu_active *active)
{
	unsigned int cpu, without;
	bool *online;

	active->cpu_map = kcalloc(nr_cpu_ids, sizeof(*active->cpu_map), GFP_KERNEL);
	online = kcalloc(nr_cpu_ids, sizeof(*online), GFP_KERNEL);
	if (!active->cpu_map || !online) {
		kfree(online);
		return -ENOMEM;
	}
	for_each_online_cpu(cpu)
		online[cpu] = true;
	without = cftu_exclusive_map(active->cpu_map, online, nr_cpu_ids, active->lane_count,
				     active->spec.flags & CFTU_POLICY_ALLOW_FOLD);
	kfree(online);
	return without ? -ENOSPC : 0;
}

/* Names the lanes to pause; false where one of them cannot be paused. */
static bool list_pausable(struct cftu_active *active)
{
	struct cftu_gate *gate = &active->gate;
	unsigned int i;

	for (i = 0; i < active->lane_count; i++) {
		if (active->high[i])
			continue;
		if (!active->lanes[i]->can_pause)
			return false;
		gate->pausable[gate->pausable_count++] = active->lanes[i];
	}
	return true;
}

static void note_channel(struct dma_chan *chan, void *context)
{
	*(bool *)context = true;
}

/* No channel at all: is there no engine, or has somebody else taken them? */
static enum cftu_reason why_none(void)
{
	bool is_free = false;

	cftu_for_each_free_channel(note_channel, &is_free);
	if (is_free)
		return CFTU_REASON_NO_MATCH;
	return dma_find_channel(DMA_MEMCPY) ? CFTU_REASON_ALL_TAKEN : CFTU_REASON_NO_ENGINE;
}

/* Says why and returns the error that goes with it. */
static int because(u32 *reason, enum cftu_reason why, int error)
{
	*reason = why;
	return error;
}

int cftu_muster(struct cftu_active *active, const struct cftu_active *old, u32 *reason)
{
	int error = take_lanes(active, old);

	if (error == -ENOMEM)
		return because(reason, CFTU_REASON_NO_MEMORY, error);
	if (!active->lane_count)
		return because(reason, error == -ENODEV ? why_none() : CFTU_REASON_SELF_TEST,
			       -ENODEV);
	if (active->spec.channels && active->lane_count < active->spec.channels)
		return because(reason, CFTU_REASON_TOO_FEW_CHANNELS, -ENOSPC);
	if (active->spec.kind == CFTU_POLICY_EXCLUSIVE) {
		error = map_cpus(active);
		if (error)
			return because(reason, error == -ENOSPC ? CFTU_REASON_TOO_FEW_CHANNELS :
								  CFTU_REASON_NO_MEMORY, error);
	}
	if (active->spec.flags & CFTU_POLICY_HARDWARE_PAUSE && !list_pausable(active))
		return because(reason, CFTU_REASON_NO_PAUSE, -EOPNOTSUPP);
	active->spec.channels = active->lane_count;
	*reason = CFTU_REASON_NONE;
	return 0;
}

void cftu_muster_dismiss(struct cftu_active *active, const struct cftu_active *other)
{
	while (active->lane_count) {
		struct cftu_lane *lane = active->lanes[--active->lane_count];

		if (!holds(other, lane))
			cftu_lane_release(lane);
	}
}
