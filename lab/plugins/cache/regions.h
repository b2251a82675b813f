/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From marks to rows of the table. */
#ifndef CACHE_REGIONS_H
#define CACHE_REGIONS_H

#include <stdio.h>

#include "model.h"

struct regions;

struct regions *regions_new(const struct model_shape *shape, FILE *table);
void regions_free(struct regions *regions);

/*
 * The mark at this offset of the page, stored by a CPU that has executed so many
 * instructions. An end writes its row, and out of our buffers.
 */
void regions_mark(struct regions *regions, const struct model *model, uint32_t cpu,
		  uint64_t instructions, uint32_t offset);

#endif
