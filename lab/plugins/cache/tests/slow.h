/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of model.h once more, as slowly as they can be read: every cache is
 * a bag of lines with the time of their last use, every question a search
 * through all of it, and nobody keeps a list of who holds what.
 */
#ifndef SLOW_H
#define SLOW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../model.h"

#define SLOW_LINES 128

struct slow_line {
	bool here;
	bool dirty;
	uint64_t line;
	uint64_t used;
};

struct slow_cache {
	struct slow_line lines[SLOW_LINES];
	uint64_t capacity;	/* lines of a set */
	uint64_t sets;
};

struct slow {
	struct model_shape shape;
	struct slow_cache l1i[MODEL_MAX_CPUS], l1d[MODEL_MAX_CPUS], l2[MODEL_MAX_CPUS];
	struct model_counts counts[MODEL_MAX_CPUS];
	uint64_t write_backs;
	uint64_t now;
};

static struct slow_line *slow_find(struct slow_cache *c, uint64_t line)
{
	int i;

	for (i = 0; i < SLOW_LINES; i++)
		if (c->lines[i].here && c->lines[i].line == line)
			return &c->lines[i];
	return NULL;
}

/* Puts it in; true when a line had to leave, which is then in *out. */
static bool slow_put(struct slow *s, struct slow_cache *c, uint64_t line, struct slow_line *out)
{
	struct slow_line *oldest = NULL, *free = NULL;
	uint64_t count = 0;
	int i;

	for (i = 0; i < SLOW_LINES; i++) {
		struct slow_line *l = &c->lines[i];

		if (!l->here) {
			free = l;
		} else if (l->line % c->sets == line % c->sets) {
			count++;
			if (!oldest || l->used < oldest->used)
				oldest = l;
		}
	}
	if (count == c->capacity) {
		*out = *oldest;
		free = oldest;
	}
	*free = (struct slow_line){ .here = true, .line = line, .used = s->now };
	return count == c->capacity;
}

static void slow_init(struct slow *s, const struct model_shape *shape)
{
	int i;

	memset(s, 0, sizeof(*s));
	s->shape = *shape;
	for (i = 0; i < MODEL_MAX_CPUS; i++) {
		struct slow_cache *caches[] = { &s->l1i[i], &s->l1d[i], &s->l2[i] };
		const struct model_level *levels[] = { &shape->l1i, &shape->l1d, &shape->l2 };
		int k;

		for (k = 0; k < 3; k++) {
			caches[k]->capacity = levels[k]->ways;
			caches[k]->sets = levels[k]->bytes / levels[k]->ways / shape->line_bytes;
		}
	}
}

static uint32_t slow_group(const struct slow *s, uint32_t cpu)
{
	return cpu / s->shape.l2_shared_by;
}

/* Out of the L1s of a group; says whether one of them had written it. */
static bool slow_leave_l1s(struct slow *s, uint32_t group, uint64_t line, int but_l1d_of)
{
	bool dirty = false;
	uint32_t cpu;

	for (cpu = 0; cpu < s->shape.cpus; cpu++) {
		struct slow_line *i = slow_find(&s->l1i[cpu], line);
		struct slow_line *d = slow_find(&s->l1d[cpu], line);

		if (slow_group(s, cpu) != group)
			continue;
		if (i)
			i->here = false;
		if (d && (int)cpu != but_l1d_of) {
			dirty |= d->dirty;
			d->here = false;
		}
	}
	return dirty;
}

static void slow_leave_group(struct slow *s, uint32_t group, uint64_t line)
{
	struct slow_line *l2 = slow_find(&s->l2[group], line);
	bool dirty = slow_leave_l1s(s, group, line, -1);

	if (l2) {
		s->write_backs += dirty || l2->dirty;
		l2->here = false;
	}
}

static void slow_into_l2(struct slow *s, uint32_t group, uint64_t line)
{
	struct slow_line out;

	if (slow_put(s, &s->l2[group], line, &out))
		s->write_backs += slow_leave_l1s(s, group, out.line, -1) | out.dirty;
}

/* Everybody who wrote the line hands it on before somebody else reads it. */
static void slow_hand_on(struct slow *s, uint32_t reader_group, uint64_t line)
{
	uint32_t cpu, group;

	for (cpu = 0; cpu < s->shape.cpus; cpu++) {
		struct slow_line *d = slow_find(&s->l1d[cpu], line);

		if (d && d->dirty) {
			d->dirty = false;
			slow_find(&s->l2[slow_group(s, cpu)], line)->dirty = true;
		}
	}
	for (group = 0; group < MODEL_MAX_CPUS; group++) {
		struct slow_line *l2 = slow_find(&s->l2[group], line);

		if (group != reader_group && l2 && l2->dirty) {
			l2->dirty = false;
			s->write_backs++;
		}
	}
}

static void slow_engine(struct slow *s, uint64_t line)
{
	int into = s->shape.dca_cpu < 0 ? -1 : (int)slow_group(s, s->shape.dca_cpu);
	int group;

	for (group = 0; group < MODEL_MAX_CPUS; group++)
		if (group != into)
			slow_leave_group(s, group, line);
	if (into < 0)
		return;
	slow_leave_l1s(s, into, line, -1);
	if (!slow_find(&s->l2[into], line))
		slow_into_l2(s, into, line);
	slow_find(&s->l2[into], line)->used = s->now;
	slow_find(&s->l2[into], line)->dirty = true;
}

static void slow_fill(struct slow *s, uint32_t cpu, struct slow_cache *l1, uint64_t line)
{
	uint32_t group = slow_group(s, cpu);
	struct slow_line *l2, out;

	s->counts[cpu].l2_refs++;
	slow_hand_on(s, group, line);
	l2 = slow_find(&s->l2[group], line);
	if (l2) {
		l2->used = s->now;
	} else {
		s->counts[cpu].l2_misses++;
		slow_into_l2(s, group, line);
	}
	if (slow_put(s, l1, line, &out) && out.dirty)
		slow_find(&s->l2[group], out.line)->dirty = true;
}

static void slow_access(struct slow *s, uint32_t cpu, enum model_access kind, uint64_t line)
{
	struct slow_cache *l1 = kind == MODEL_FETCH ? &s->l1i[cpu] : &s->l1d[cpu];
	struct slow_line *found;
	int group;

	s->now++;
	if ((int)cpu == s->shape.engine_cpu) {
		if (kind == MODEL_STORE)
			slow_engine(s, line);
		return;
	}
	found = slow_find(l1, line);
	if (kind == MODEL_FETCH) {
		s->counts[cpu].l1i_refs++;
		s->counts[cpu].l1i_misses += !found;
	} else {
		s->counts[cpu].l1d_refs++;
		s->counts[cpu].l1d_misses += !found;
	}
	if (!found)
		slow_fill(s, cpu, l1, line);
	found = slow_find(l1, line);
	found->used = s->now;
	if (kind != MODEL_STORE)
		return;
	for (group = 0; group < MODEL_MAX_CPUS; group++)
		if (group != (int)slow_group(s, cpu))
			slow_leave_group(s, group, line);
	slow_leave_l1s(s, slow_group(s, cpu), line, cpu);
	found->dirty = true;
}

#endif
