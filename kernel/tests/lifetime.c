// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that goes away while the engine copies: SIGKILL, munmap, fork,
 * unregister, closing. The software engine is made so slow that a copy is under
 * way for certain, two seconds a page, and quick again once that was done which
 * is to happen meanwhile: no machine is busy for so long. Without it (a real
 * engine) those tests are skipped.
 */
#include <pthread.h>
#include <signal.h>

#include "client.h"

#define SLOW_NS 2000000000ULL
#define LENGTH (256 * KIB)

static int fd;
static bool slow_engine;

static const char no_slow[] = "this engine cannot be made slow: swdma.ko is not here";

/* A thread that copies once while others pull the carpet away. */
struct job {
	struct cftu_copy copy;
	int fd;
	int error;
};

/* Descriptors that the software engine holds and has not ended. */
static unsigned long descriptors_under_way(void)
{
	unsigned long depth = 0, of_channel;
	char path[64], line[64];
	int channel;

	for (channel = 0; channel < 4; channel++) {
		FILE *file;

		snprintf(path, sizeof(path), "/sys/kernel/debug/swdma/chan%d/counters", channel);
		file = fopen(path, "r");
		while (file && fgets(line, sizeof(line), file))
			if (sscanf(line, "depth %lu", &of_channel) == 1)
				depth += of_channel;
		if (file)
			fclose(file);
	}
	return depth;
}

static bool is_under_way(void *wanted)
{
	return (descriptors_under_way() != 0) == *(const bool *)wanted;
}

/* An event and no time: on a busy machine a thread may begin late. */
static void wait_until_in_flight(void)
{
	bool wanted = true;

	if (!comes_true(is_under_way, &wanted))
		ktap_note("no copy is under way");
}

/* Whatever the engine had left to do is done. */
static void wait_until_landed(void)
{
	bool wanted = false;

	if (!comes_true(is_under_way, &wanted))
		ktap_note("the engine does not end");
}

static void go_slowly(void)
{
	set_rule(-1, "delay_ns", SLOW_NS);
}

/* From the next descriptor on. */
static void go_on(void)
{
	set_rule(-1, "delay_ns", 0);
}

static void *do_job(void *context)
{
	struct job *job = context;

	job->error = CALL(job->fd, CFTU_COPY, &job->copy);
	return NULL;
}

static pthread_t launch(struct job *job)
{
	pthread_t thread;

	go_slowly();
	pthread_create(&thread, NULL, do_job, job);
	wait_until_in_flight();
	return thread;
}

static uint32_t filled_buffer(unsigned int seed)
{
	uint32_t buffer = alloc_buffer(fd, LENGTH, 0);
	uint8_t *from = malloc(LENGTH);
	struct cftu_copy c = copy_of(CFTU_FROM_USER, buffer, from, 0, LENGTH);

	fill(from, LENGTH, seed);
	c.engine = CFTU_ENGINE_CPU;
	CALL(fd, CFTU_COPY, &c);
	free(from);
	return buffer;
}

static void unmap_in_flight(void)
{
	uint8_t *at = pages(LENGTH), *again;
	uint32_t buffer = filled_buffer(21);
	struct job job = { .copy = copy_of(CFTU_TO_USER, buffer, at, 0, LENGTH), .fd = fd };
	pthread_t thread;

	memset(at, 1, LENGTH);
	thread = launch(&job);
	munmap(at, LENGTH);
	/* The same addresses anew: the engine's late bytes must not land here. */
	again = mmap(at, LENGTH, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	memset(again, 0x44, 64 * KIB);
	go_on();
	pthread_join(thread, NULL);
	ktap_ok(job.error == 0 && job.copy.dma_bytes, "munmap in flight: the copy ends");
	ktap_ok(all_are(again, 64 * KIB, 0x44) || first_wrong(again, 64 * KIB, 21) == 64 * KIB,
		"munmap in flight: new pages hold the old or the copied bytes, no mixture");
	munmap(again, LENGTH);
}

static void fork_in_flight(void)
{
	uint8_t *at = pages(LENGTH);
	uint32_t buffer = filled_buffer(22);
	struct job job = { .copy = copy_of(CFTU_TO_USER, buffer, at, 0, LENGTH), .fd = fd };
	pthread_t thread;
	pid_t child;

	memset(at, 0x55, LENGTH);
	thread = launch(&job);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	/* A write of ours breaks the sharing: it must not part us from the engine. */
	go_on();
	pthread_join(thread, NULL);
	ktap_ok(!job.error && !job.copy.not_copied_bytes && job.copy.dma_bytes &&
		first_wrong(at, LENGTH, 22) == LENGTH,
		"fork in flight: the parent sees every byte");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap(at, LENGTH);
}

static void kill_in_flight(void)
{
	uint32_t buffer = filled_buffer(23);
	uint8_t *shared = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			       -1, 0);
	int status = 0;
	size_t settled;
	pid_t child;

	go_slowly();
	child = fork();
	if (!child) {
		struct cftu_copy c = copy_of(CFTU_TO_USER, buffer, shared, 0, LENGTH);

		CALL(fd, CFTU_COPY, &c);
		_exit(0);
	}
	wait_until_in_flight();
	kill(child, SIGKILL);
	go_on();
	waitpid(child, &status, 0);
	ktap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
		"SIGKILL in flight: the task dies of it");
	settled = first_wrong(shared, LENGTH, 23);
	wait_until_landed();
	ktap_ok(settled < LENGTH && first_wrong(shared, LENGTH, 23) == settled,
		"SIGKILL in flight: it dies when the engine has let go, %zu of %lu bytes copied",
		settled, LENGTH);
	munmap(shared, LENGTH);
}

