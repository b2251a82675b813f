// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads addresses from stdin, as hexadecimal numbers, and prints for each the level of the
 * laboratory's cache model that has it: 1, 2, or 3 for memory.
 *
 * Arguments: line size, then size and ways of the L1 and of the L2.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model.h"

int main(int argc, char **argv)
{
	struct model_shape shape = { .cpus = 1, .l2_shared_by = 1, .engine_cpu = -1, .dca_cpu = -1 };
	struct model_counts before;
	struct model *model;
	const char *why;
	uint64_t address;

	if (argc != 6)
		return 2;
	shape.line_bytes = strtoul(argv[1], NULL, 10);
	shape.l1d.bytes = shape.l1i.bytes = strtoull(argv[2], NULL, 10);
	shape.l1d.ways = shape.l1i.ways = strtoul(argv[3], NULL, 10);
	shape.l2.bytes = strtoull(argv[4], NULL, 10);
	shape.l2.ways = strtoul(argv[5], NULL, 10);
	model = model_new(&shape, &why);
	if (!model) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	while (scanf("%" SCNx64, &address) == 1) {
		const struct model_counts *now = model_counts(model, 0);

		before = *now;
		model_access(model, 0, MODEL_LOAD, address / shape.line_bytes);
		printf("%d\n", 1 + (now->l1d_misses > before.l1d_misses) +
		       (now->l2_misses > before.l2_misses));
	}
	model_free(model);
	return 0;
}
