// SPDX-License-Identifier: GPL-2.0
/*
 * What one copy costs from before the gate to after the unmapping, memory
 * pinned beforehand, on one channel of the software engine that copies in
 * place: under -icount its time is a number of instructions. Prints
 * "cost BYTES NS" lines, medians; dmatest's own figure for the same channel is
 * set against them by cost.sh.
 */
#include "client.h"

#define REPETITIONS 2000

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Memory of a huge page, so that pinned pages are in a row as dmatest's are. */
static uint8_t *in_a_row(size_t bytes)
{
	uint8_t *at = pages(4 * MIB);
	uint8_t *aligned = (uint8_t *)(((uintptr_t)at + 2 * MIB - 1) & ~(2 * MIB - 1));

	madvise(aligned, 2 * MIB, MADV_HUGEPAGE);
	memset(aligned, 1, bytes);
	return aligned;
}

static int cost_of(int fd, size_t bytes, uint32_t wait)
{
	static struct cftu_sample samples[REPETITIONS];
	static uint64_t ns[REPETITIONS];
	uint32_t buffer = alloc_buffer(fd, bytes, 0);
	uint8_t *at = in_a_row(bytes);
	struct cftu_register r = { .flags = CFTU_REGISTER_WRITABLE, .user_addr = (uintptr_t)at,
				   .length_bytes = bytes };
	struct cftu_measure m = {
		.direction = CFTU_FROM_USER, .engine = CFTU_ENGINE_POLICY, .buffer = buffer,
		.wait = wait, .user_addr = (uintptr_t)at, .length_bytes = bytes,
		.samples_addr = (uintptr_t)samples, .repetitions = REPETITIONS,
		.copies_per_sample = 1,
	};
	struct cftu_release release;
	int error = CALL(fd, CFTU_REGISTER, &r), i;

	m.registration = r.id;
	if (!error)
		error = CALL(fd, CFTU_MEASURE, &m);
	if (error || m.dma_bytes != (uint64_t)REPETITIONS * bytes) {
		printf("# %zu bytes: error %d reason %u, %llu bytes by DMA\n", bytes, error,
		       m.reason, (unsigned long long)m.dma_bytes);
		return 1;
	}
	for (i = 0; i < REPETITIONS; i++)
		ns[i] = samples[i].end_ns - samples[i].start_ns;
	qsort(ns, REPETITIONS, sizeof(*ns), compare);
	printf("# %zu bytes in %u extents: least %llu, median %llu ns\n", bytes, r.extents,
	       (unsigned long long)ns[0], (unsigned long long)ns[REPETITIONS / 2]);
	printf("cost %zu %llu\n", bytes, (unsigned long long)ns[REPETITIONS / 2]);
	release = (struct cftu_release){ .id = r.id };
	CALL(fd, CFTU_UNREGISTER, &release);
	return 0;
}

int main(int argc, char **argv)
{
	uint32_t wait = argc > 1 && !strcmp(argv[1], "poll") ? CFTU_WAIT_POLL : CFTU_WAIT_IRQ;
	struct cftu_policy p = policy_of(CFTU_POLICY_SHARED);
	int fd = open_cftu();

	p.channels = 1;
	if (fd < 0 || CALL(fd, CFTU_POLICY_START, &p)) {
		printf("# no policy: reason %u\n", p.reason);
		return 1;
	}
	return cost_of(fd, 4096, wait) | cost_of(fd, 65536, wait);
}
