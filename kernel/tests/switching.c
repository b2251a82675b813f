// SPDX-License-Identifier: GPL-2.0
/*
 * Policies switch 10,000 times under threads that copy and verify: no byte is
 * lost, with a good engine and with one that fails now and then.
 *   switching [DIVISOR]   fewer switches, for kernels that take their time
 */
#include <pthread.h>

#include "client.h"

#define THREADS 2
#define LENGTH (12 * KIB)
/* All in all 10,000. A switch waits for chunks under way: most are short ones. */
#define MOST 6000
#define SOME 3000
#define FEW 1000

static volatile int stop;
static volatile unsigned long pairs[THREADS];
static unsigned long lost[THREADS];

/* From user, back to another place, compared: what is lost shows. */
static void *verify(void *context)
{
	int me = (int)(intptr_t)context;
	int fd = open_cftu();
	uint32_t buffer = alloc_buffer(fd, LENGTH, me & 1 ? CFTU_BUFFER_SCATTERED : 0);
	uint8_t *there = pages(LENGTH), *back = pages(LENGTH);
	unsigned int seed = me * 1000;

	while (!stop) {
		struct cftu_copy c = copy_of(CFTU_FROM_USER, buffer, there, 0, LENGTH);

		fill(there, LENGTH, ++seed);
		c.class_ = me ? CFTU_CLASS_LOW : CFTU_CLASS_HIGH;
		c.wait = seed % 3;
		lost[me] += CALL(fd, CFTU_COPY, &c) || c.not_copied_bytes;
		c = copy_of(CFTU_TO_USER, buffer, back, 0, LENGTH);
		c.class_ = me ? CFTU_CLASS_LOW : CFTU_CLASS_HIGH;
		lost[me] += CALL(fd, CFTU_COPY, &c) || c.not_copied_bytes;
		lost[me] += memcmp(there, back, LENGTH) != 0;
		pairs[me]++;
	}
	close(fd);
	return NULL;
}

static unsigned int switch_policies(int fd, unsigned int count)
{
	unsigned int i, failed = 0;

	for (i = 0; i < count; i++) {
		struct cftu_policy p = policy_of(1 + i % 3);

		p.chooser = i & 1;
		p.threshold_bytes = i % 5 ? 4096 : 0;
		p.chunk_bytes = i % 4 ? 0 : 8192;
		/* Now and then with a gap, mostly without. */
		if (i % 50 == 49)
			failed += stop_policy(fd) != 0;
		failed += start_as_told(fd, &p) != 0;
	}
	return failed;
}

/* What is judged: each has copied, some by DMA, and errors where they are made. */
static bool is_enough(int fd, const struct cftu_stats *before, bool errors)
{
	struct cftu_stats now = { 0 };
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		if (!pairs[i])
			return false;
	CALL(fd, CFTU_STATS, &now);
	return now.dma_chunks > before->dma_chunks &&
	       (!errors || now.cpu_chunks[CFTU_REASON_WRITE_FAILED] >
				   before->cpu_chunks[CFTU_REASON_WRITE_FAILED]);
}

static void under_load(const char *engine, unsigned int count, unsigned int fail_every,
		       const char *name)
{
	struct cftu_stats before = { 0 }, after = { 0 };
	struct cftu_policy_state state = { 0 };
	unsigned long all = 0, gone = 0;
	pthread_t threads[THREADS];
	unsigned int failed, i;
	uint64_t begin, give_up_ns;
	int fd;

	if (have_module("swdma") && !ktap_ok(fresh_engine(engine), "%s: engine", name))
		return;
	fd = open_cftu();
	CALL(fd, CFTU_STATS, &before);
	CALL(fd, CFTU_POLICY_SHOW, &state);
	if (fail_every)
		set_rule(-1, "fail_every", fail_every);
	stop = 0;
	for (i = 0; i < THREADS; i++)
		pairs[i] = 0;
	memset(lost, 0, sizeof(lost));
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, verify, (void *)(intptr_t)i);
	begin = now_ns();
	failed = switch_policies(fd, count);
	/* On a busy machine more of them, for two minutes at most. */
	give_up_ns = now_ns() + 120000000000ULL;
	while (!is_enough(fd, &before, fail_every) && now_ns() < give_up_ns) {
		failed += switch_policies(fd, 30);
		count += 30;
	}
	ktap_note("%s: %llu ms", name, (unsigned long long)(now_ns() - begin) / 1000000);
	stop = 1;
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		all += pairs[i];
		gone += lost[i];
	}
	CALL(fd, CFTU_STATS, &after);
	ktap_ok(!failed, "%s: %u switches, %u failed", name, count, failed);
	ktap_ok(all && !gone, "%s: %lu pairs of copies verified, %lu lost", name, all, gone);
	ktap_ok(after.dma_chunks > before.dma_chunks,
		"%s: %llu chunks by DMA, %llu by CPU between policies, %llu after engine errors", name,
		(unsigned long long)(after.dma_chunks - before.dma_chunks),
		(unsigned long long)(after.cpu_chunks[CFTU_REASON_NO_POLICY] -
				     before.cpu_chunks[CFTU_REASON_NO_POLICY]),
		(unsigned long long)(after.cpu_chunks[CFTU_REASON_WRITE_FAILED] -
				     before.cpu_chunks[CFTU_REASON_WRITE_FAILED]));
	if (fail_every)
		ktap_ok(after.cpu_chunks[CFTU_REASON_WRITE_FAILED] >
			before.cpu_chunks[CFTU_REASON_WRITE_FAILED], "%s: errors were met", name);
	stop_policy(fd);
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned int divisor = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	if (!divisor)
		return 2;
	ktap_begin();
	if (!have_module("swdma")) {
		under_load("", (MOST + SOME + FEW) / divisor, 0, "the machine's engine");
		return ktap_end();
	}
	under_load("channels=4 inline_copy=1", MOST / divisor, 0, "a quick engine");
	under_load("channels=4 inline_copy=1 fail_result=2 fail_half=1", SOME / divisor, 11,
		   "an engine that fails");
	under_load("channels=4", FEW / divisor, 0, "an engine with threads");
	return ktap_end();
}
