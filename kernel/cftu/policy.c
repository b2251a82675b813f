// SPDX-License-Identifier: GPL-2.0
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "events.h"
#include "module.h"
#include "muster.h"
#include "policy.h"

DEFINE_STATIC_SRCU(sections);
static struct cftu_active __rcu *active_policy;

/* Held while a policy is started, stopped or described. */
static DEFINE_MUTEX(switching);
static const void *active_owner;
static unsigned int switches;
static int hotplug_state;

struct cftu_active *cftu_policy_enter(int *section, enum cftu_reason *reason)
	__acquires(&sections)
{
	struct cftu_active *active;

	*section = srcu_read_lock(&sections);
	active = srcu_dereference(active_policy, &sections);
	if (!active)
		*reason = CFTU_REASON_NO_POLICY;
	return active;
}

void cftu_policy_leave(int section)
	__releases(&sections)
{
	srcu_read_unlock(&sections, section);
}

static struct cftu_lane *lane_of_this_cpu(struct cftu_active *active, int *index,
					  enum cftu_reason *reason)
{
	u16 at = READ_ONCE(active->cpu_map[raw_smp_processor_id()]);

	if (at == CFTU_NO_CHANNEL || READ_ONCE(active->lanes[at]->dead)) {
		*reason = CFTU_REASON_NO_CHANNEL_FOR_CPU;
		return NULL;
	}
	*index = at;
	return active->lanes[at];
}

static u16 choose(struct cftu_active *active, enum cftu_class class_)
{
	unsigned int turn = (u32)atomic_inc_return(&active->turn) % active->lane_count;
	struct cftu_choice choice;
	unsigned int i;

	cftu_choice_begin(&choice, active->spec.kind, active->spec.chooser, class_);
	for (i = 0; i < active->lane_count; i++) {
		unsigned int at = (turn + i) % active->lane_count;
		struct cftu_seat seat = {
			.alive = !READ_ONCE(active->lanes[at]->dead),
			.high = active->high[at],
			.outstanding_bytes = atomic64_read(&active->lanes[at]->outstanding_bytes),
		};

		if (cftu_choice_offer(&choice, (u16)at, &seat))
			break;
	}
	return cftu_choice_end(&choice);
}

struct cftu_lane *cftu_policy_choose(struct cftu_active *active, enum cftu_class class_,
				     int *index, enum cftu_reason *reason)
{
	u16 at;

	if (active->spec.kind == CFTU_POLICY_EXCLUSIVE)
		return lane_of_this_cpu(active, index, reason);
	at = choose(active, class_);
	if (at == CFTU_NO_CHANNEL) {
		*reason = CFTU_REASON_NO_CHANNEL;
		return NULL;
	}
	*index = at;
	return active->lanes[at];
}

struct cftu_work *cftu_policy_take_work(struct cftu_active *active)
{
	struct cftu_work *work;

	spin_lock(&active->spare_lock);
	work = list_first_entry_or_null(&active->spare, struct cftu_work, node);
	if (work)
		list_del(&work->node);
	spin_unlock(&active->spare_lock);
	return work ?: cftu_work_alloc(active->spec.chunk_bytes);
}

void cftu_policy_return_work(struct cftu_active *active, struct cftu_work *work)
{
	spin_lock(&active->spare_lock);
	list_add(&work->node, &active->spare);
	spin_unlock(&active->spare_lock);
}

static bool is_priority(const struct cftu_active *active)
{
	return active->spec.kind == CFTU_POLICY_PRIORITY;
}

/* Nobody is in a section of it any more. */
static void destroy(struct cftu_active *active, const struct cftu_active *successor)
{
	struct cftu_work *work, *next;

	if (is_priority(active))
		cftu_gate_stop(&active->gate);
	cftu_muster_dismiss(active, successor);
	list_for_each_entry_safe(work, next, &active->spare, node)
		cftu_work_free(work);
	kfree(active->cpu_map);
	kfree(active);
}

static struct cftu_active *current_policy(void)
{
	return rcu_dereference_protected(active_policy, lockdep_is_held(&switching));
}

/*
 * Puts `active` (or NULL) in the place of `old` without a gap: new chunks see
 * it, chunks before the old gate are let through, chunks under way are waited
 * for. Channels that both hold are used by both meanwhile, which channels bear.
 */
static void replace(struct cftu_active *old, struct cftu_active *active, const void *owner)
{
	rcu_assign_pointer(active_policy, active);
	active_owner = owner;
	trace_cftu_policy(active ? active->spec.kind : CFTU_POLICY_NONE,
			  active ? active->lane_count : 0);
	if (!old)
		return;
	if (is_priority(old))
		cftu_gate_open_for_good(&old->gate);
	synchronize_srcu_expedited(&sections);
	destroy(old, active);
}

static void retire(void)
{
	struct cftu_active *old = current_policy();

	if (!old)
		return;
	/* The lock makes the hotplug callbacks see one policy or none. */
	cpus_read_lock();
	replace(old, NULL, NULL);
	cpus_read_unlock();
}

