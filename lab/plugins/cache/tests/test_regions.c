// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "../marks.h"
#include "../regions.h"
#include "check.h"

static const struct model_shape shape = {
	.cpus = 2, .line_bytes = 64,
	.l1i = { 512, 2 }, .l1d = { 512, 2 }, .l2 = { 4096, 4 },
	.l2_shared_by = 2, .engine_cpu = -1, .dca_cpu = -1,
};

static struct model *model;
static struct regions *regions;

static void mark(uint32_t cpu, uint64_t instructions, uint32_t offset)
{
	regions_mark(regions, model, cpu, instructions, offset);
}

static void loads(uint32_t cpu, uint64_t from, uint64_t count)
{
	uint64_t line;

	for (line = from; line < from + count; line++)
		model_access(model, cpu, MODEL_LOAD, line);
}

/* The rows behind the two lines of the head. */
static const char *rows(const char *text)
{
	return strchr(strchr(text, '\n') + 1, '\n') + 1;
}

int main(void)
{
	const char *why;
	char *text;
	size_t bytes;
	FILE *table = open_memstream(&text, &bytes);

	model = model_new(&shape, &why);
	regions = regions_new(&shape, table);
	equal(strncmp(text, "# simulated cache: l1i 512 B 2 ways, ", 37), 0, "what it is");
	same_text(rows(text), "", "no row yet");

	loads(0, 0, 5);
	mark(0, 100, PONTAGE_MARK_END(3));
	same_text(rows(text), "", "an end without a begin");
	mark(0, 100, PONTAGE_MARK_BEGIN(3));
	loads(0, 0, 1);
	loads(0, 100, 2);
	loads(1, 200, 4);
	mark(1, 900, PONTAGE_MARK_END(3));
	mark(0, 170, PONTAGE_MARK_END(3));
	same_text(rows(text), "3\t0\t0\t70\t3\t2\t0\t0\t2\t2\t6\t0\n",
		  "what its CPU did, and the misses of all");
	mark(0, 170, PONTAGE_MARK_END(3));
	mark(0, 200, PONTAGE_MARK_BEGIN(3));
	mark(1, 950, PONTAGE_MARK_BEGIN(PONTAGE_MARK_REGIONS - 1));
	mark(0, 201, PONTAGE_MARK_END(3));
	mark(1, 952, PONTAGE_MARK_END(PONTAGE_MARK_REGIONS - 1));
	mark(1, 953, PONTAGE_MARK_ON);
	mark(1, 953, PONTAGE_MARK_ON + 1);
	same_text(strchr(rows(text), '\n') + 1,
		  "3\t1\t0\t1\t0\t0\t0\t0\t0\t0\t0\t0\n2046\t0\t1\t2\t0\t0\t0\t0\t0\t0\t0\t0\n",
		  "a second time, and the last region there is");
	fclose(table);
	free(text);
	regions_free(regions);
	model_free(model);
	return verdict();
}
