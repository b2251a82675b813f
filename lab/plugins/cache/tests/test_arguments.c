// SPDX-License-Identifier: GPL-2.0-or-later
#include "../arguments.h"
#include "check.h"

static char *good[] = {
	"out=/x/cache.tsv", "line_bytes=64", "l1i_bytes=32768", "l1i_ways=8", "l1d_bytes=16384",
	"l1d_ways=4", "l2_bytes=4194304", "l2_ways=16", "l2_shared_by=2",
	"turn_instructions=20000", "engine=2", "dca=0",
};
#define WORDS ((int)(sizeof(good) / sizeof(*good)))

static void what_is_right_is_taken(void)
{
	struct arguments a;
	const char *bad;

	equal(arguments_parse(&a, WORDS, good, &bad), 1, "all words");
	same_text(a.out, "/x/cache.tsv", "the table's file");
	equal(a.shape.line_bytes, 64, "line");
	equal(a.shape.l1i.bytes, 32768, "l1i");
	equal(a.shape.l1d.ways, 4, "l1d ways");
	equal(a.shape.l2.bytes, 4194304, "l2");
	equal(a.shape.l2_shared_by, 2, "shared by");
	equal(a.turn_instructions, 20000, "turn");
	equal(a.shape.engine_cpu, 2, "engine");
	equal(a.shape.dca_cpu, 0, "dca");
	equal(arguments_parse(&a, WORDS - 2, good, &bad), 1, "without the optional ones");
	equal(a.shape.engine_cpu == -1 && a.shape.dca_cpu == -1, 1, "none of both");
}

static void what_is_missing_or_wrong_is_named(void)
{
	char *wrong[] = {
		"l1i_bytes", "l1i_bytes=", "l1i_bytes=x", "l1i_bytes=-1", "l1i_bytes=8k",
		"l1i=8", "l2_ways=65", "engine=16", "engine=2", "",
		"l2_bytes=99999999999999999999999",
	};
	char *words[WORDS + 1];
	struct arguments a;
	const char *bad;
	int i, k;

	for (i = 0; i < WORDS - 2; i++) {
		for (k = 0; k < WORDS - 1; k++)
			words[k] = good[k + (k >= i)];
		equal(arguments_parse(&a, WORDS - 1, words, &bad), 0, good[i]);
		equal(strncmp(good[i], bad, strlen(bad)), 0, "the missing key");
	}
	for (i = 0; i < (int)(sizeof(wrong) / sizeof(*wrong)); i++) {
		memcpy(words, good, sizeof(good));
		words[WORDS] = wrong[i];
		equal(arguments_parse(&a, WORDS + 1, words, &bad), 0, wrong[i]);
		same_text(bad, wrong[i], "the wrong word");
	}
}

int main(void)
{
	what_is_right_is_taken();
	what_is_missing_or_wrong_is_named();
	return verdict();
}