static struct cftu_active *create(struct cftu_policy *spec, const struct cftu_active *old,
				  int *error)
{
	struct cftu_active *active = kzalloc(sizeof(*active), GFP_KERNEL);

	*error = -ENOMEM;
	if (!active)
		return NULL;
	spin_lock_init(&active->spare_lock);
	INIT_LIST_HEAD(&active->spare);
	atomic_set(&active->turn, -1);
	active->spec = *spec;
	active->started_ns = ktime_get_ns();
	*error = cftu_muster(active, old, &spec->reason);
	if (!*error && is_priority(active))
		*error = cftu_gate_start(&active->gate, active->spec.quantum_ns,
					 active->spec.window_ns);
	if (!*error)
		return active;
	cftu_muster_dismiss(active, old);
	kfree(active->cpu_map);
	kfree(active);
	return NULL;
}

int cftu_policy_start(struct cftu_policy *spec, const void *owner)
{
	struct cftu_active *active, *old;
	int error = cftu_muster_check(spec);

	if (error)
		return error;
	mutex_lock(&switching);
	old = current_policy();
	if (old && !(spec->flags & CFTU_POLICY_REPLACE)) {
		spec->reason = CFTU_REASON_POLICY_ACTIVE;
		mutex_unlock(&switching);
		return -EBUSY;
	}
	cpus_read_lock();
	active = create(spec, old, &error);
	if (active) {
		*spec = active->spec;
		switches++;
		replace(old, active, spec->flags & CFTU_POLICY_PERSIST ? NULL : owner);
	}
	cpus_read_unlock();
	mutex_unlock(&switching);
	return error;
}

int cftu_policy_stop(void)
{
	int error;

	mutex_lock(&switching);
	error = rcu_access_pointer(active_policy) ? 0 : -ENOENT;
	retire();
	mutex_unlock(&switching);
	return error;
}

void cftu_policy_stop_if_owner(const void *owner)
{
	mutex_lock(&switching);
	if (active_owner == owner)
		retire();
	mutex_unlock(&switching);
}

static void count_channel(struct dma_chan *chan, void *context)
{
	++*(u32 *)context;
}

void cftu_policy_read(struct cftu_policy_state *state)
{
	struct cftu_active *active;
	unsigned int i;

	mutex_lock(&switching);
	active = current_policy();
	state->switches = switches;
	cftu_for_each_free_channel(count_channel, &state->channels_seen);
	if (active) {
		state->policy = active->spec;
		state->started_ns = active->started_ns;
		state->channels_held = active->lane_count;
		state->channels_seen += active->lane_count;
		for (i = 0; i < active->lane_count; i++)
			state->channels_dead += READ_ONCE(active->lanes[i]->dead);
		if (is_priority(active))
			cftu_gate_read(&active->gate, &state->windows);
	}
	mutex_unlock(&switching);
}

struct listing {
	struct cftu_channel *out;
	unsigned int capacity;
	unsigned int count;
};

static void list_channel(struct dma_chan *chan, void *context)
{
	struct listing *listing = context;

	if (listing->count < listing->capacity)
		cftu_channel_describe(chan, &listing->out[listing->count]);
	listing->count++;
}

unsigned int cftu_policy_channels(struct cftu_channel *out, unsigned int capacity)
{
	struct listing listing = { .out = out, .capacity = capacity };
	struct cftu_active *active;
	unsigned int i;

	mutex_lock(&switching);
	active = current_policy();
	for (i = 0; active && i < active->lane_count; i++) {
		if (listing.count < capacity)
			cftu_lane_describe(active->lanes[i], active->high[i],
					   &out[listing.count]);
		listing.count++;
	}
	cftu_for_each_free_channel(list_channel, &listing);
	mutex_unlock(&switching);
	return listing.count;
}

/*
 * Runs with the hotplug lock held for writing; the pointer changes only under
 * that lock, and what it pointed to goes later: the policy cannot go away here.
 */
static int cpu_comes(unsigned int cpu)
{
	struct cftu_active *active = rcu_dereference_protected(active_policy, true);

	if (active && active->cpu_map && active->cpu_map[cpu] == CFTU_NO_CHANNEL)
		cftu_exclusive_join(active->cpu_map, nr_cpu_ids, cpu, active->lane_count);
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	struct cftu_active *active = rcu_dereference_protected(active_policy, true);

	if (active && active->cpu_map)
		WRITE_ONCE(active->cpu_map[cpu], CFTU_NO_CHANNEL);
	return 0;
}

int cftu_policy_init(void)
{
	hotplug_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "cftu:online", cpu_comes,
						  cpu_goes);
	return hotplug_state < 0 ? hotplug_state : 0;
}

void cftu_policy_exit(void)
{
	cftu_policy_stop();
	cpuhp_remove_state_nocalls(hotplug_state);
}
