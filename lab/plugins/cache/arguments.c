// SPDX-License-Identifier: GPL-2.0-or-later
#include "arguments.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct key {
	const char *name;
	uint64_t most;
	bool optional;
};

enum { LINE, L1I, L1I_WAYS, L1D, L1D_WAYS, L2, L2_WAYS, SHARED_BY, TURN, ENGINE, DCA, KEYS };

static const struct key keys[KEYS] = {
	[LINE] = { "line_bytes", 4096, false },
	[L1I] = { "l1i_bytes", 1ULL << 40, false },
	[L1I_WAYS] = { "l1i_ways", 64, false },
	[L1D] = { "l1d_bytes", 1ULL << 40, false },
	[L1D_WAYS] = { "l1d_ways", 64, false },
	[L2] = { "l2_bytes", 1ULL << 40, false },
	[L2_WAYS] = { "l2_ways", 64, false },
	[SHARED_BY] = { "l2_shared_by", MODEL_MAX_CPUS, false },
	[TURN] = { "turn_instructions", 1ULL << 40, false },
	[ENGINE] = { "engine", MODEL_MAX_CPUS - 1, true },
	[DCA] = { "dca", MODEL_MAX_CPUS - 1, true },
};

static int key_of(const char *word, const char *equals)
{
	size_t length = equals - word;
	int i;

	for (i = 0; i < KEYS; i++)
		if (strlen(keys[i].name) == length && !strncmp(keys[i].name, word, length))
			return i;
	return -1;
}

static bool take(uint64_t *values, bool *seen, const char *word)
{
	const char *equals = strchr(word, '=');
	int key = equals ? key_of(word, equals) : -1;
	char *end;

	if (key < 0 || seen[key] || !isdigit((unsigned char)equals[1]))
		return false;
	values[key] = strtoull(equals + 1, &end, 10);
	seen[key] = true;
	return !*end && values[key] <= keys[key].most;
}

bool arguments_parse(struct arguments *a, int count, char **words, const char **bad)
{
	uint64_t values[KEYS] = { 0 };
	bool seen[KEYS] = { false };
	int i;

	memset(a, 0, sizeof(*a));
	for (i = 0; i < count; i++) {
		*bad = words[i];
		if (!strncmp(words[i], "out=", 4))
			a->out = words[i] + 4;
		else if (!take(values, seen, words[i]))
			return false;
	}
	for (i = 0; i < KEYS; i++) {
		*bad = keys[i].name;
		if (!seen[i] && !keys[i].optional)
			return false;
	}
	a->turn_instructions = values[TURN];
	*bad = "out";
	a->shape = (struct model_shape){
		.line_bytes = values[LINE],
		.l1i = { values[L1I], values[L1I_WAYS] },
		.l1d = { values[L1D], values[L1D_WAYS] },
		.l2 = { values[L2], values[L2_WAYS] },
		.l2_shared_by = values[SHARED_BY],
		.engine_cpu = seen[ENGINE] ? (int)values[ENGINE] : -1,
		.dca_cpu = seen[DCA] ? (int)values[DCA] : -1,
	};
	return a->out;
}
