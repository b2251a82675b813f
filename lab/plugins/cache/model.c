// SPDX-License-Identifier: GPL-2.0-or-later
#include "model.h"

#include <stdlib.h>

#include "sets.h"

struct model {
	struct model_shape shape;
	struct sets l1i[MODEL_MAX_CPUS];
	struct sets l1d[MODEL_MAX_CPUS];
	struct sets l2[MODEL_MAX_CPUS];
	struct model_counts counts[MODEL_MAX_CPUS];
	uint64_t write_backs;
	uint32_t groups;
};

static const char *complaint(const struct model_shape *s)
{
	const struct model_level *levels[] = { &s->l1i, &s->l1d, &s->l2 };
	const char *why;
	int i;

	if (!s->cpus || s->cpus > MODEL_MAX_CPUS)
		return "CPUs are 1 to 16";
	if (!s->l2_shared_by || s->l2_shared_by > MODEL_MAX_CPUS)
		return "an L2 is shared by 1 to 16 CPUs";
	if (s->engine_cpu >= (int)s->cpus || s->dca_cpu >= (int)s->cpus)
		return "there is no CPU of that number";
	for (i = 0; i < 3; i++) {
		why = sets_complaint(levels[i]->bytes, levels[i]->ways, s->line_bytes);
		if (why)
			return why;
	}
	return NULL;
}

static bool fill_in(struct model *m)
{
	const struct model_shape *s = &m->shape;
	bool all = true;
	uint32_t i;

	for (i = 0; i < s->cpus; i++) {
		all &= sets_init(&m->l1i[i], s->l1i.bytes, s->l1i.ways, s->line_bytes);
		all &= sets_init(&m->l1d[i], s->l1d.bytes, s->l1d.ways, s->line_bytes);
	}
	for (i = 0; i < m->groups; i++)
		all &= sets_init(&m->l2[i], s->l2.bytes, s->l2.ways, s->line_bytes);
	return all;
}

struct model *model_new(const struct model_shape *shape, const char **why)
{
	struct model *m;

	*why = complaint(shape);
	if (*why)
		return NULL;
	m = calloc(1, sizeof(*m));
	if (m) {
		m->shape = *shape;
		m->groups = (shape->cpus + shape->l2_shared_by - 1) / shape->l2_shared_by;
		if (fill_in(m))
			return m;
	}
	model_free(m);
	*why = "no memory";
	return NULL;
}

void model_free(struct model *m)
{
	uint32_t i;

	for (i = 0; m && i < MODEL_MAX_CPUS; i++) {
		sets_free(&m->l1i[i]);
		sets_free(&m->l1d[i]);
		sets_free(&m->l2[i]);
	}
	free(m);
}

/* The bit of an L1 in the holders of its group's lines. */
static uint32_t holder(const struct model *m, uint32_t cpu, bool data)
{
	return 1u << (cpu % m->shape.l2_shared_by * 2 + data);
}

/* Takes a line out of the L1s of a group that hold it, but for those in `keep`. */
static void leave_l1s(struct model *m, uint32_t group, struct entry *in_l2, uint32_t keep)
{
	uint32_t first = group * m->shape.l2_shared_by, gone = in_l2->holders & ~keep, bit;
	struct entry out;

	for (bit = 0; gone; bit++, gone >>= 1) {
		uint32_t cpu = first + bit / 2;

		if (!(gone & 1))
			continue;
		sets_remove(bit % 2 ? &m->l1d[cpu] : &m->l1i[cpu], in_l2->line, &out);
		in_l2->dirty |= out.dirty;
	}
	in_l2->holders &= keep;
}

static void leave_group(struct model *m, uint32_t group, uint64_t line)
{
	struct entry *found = sets_find(&m->l2[group], line), out;

	if (!found)
		return;
	leave_l1s(m, group, found, 0);
	m->write_backs += found->dirty;
	sets_remove(&m->l2[group], line, &out);
}

/* The line is written by `writer`: no other group keeps it. */
static void leave_other_groups(struct model *m, uint32_t writer, uint64_t line)
{
	uint32_t group;

	for (group = 0; group < m->groups; group++)
		if (group != writer)
			leave_group(m, group, line);
}

/*
 * A reader that missed: whoever has the line modified gives it to memory, or to
 * the L2 they share, and keeps it as it is there.
 */
