// SPDX-License-Identifier: GPL-2.0-or-later
/* The model against known sequences, and against the slow one by random ones. */
#include <stdio.h>
#include <stdlib.h>

#include "../model.h"
#include "check.h"
#include "slow.h"

/* Two CPUs that share an L2 of 64 lines, L1s of 8 lines, and an engine. */
static const struct model_shape small = {
	.cpus = 3, .line_bytes = 64,
	.l1i = { 512, 2 }, .l1d = { 512, 2 }, .l2 = { 4096, 4 },
	.l2_shared_by = 2, .engine_cpu = 2, .dca_cpu = -1,
};

static struct model *made(struct model_shape shape)
{
	const char *why;
	struct model *m = model_new(&shape, &why);

	if (!m) {
		printf("cannot make a model: %s\n", why);
		exit(1);
	}
	return m;
}

static void walk(struct model *m, uint32_t cpu, enum model_access kind, uint64_t from,
		 uint64_t lines)
{
	uint64_t line;

	for (line = from; line < from + lines; line++)
		model_access(m, cpu, kind, line);
}

static void what_fits_misses_once(void)
{
	struct model *m = made(small);

	walk(m, 0, MODEL_LOAD, 0, 48);
	walk(m, 0, MODEL_LOAD, 0, 48);
	equal(model_counts(m, 0)->l1d_refs, 96, "refs of two walks");
	equal(model_counts(m, 0)->l1d_misses, 96, "an L1 of 8 lines helps no walk over 48");
	equal(model_counts(m, 0)->l2_refs, 96, "each L1 miss asks the L2");
	equal(model_counts(m, 0)->l2_misses, 48, "the second walk finds all in the L2");
	model_free(m);
}

static void least_recently_used_leaves(void)
{
	struct model *m = made(small);

	/* Lines 16 apart share a set of 4 ways; the fifth pushes the first out. */
	walk(m, 0, MODEL_LOAD, 0, 1);
	walk(m, 0, MODEL_LOAD, 16, 1);
	walk(m, 0, MODEL_LOAD, 32, 1);
	walk(m, 0, MODEL_LOAD, 48, 1);
	walk(m, 0, MODEL_LOAD, 64, 1);
	walk(m, 0, MODEL_LOAD, 16, 1);
	equal(model_counts(m, 0)->l2_misses, 5, "the second line is still there");
	walk(m, 0, MODEL_LOAD, 0, 1);
	equal(model_counts(m, 0)->l2_misses, 6, "the first line had to leave");
	model_free(m);
}

static void a_neighbour_pushes_out_and_an_engine_does_not(void)
{
	struct model *m = made(small);

	walk(m, 1, MODEL_LOAD, 0, 48);
	walk(m, 0, MODEL_STORE, 1000, 48);
	walk(m, 1, MODEL_LOAD, 0, 48);
	equal(model_counts(m, 1)->l2_misses, 96, "a neighbour's 48 lines push out all");
	walk(m, 2, MODEL_LOAD, 2000, 480);
	walk(m, 2, MODEL_STORE, 3000, 480);
	walk(m, 1, MODEL_LOAD, 0, 48);
	equal(model_counts(m, 1)->l2_misses, 96, "an engine's 960 push out none");
	walk(m, 2, MODEL_STORE, 0, 10);
	walk(m, 1, MODEL_LOAD, 0, 48);
	equal(model_counts(m, 1)->l2_misses, 106, "what an engine writes over is gone");
	equal(model_counts(m, 2)->l1d_refs, 0, "an engine has no caches");
	model_free(m);
}

static void direct_cache_access_puts_lines_in(void)
{
	struct model_shape shape = small;
	struct model *m;

	shape.dca_cpu = 0;
	m = made(shape);
	walk(m, 2, MODEL_STORE, 0, 16);
	walk(m, 0, MODEL_LOAD, 0, 16);
	equal(model_counts(m, 0)->l2_misses, 0, "injected lines are found");
	equal(model_counts(m, 0)->l1d_misses, 16, "in the L2 only");
	model_free(m);
}

