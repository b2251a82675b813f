// SPDX-License-Identifier: GPL-2.0-or-later
#include "ram.h"

#include <inttypes.h>
#include <string.h>

bool ram_find(struct ram *ram, FILE *maps)
{
	char line[512];

	while (fgets(line, sizeof(line), maps)) {
		uint64_t begin, end, offset;

		if (!strstr(line, "memfd:memory-backend-memfd"))
			continue;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*4s %" SCNx64, &begin, &end,
			   &offset) != 3)
			continue;
		*ram = (struct ram){ begin, end, offset };
		return true;
	}
	return false;
}
