/* SPDX-License-Identifier: GPL-2.0 */
/* The policy that is started: its channels and who gets which. */
#ifndef CFTU_POLICY_H
#define CFTU_POLICY_H

#include <linux/srcu.h>

#include "../core/choose.h"
#include "chunk.h"
#include "gate.h"
#include "lane.h"

struct cftu_active {
	struct cftu_policy spec;	/* defaults filled in */
	u64 started_ns;
	unsigned int lane_count;
	struct cftu_lane *lanes[CFTU_CHANNELS_MAX];
	bool high[CFTU_CHANNELS_MAX];	/* priority: high-priority lanes */
	u16 *cpu_map;			/* exclusive: lane of each possible CPU */
	atomic_t turn;
	struct cftu_gate gate;		/* priority */
	spinlock_t spare_lock;
	struct list_head spare;		/* struct cftu_work */
};

/*
 * Enters a section in which the policy and its channels stay; it must be left
 * in any case. Returns NULL with *reason where none is started. A section lasts one chunk, so that a
 * switch waits for chunks and not for whole copies; it may sleep.
 */
struct cftu_active *cftu_policy_enter(int *section, enum cftu_reason *reason);
void cftu_policy_leave(int section);

/* The channel for this CPU and class, NULL with *reason. */
struct cftu_lane *cftu_policy_choose(struct cftu_active *active, enum cftu_class class_,
				     int *index, enum cftu_reason *reason);

struct cftu_work *cftu_policy_take_work(struct cftu_active *active);
void cftu_policy_return_work(struct cftu_active *active, struct cftu_work *work);

/*
 * Starts or, with CFTU_POLICY_REPLACE, switches to the policy in *spec and
 * fills its defaults in. `owner` identifies the open file whose closing stops
 * it; NULL for kernel users and CFTU_POLICY_PERSIST. On failure spec->reason
 * says why and the policy that was started goes on.
 */
int cftu_policy_start(struct cftu_policy *spec, const void *owner);

/* -ENOENT where none is started. */
int cftu_policy_stop(void);

/* Stops the policy if `owner` started it. */
void cftu_policy_stop_if_owner(const void *owner);

void cftu_policy_read(struct cftu_policy_state *state);

/* Ours and the free ones. Returns how many there are, filling `capacity`. */
unsigned int cftu_policy_channels(struct cftu_channel *out, unsigned int capacity);

int cftu_policy_init(void);
void cftu_policy_exit(void);

#endif
