// SPDX-License-Identifier: GPL-2.0-or-later
#include "sets.h"

#include <stdlib.h>
#include <string.h>

static bool power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

const char *sets_complaint(uint64_t bytes, uint32_t ways, uint32_t line_bytes)
{
	if (!power_of_two(line_bytes))
		return "the line size is no power of two";
	if (!ways || ways > 64)
		return "ways are 1 to 64";
	if (bytes % ((uint64_t)ways * line_bytes) ||
	    !power_of_two(bytes / ((uint64_t)ways * line_bytes)))
		return "size / (ways x line) is no power of two";
	return NULL;
}

bool sets_init(struct sets *sets, uint64_t bytes, uint32_t ways, uint32_t line_bytes)
{
	uint64_t lines = bytes / line_bytes, i;

	sets->ways = ways;
	sets->mask = lines / ways - 1;
	sets->entries = calloc(lines, sizeof(*sets->entries));
	for (i = 0; sets->entries && i < lines; i++)
		sets->entries[i].line = NO_LINE;
	return sets->entries;
}

void sets_free(struct sets *sets)
{
	free(sets->entries);
	sets->entries = NULL;
}

static struct entry *set_of(const struct sets *sets, uint64_t line)
{
	return sets->entries + (line & sets->mask) * sets->ways;
}

struct entry *sets_find(const struct sets *sets, uint64_t line)
{
	struct entry *set = set_of(sets, line);
	uint32_t way;

	for (way = 0; way < sets->ways; way++)
		if (set[way].line == line)
			return &set[way];
	return NULL;
}

struct entry *sets_use(struct sets *sets, uint64_t line)
{
	struct entry *set = set_of(sets, line), *found = sets_find(sets, line), used;

	if (!found || found == set)
		return found;
	used = *found;
	memmove(set + 1, set, (found - set) * sizeof(*set));
	*set = used;
	return set;
}

struct entry *sets_insert(struct sets *sets, uint64_t line, struct entry *out)
{
	struct entry *set = set_of(sets, line);

	*out = set[sets->ways - 1];
	memmove(set + 1, set, (sets->ways - 1) * sizeof(*set));
	*set = (struct entry){ .line = line };
	return set;
}

bool sets_remove(struct sets *sets, uint64_t line, struct entry *out)
{
	struct entry *set = set_of(sets, line), *found = sets_find(sets, line);

	if (!found)
		return false;
	*out = *found;
	memmove(found, found + 1, (set + sets->ways - 1 - found) * sizeof(*set));
	set[sets->ways - 1] = (struct entry){ .line = NO_LINE };
	return true;
}