static void a_store_takes_the_line_from_others(void)
{
	struct model *m = made(small);

	walk(m, 0, MODEL_LOAD, 5, 1);
	walk(m, 0, MODEL_FETCH, 5, 1);
	walk(m, 1, MODEL_STORE, 5, 1);
	walk(m, 0, MODEL_LOAD, 5, 1);
	walk(m, 0, MODEL_FETCH, 5, 1);
	equal(model_counts(m, 0)->l1d_misses, 2, "data again after a store of the neighbour");
	equal(model_counts(m, 0)->l1i_misses, 2, "instructions too");
	equal(model_counts(m, 0)->l2_misses, 1, "out of the shared L2");
	equal(model_write_backs(m), 0, "nothing went to memory");
	walk(m, 2, MODEL_STORE, 5, 1);
	equal(model_write_backs(m), 1, "the engine's store had the written line saved first");
	model_free(m);
}

static void shapes_that_are_none_are_refused(void)
{
	struct model_shape bad[8];
	const char *why;
	int i;

	for (i = 0; i < 8; i++)
		bad[i] = small;
	bad[0].line_bytes = 48;
	bad[1].l2.bytes = 5000;
	bad[2].l1d.ways = 0;
	bad[3].cpus = 0;
	bad[4].cpus = 17;
	bad[5].engine_cpu = 3;
	bad[6].l2_shared_by = 0;
	bad[7].l1i.bytes = 0;
	for (i = 0; i < 8; i++) {
		equal(model_new(&bad[i], &why) != NULL, 0, "a shape that is none");
		equal(why != NULL, 1, "and why");
	}
}

static uint64_t seed = 88172645463325252ULL;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static bool same(const struct model *m, const struct slow *s)
{
	uint32_t cpu;

	for (cpu = 0; cpu < s->shape.cpus; cpu++)
		if (memcmp(model_counts(m, cpu), &s->counts[cpu], sizeof(s->counts[cpu])))
			return false;
	return model_write_backs(m) == s->write_backs;
}

static void as_the_slow_one(struct model_shape shape, uint64_t lines, const char *what)
{
	static struct slow slow;
	struct model *m = made(shape);
	int step;

	slow_init(&slow, &shape);
	for (step = 0; step < 6000; step++) {
		uint32_t cpu = next_random() % shape.cpus;
		enum model_access kind = next_random() % 3;
		uint64_t line = next_random() % lines;

		model_access(m, cpu, kind, line);
		slow_access(&slow, cpu, kind, line);
		if (same(m, &slow))
			continue;
		printf("%s: differs from the slow model after %d accesses\n", what, step + 1);
		failures++;
		break;
	}
	model_free(m);
}

static void random_traffic(void)
{
	struct model_shape shape = small;

	as_the_slow_one(shape, 40, "a set that fits");
	as_the_slow_one(shape, 200, "a set that does not");
	shape.dca_cpu = 1;
	as_the_slow_one(shape, 120, "an engine with DCA");
	shape.cpus = 5;
	as_the_slow_one(shape, 120, "an engine with DCA into one of three L2s");
	shape.engine_cpu = -1;
	shape.dca_cpu = -1;
	shape.cpus = 7;
	as_the_slow_one(shape, 120, "four L2s, the last of one CPU");
	shape.l2_shared_by = 1;
	as_the_slow_one(shape, 120, "an L2 each");
	shape.cpus = 16;
	shape.l2_shared_by = 16;
	as_the_slow_one(shape, 150, "one L2 of all");
}

int main(void)
{
	what_fits_misses_once();
	least_recently_used_leaves();
	a_neighbour_pushes_out_and_an_engine_does_not();
	direct_cache_access_puts_lines_in();
	a_store_takes_the_line_from_others();
	shapes_that_are_none_are_refused();
	random_traffic();
	return verdict();
}
