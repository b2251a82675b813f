/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns of the CPUs, in instructions. QEMU 7.2 with -icount plays a CPU until
 * the next timer is due and then the first one again: a CPU that neither halts
 * nor pauses keeps all others from running, for ever. Here each has its turn.
 */
#ifndef CACHE_TURNS_H
#define CACHE_TURNS_H

#include "qemu_api.h"

void turns_init(qemu_plugin_id_t id, uint64_t instructions);

/* The CPU goes on by so many; at the end of its turn QEMU plays the next one. */
void turns_spend(unsigned int cpu, uint32_t instructions);

#endif
