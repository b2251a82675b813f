// SPDX-License-Identifier: GPL-2.0-or-later
#include "regions.h"

#include <inttypes.h>
#include <stdlib.h>

#include "marks.h"

struct state {
	bool begun;
	uint64_t instructions;
	uint64_t l2_misses_all;
	uint64_t write_backs_all;
	struct model_counts counts;
};

struct regions {
	FILE *table;
	uint32_t cpus;
	uint64_t sequence[PONTAGE_MARK_REGIONS];
	struct state (*begun)[PONTAGE_MARK_REGIONS];
};

static void write_head(const struct model_shape *s, FILE *table)
{
	fprintf(table, "# simulated cache: l1i %" PRIu64 " B %u ways, l1d %" PRIu64 " B %u ways, ",
		s->l1i.bytes, s->l1i.ways, s->l1d.bytes, s->l1d.ways);
	fprintf(table, "l2 %" PRIu64 " B %u ways inclusive, shared by %u CPUs, line %u B, LRU",
		s->l2.bytes, s->l2.ways, s->l2_shared_by, s->line_bytes);
	if (s->engine_cpu >= 0)
		fprintf(table, ", engine on CPU %d", s->engine_cpu);
	if (s->dca_cpu >= 0)
		fprintf(table, " with DCA to CPU %d", s->dca_cpu);
	fprintf(table, "\nregion\tsequence\tcpu\tinstructions\tl1d_refs\tl1d_misses\tl1i_refs\t"
		       "l1i_misses\tl2_refs\tl2_misses\tl2_misses_all\twrite_backs_all\n");
	fflush(table);
}

struct regions *regions_new(const struct model_shape *shape, FILE *table)
{
	struct regions *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->table = table;
	r->cpus = shape->cpus;
	r->begun = calloc(shape->cpus, sizeof(*r->begun));
	if (!r->begun) {
		free(r);
		return NULL;
	}
	write_head(shape, table);
	return r;
}

void regions_free(struct regions *r)
{
	free(r->begun);
	free(r);
}

static struct state now(const struct regions *r, const struct model *model, uint32_t cpu,
			uint64_t instructions)
{
	struct state state = {
		.begun = true,
		.instructions = instructions,
		.write_backs_all = model_write_backs(model),
		.counts = *model_counts(model, cpu),
	};
	uint32_t i;

	for (i = 0; i < r->cpus; i++)
		state.l2_misses_all += model_counts(model, i)->l2_misses;
	return state;
}

static void write_row(struct regions *r, uint32_t region, uint32_t cpu, const struct state *from,
		      const struct state *to)
{
	const struct model_counts *a = &from->counts, *b = &to->counts;
	const uint64_t columns[] = {
		to->instructions - from->instructions,
		b->l1d_refs - a->l1d_refs, b->l1d_misses - a->l1d_misses,
		b->l1i_refs - a->l1i_refs, b->l1i_misses - a->l1i_misses,
		b->l2_refs - a->l2_refs, b->l2_misses - a->l2_misses,
		to->l2_misses_all - from->l2_misses_all,
		to->write_backs_all - from->write_backs_all,
	};
	uint32_t i;

	fprintf(r->table, "%u\t%" PRIu64 "\t%u", region, r->sequence[region]++, cpu);
	for (i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		fprintf(r->table, "\t%" PRIu64, columns[i]);
	fputc('\n', r->table);
	fflush(r->table);
}

void regions_mark(struct regions *r, const struct model *model, uint32_t cpu,
		  uint64_t instructions, uint32_t offset)
{
	uint32_t region = offset / 2;
	struct state state = now(r, model, cpu, instructions);

	if (region >= PONTAGE_MARK_REGIONS)
		return;
	if (offset % 2 == 0) {
		r->begun[cpu][region] = state;
		return;
	}
	if (r->begun[cpu][region].begun)
		write_row(r, region, cpu, &r->begun[cpu][region], &state);
	r->begun[cpu][region].begun = false;
}
