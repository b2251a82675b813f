/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One set-associative cache: which lines it holds, in order of their last use. */
#ifndef CACHE_SETS_H
#define CACHE_SETS_H

#include <stdbool.h>
#include <stdint.h>

#define NO_LINE UINT64_MAX

struct entry {
	uint64_t line;
	uint32_t holders;	/* L2: which L1s of the group have it */
	bool dirty;
};

/* A set is `ways` entries in a row, last used first, free ones at the end. */
struct sets {
	struct entry *entries;
	uint64_t mask;
	uint32_t ways;
};

/* NULL, or what is wrong with these sizes. */
const char *sets_complaint(uint64_t bytes, uint32_t ways, uint32_t line_bytes);
bool sets_init(struct sets *sets, uint64_t bytes, uint32_t ways, uint32_t line_bytes);
void sets_free(struct sets *sets);

/* The entry, which stays where it is in the order; NULL: the line is not here. */
struct entry *sets_find(const struct sets *sets, uint64_t line);

/* The entry, now the last used; NULL: the line is not here. */
struct entry *sets_use(struct sets *sets, uint64_t line);

/*
 * Puts a line in that is not here, as the last used; *out is what had to leave,
 * with line NO_LINE where there was room.
 */
struct entry *sets_insert(struct sets *sets, uint64_t line, struct entry *out);

/* Takes a line out; *out as it was. False: it was not here. */
bool sets_remove(struct sets *sets, uint64_t line, struct entry *out);

#endif
