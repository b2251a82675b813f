/* SPDX-License-Identifier: GPL-2.0 */
/* Gathers the channels that a policy needs, or says why there are not enough. */
#ifndef CFTU_MUSTER_H
#define CFTU_MUSTER_H

#include "policy.h"

/* Fills defaults in and refuses what cannot be; spec->reason says why. */
int cftu_muster_check(struct cftu_policy *spec);

/* Takes the channels and maps the CPUs. Caller holds cpus_read_lock(). */
int cftu_muster(struct cftu_active *active, u32 *reason);

/* Gives the channels back; nothing may be in flight. */
void cftu_muster_dismiss(struct cftu_active *active);

#endif
