// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Between QEMU and the model. Before PONTAGE_MARK_ON blocks are counted for the
 * CPUs' turns, and stores of user code are looked at, for that mark; then QEMU translates everything anew, and each
 * block and each access tells the model. QEMU has to play the CPUs in turn, in
 * one thread: nothing here is locked.
 *
 * Instructions are those of the blocks entered: one that faults in its block is
 * counted with those behind it, and again when the block is entered again. Each
 * turn of a repeated string instruction is one. A block fetches each of its
 * lines once in a row.
 */
#include <stdlib.h>

#include "arguments.h"
#include "marks.h"
#include "qemu_api.h"
#include "ram.h"
#include "regions.h"
#include "turns.h"

#define EXPORT __attribute__((visibility("default")))
/* Addresses of user memory have a clear top bit, on x86-64 and on arm64. */
#define IS_USER(address) (!((address) >> 63))

#define LEAST_PAGE 4096

struct block {
	uint32_t instructions;
	uint32_t lines;
	uint64_t line[];
};

EXPORT int qemu_plugin_version = QEMU_API_VERSION;

static struct model *model;
static struct regions *regions;
static struct ram ram;
static uint64_t instructions[MODEL_MAX_CPUS];
static uint64_t line_bytes;
static qemu_plugin_id_t self;
static bool is_on;

static void give_up(const char *why)
{
	fprintf(stderr, "cannot simulate caches: %s\n", why);
	exit(1);
}

static void block_entered(unsigned int cpu, void *ours)
{
	const struct block *block = ours;
	uint32_t i;

	instructions[cpu] += block->instructions;
	turns_spend(cpu, block->instructions);
	for (i = 0; i < block->lines; i++)
		model_access(model, cpu, MODEL_FETCH, block->line[i]);
}

/* The line of one byte; false: not memory. */
static bool line_of(qemu_plugin_meminfo_t info, uint64_t address, uint64_t *line)
{
	const struct qemu_plugin_hwaddr *at = qemu_plugin_get_hwaddr(info, address);

	if (!at || qemu_plugin_hwaddr_is_io(at))
		return false;
	*line = qemu_plugin_hwaddr_phys_addr(at) / line_bytes;
	return true;
}

static bool is_mark(uint64_t address)
{
	return address - PONTAGE_MARK_PAGE < PONTAGE_MARK_PAGE_BYTES;
}

static void accessed(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *ours)
{
	bool store = qemu_plugin_mem_is_store(info);
	enum model_access kind = store ? MODEL_STORE : MODEL_LOAD;
	uint64_t last = address + (1ULL << qemu_plugin_mem_size_shift(info)) - 1;
	uint64_t line;

	(void)ours;
	if (store && is_mark(address)) {
		regions_mark(regions, model, cpu, instructions[cpu], address - PONTAGE_MARK_PAGE);
		return;
	}
	if (line_of(info, address, &line))
		model_access(model, cpu, kind, line);
	if (address / line_bytes != last / line_bytes && line_of(info, last, &line))
		model_access(model, cpu, kind, line);
}

static void add_lines(struct block *block, const struct qemu_plugin_insn *insn)
{
	const char *at = qemu_plugin_insn_haddr(insn);
	uint64_t from, to, line;

	if (!at || !ram_physical(&ram, at, &from))
		return;
	to = from + qemu_plugin_insn_size(insn) - 1;
	/* The rest of it, on the next page, is fetched with what follows there. */
	if (from / LEAST_PAGE != to / LEAST_PAGE)
		to = from | (LEAST_PAGE - 1);
	for (line = from / line_bytes; line <= to / line_bytes; line++)
		if (!block->lines || block->line[block->lines - 1] != line)
			block->line[block->lines++] = line;
}

/* QEMU forgets translated blocks and does not say so: ours stay. */
static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb), i;
	struct block *block;

	(void)id;
	block = malloc(sizeof(*block) + 2 * count * sizeof(block->line[0]));
	if (!block)
		give_up("no memory");
	block->instructions = count;
	block->lines = 0;
	for (i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		add_lines(block, insn);
		qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_CALL_NO_REGISTERS,
						 QEMU_ALL_ACCESSES, NULL);
	}
	block = realloc(block, sizeof(*block) + block->lines * sizeof(block->line[0]));
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block_entered, QEMU_CALL_NO_REGISTERS, block);
}

static void begin(qemu_plugin_id_t id)
{
	FILE *maps = fopen("/proc/self/maps", "r");

	if (!maps || !ram_find(&ram, maps))
		give_up("the guest's memory is no memory-backend-memfd");
	fclose(maps);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
}

static void stored_before(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address,
			  void *ours)
{
	(void)cpu;
	(void)info;
	(void)ours;
	if (is_on || address != PONTAGE_MARK_PAGE + PONTAGE_MARK_ON)
		return;
	is_on = true;
	qemu_plugin_reset(self, begin);
}

static void block_entered_before(unsigned int cpu, void *ours)
{
	turns_spend(cpu, (uintptr_t)ours);
}

static void translated_before(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb), i;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block_entered_before, QEMU_CALL_NO_REGISTERS,
					     (void *)(uintptr_t)count);
	if (!IS_USER(qemu_plugin_tb_vaddr(tb)))
		return;
	for (i = 0; i < count; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), stored_before,
						 QEMU_CALL_NO_REGISTERS, QEMU_STORES, NULL);
}

static bool set_up(struct arguments *a, int cpus)
{
	const char *why;
	FILE *table;

	a->shape.cpus = cpus;
	model = model_new(&a->shape, &why);
	if (!model) {
		fprintf(stderr, "cannot simulate caches: %s\n", why);
		return false;
	}
	table = fopen(a->out, "w");
	if (!table) {
		perror(a->out);
		return false;
	}
	line_bytes = a->shape.line_bytes;
	regions = regions_new(&a->shape, table);
	return regions;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc,
			       char **argv)
{
	struct arguments a;
	const char *bad;

	if (!arguments_parse(&a, argc, argv, &bad)) {
		fprintf(stderr, "cannot simulate caches: argument %s\n", bad);
		return -1;
	}
	if (!info->system_emulation || !set_up(&a, info->system.smp_vcpus))
		return -1;
	self = id;
	turns_init(id, a.turn_instructions);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated_before);
	return 0;
}
