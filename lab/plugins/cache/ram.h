/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the guest's memory lies in QEMU's: the interface tells the physical
 * address of data, but of instructions only the place in QEMU's own memory. A
 * guest whose memory is a memory-backend-memfd has its mapping by that name in
 * /proc/self/maps.
 */
#ifndef CACHE_RAM_H
#define CACHE_RAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ram {
	uint64_t begin;		/* in QEMU's memory */
	uint64_t end;
	uint64_t offset;	/* of begin, in the guest's */
};

/* False: no such mapping among these. */
bool ram_find(struct ram *ram, FILE *maps);

/* False: that is not the guest's memory, but a ROM's for example. */
static inline bool ram_physical(const struct ram *ram, const void *host, uint64_t *physical)
{
	uint64_t at = (uintptr_t)host;

	*physical = at - ram->begin + ram->offset;
	return at >= ram->begin && at < ram->end;
}

#endif
