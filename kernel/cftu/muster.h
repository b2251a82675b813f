/* SPDX-License-Identifier: GPL-2.0 */
/* Gathers the channels that a policy needs, or says why there are not enough. */
#ifndef CFTU_MUSTER_H
#define CFTU_MUSTER_H

#include "policy.h"

/* Fills defaults in and refuses what cannot be; spec->reason says why. */
int cftu_muster_check(struct cftu_policy *spec);

/*
 * Takes the channels, first those that `old` holds and that fit, and maps the
 * CPUs. `old` (or NULL) goes on meanwhile; both may use a shared channel.
 * Caller holds cpus_read_lock().
 */
int cftu_muster(struct cftu_active *active, const struct cftu_active *old, u32 *reason);

/*
 * Gives the channels back that `other` (or NULL) does not hold as well;
 * nothing of this policy's may be in flight.
 */
void cftu_muster_dismiss(struct cftu_active *active, const struct cftu_active *other);

#endif