static void clean_others(struct model *m, uint32_t reader, uint64_t line)
{
	uint32_t group, first, cpu;

	for (group = 0; group < m->groups; group++) {
		struct entry *in_l2 = sets_find(&m->l2[group], line);

		first = group * m->shape.l2_shared_by;
		for (cpu = 0; in_l2 && cpu < m->shape.l2_shared_by; cpu++) {
			struct entry *in_l1;

			if (!(in_l2->holders & holder(m, cpu, true)))
				continue;
			in_l1 = sets_find(&m->l1d[first + cpu], line);
			in_l2->dirty |= in_l1->dirty;
			in_l1->dirty = false;
		}
		if (in_l2 && group != reader && in_l2->dirty) {
			m->write_backs++;
			in_l2->dirty = false;
		}
	}
}

/* Puts a line into an L2; what has to leave leaves the L1s above it too. */
static struct entry *enter_l2(struct model *m, uint32_t group, uint64_t line)
{
	struct entry out, *in = sets_insert(&m->l2[group], line, &out);

	if (out.line != NO_LINE) {
		leave_l1s(m, group, &out, 0);
		m->write_backs += out.dirty;
	}
	return in;
}

/* A line that an L1 had to give up: the L2 has it, and learns what was written. */
static void left_l1(struct model *m, uint32_t cpu, bool data, const struct entry *out)
{
	struct entry *in_l2;

	if (out->line == NO_LINE)
		return;
	in_l2 = sets_find(&m->l2[cpu / m->shape.l2_shared_by], out->line);
	in_l2->holders &= ~holder(m, cpu, data);
	in_l2->dirty |= out->dirty;
}

static struct entry *miss(struct model *m, uint32_t cpu, bool data, uint64_t line)
{
	struct sets *l1 = data ? &m->l1d[cpu] : &m->l1i[cpu];
	uint32_t group = cpu / m->shape.l2_shared_by;
	struct model_counts *counts = &m->counts[cpu];
	struct entry *in_l1, *in_l2, out;

	counts->l2_refs++;
	clean_others(m, group, line);
	in_l2 = sets_use(&m->l2[group], line);
	if (!in_l2) {
		counts->l2_misses++;
		in_l2 = enter_l2(m, group, line);
	}
	in_l2->holders |= holder(m, cpu, data);
	in_l1 = sets_insert(l1, line, &out);
	left_l1(m, cpu, data, &out);
	return in_l1;
}

static void own(struct model *m, uint32_t cpu, struct entry *in_l1)
{
	uint32_t group = cpu / m->shape.l2_shared_by;

	/* Written before and not given away since: nobody else has it. */
	if (in_l1->dirty)
		return;
	leave_l1s(m, group, sets_find(&m->l2[group], in_l1->line), holder(m, cpu, true));
	leave_other_groups(m, group, in_l1->line);
	in_l1->dirty = true;
}

static void engine_store(struct model *m, uint64_t line)
{
	struct entry *in_l2;
	uint32_t group, target;

	if (m->shape.dca_cpu < 0) {
		for (group = 0; group < m->groups; group++)
			leave_group(m, group, line);
		return;
	}
	target = m->shape.dca_cpu / m->shape.l2_shared_by;
	leave_other_groups(m, target, line);
	in_l2 = sets_use(&m->l2[target], line);
	if (in_l2)
		leave_l1s(m, target, in_l2, 0);
	else
		in_l2 = enter_l2(m, target, line);
	in_l2->dirty = true;
}

void model_access(struct model *m, uint32_t cpu, enum model_access kind, uint64_t line)
{
	bool data = kind != MODEL_FETCH;
	struct model_counts *counts = &m->counts[cpu];
	struct entry *in_l1;

	if ((int)cpu == m->shape.engine_cpu) {
		if (kind == MODEL_STORE)
			engine_store(m, line);
		return;
	}
	in_l1 = sets_use(data ? &m->l1d[cpu] : &m->l1i[cpu], line);
	if (data)
		counts->l1d_refs++;
	else
		counts->l1i_refs++;
	if (!in_l1) {
		if (data)
			counts->l1d_misses++;
		else
			counts->l1i_misses++;
		in_l1 = miss(m, cpu, data, line);
	}
	if (kind == MODEL_STORE)
		own(m, cpu, in_l1);
}

const struct model_counts *model_counts(const struct model *m, uint32_t cpu)
{
	return &m->counts[cpu];
}

uint64_t model_write_backs(const struct model *m)
{
	return m->write_backs;
}