static void release_in_use(void)
{
	uint8_t *at = pages(LENGTH);
	uint32_t buffer = filled_buffer(24), registration = register_memory(fd, at, LENGTH);
	struct job job = { .copy = copy_of(CFTU_TO_USER, buffer, at, 0, LENGTH), .fd = fd };
	struct cftu_release b = { .id = buffer }, r = { .id = registration };
	pthread_t thread;

	job.copy.registration = registration;
	thread = launch(&job);
	ktap_ok(CALL(fd, CFTU_BUFFER_FREE, &b) == -EBUSY, "a buffer in use is not freed");
	ktap_ok(CALL(fd, CFTU_UNREGISTER, &r) == -EBUSY, "a registration in use stays");
	go_on();
	pthread_join(thread, NULL);
	ktap_ok(!job.error && first_wrong(at, LENGTH, 24) == LENGTH, "the copy is whole");
	ktap_ok(CALL(fd, CFTU_BUFFER_FREE, &b) == 0 && CALL(fd, CFTU_UNREGISTER, &r) == 0,
		"both go afterwards");
	munmap(at, LENGTH);
}

static void registered_then_unmapped(void)
{
	uint8_t *at = pages(LENGTH);
	uint32_t buffer = alloc_buffer(fd, LENGTH, 0), registration;
	const uint8_t *mapped = map_buffer(fd, buffer, LENGTH);
	struct cftu_copy c = copy_of(CFTU_FROM_USER, buffer, at, 0, LENGTH);

	fill(at, LENGTH, 25);
	registration = register_memory(fd, at, LENGTH);
	munmap(at, LENGTH);
	c.registration = registration;
	ktap_ok(CALL(fd, CFTU_COPY, &c) == 0 && !c.not_copied_bytes &&
		first_wrong(mapped, LENGTH, 25) == LENGTH,
		"registered pages outlive munmap: the engine still reads them");
	munmap((void *)mapped, LENGTH);
}

static void unload_in_use(void)
{
	ktap_ok(unload("cftu") == -EWOULDBLOCK, "the module cannot go while its device is open");
	if (have_module("swdma"))
		ktap_ok(unload("swdma") == -EWOULDBLOCK,
			"nor the engine's while a policy holds its channels");
}

static void buffer_outlives_free(void)
{
	uint32_t buffer = filled_buffer(26);
	const uint8_t *mapped = map_buffer(fd, buffer, LENGTH);
	struct cftu_release r = { .id = buffer };

	ktap_ok(CALL(fd, CFTU_BUFFER_FREE, &r) == 0 && mapped &&
		first_wrong(mapped, LENGTH, 26) == LENGTH,
		"a mapping of a freed buffer keeps its pages");
	munmap((void *)mapped, LENGTH);
}

int main(void)
{
	ktap_begin();
	/* A descriptor for each page. */
	slow_engine = fresh_engine("channels=4 max_segment=4096");
	fd = open_cftu();
	if (!ktap_ok(fd >= 0 && !start_policy(fd, CFTU_POLICY_SHARED), "a shared policy runs"))
		return ktap_end();
	registered_then_unmapped();
	buffer_outlives_free();
	unload_in_use();
	if (!slow_engine) {
		ktap_skip(no_slow, "munmap, fork, SIGKILL and release in flight");
		return ktap_end();
	}
	unmap_in_flight();
	fork_in_flight();
	kill_in_flight();
	release_in_use();
	set_rule(-1, "reset", 1);
	return ktap_end();
}
