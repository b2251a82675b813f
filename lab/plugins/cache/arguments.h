/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine file's table as QEMU hands it on: words of the form key=value. */
#ifndef CACHE_ARGUMENTS_H
#define CACHE_ARGUMENTS_H

#include "model.h"

struct arguments {
	struct model_shape shape;	/* without the number of CPUs */
	uint64_t turn_instructions;	/* before the next CPU plays on */
	const char *out;		/* file of the table */
};

/* False, and the word that is wrong or the key that is missing in *bad. */
bool arguments_parse(struct arguments *a, int count, char **words, const char **bad);

#endif
