/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches of a simulated machine, as pure C: who hits and who misses.
 *
 * Each virtual CPU has an L1 for instructions and one for data; each group of
 * `l2_shared_by` neighbouring CPUs shares an L2. All are set-associative with
 * least recently used replacement, write-back, write-allocate. The L2 is
 * inclusive: a line that leaves it leaves the L1s of its group. A store takes
 * the line away from every other cache that is not on its own way to memory,
 * the CPU's own instruction cache included.
 *
 * One CPU may be an engine, a device on the memory bus: what it loads and
 * fetches changes nothing; what it stores takes the line away from all caches
 * (dirty ones are written back first), or puts it into one L2 (`dca_cpu`).
 *
 * Not there: prefetching, speculation, translation (TLBs and page walks),
 * timing. An L1 miss that another CPU's L1 or L2 could answer is a miss of the
 * own L2 unless the line is there.
 */
#ifndef CACHE_MODEL_H
#define CACHE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_MAX_CPUS 16

struct model_level {
	uint64_t bytes;
	uint32_t ways;
};

struct model_shape {
	uint32_t cpus;
	uint32_t line_bytes;
	struct model_level l1i;
	struct model_level l1d;
	struct model_level l2;
	uint32_t l2_shared_by;
	int engine_cpu;		/* -1: none */
	int dca_cpu;		/* whose L2 takes the engine's stores; -1: none */
};

enum model_access {
	MODEL_FETCH,
	MODEL_LOAD,
	MODEL_STORE,
};

/* What one CPU did; an engine's stay zero. */
struct model_counts {
	uint64_t l1d_refs;
	uint64_t l1d_misses;
	uint64_t l1i_refs;
	uint64_t l1i_misses;
	uint64_t l2_refs;	/* one for each L1 miss */
	uint64_t l2_misses;
};

struct model;

/* Empty caches; or NULL, and *why says what of the shape is wrong. */
struct model *model_new(const struct model_shape *shape, const char **why);
void model_free(struct model *model);

/* One access of a CPU to the line with number `line`: physical address / line size. */
void model_access(struct model *model, uint32_t cpu, enum model_access kind, uint64_t line);

const struct model_counts *model_counts(const struct model *model, uint32_t cpu);

/* Dirty lines that went from the L2s to memory, of all. */
uint64_t model_write_backs(const struct model *model);

#endif
