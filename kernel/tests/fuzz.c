// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctl surface under random calls: whole structures of noise, and valid
 * calls with some words changed, in processes that are killed by the clock in
 * the middle of what they do. What counts is that the kernel log stays clean,
 * that nobody hangs, and that afterwards everything works as before.
 */
#include <signal.h>
#include <sched.h>

#include "../uapi/cftu_trace.h"
#include "client.h"

#define ROUNDS 12
#define WORKERS 3
#define SECONDS_A_ROUND 1

static const unsigned long commands[] = {
	CFTU_HELLO, CFTU_BUFFER_ALLOC, CFTU_BUFFER_FREE, CFTU_REGISTER, CFTU_UNREGISTER,
	CFTU_COPY, CFTU_MEASURE, CFTU_CHANNELS, CFTU_POLICY_START, CFTU_POLICY_STOP,
	CFTU_POLICY_SHOW, CFTU_STATS, CFTU_TRACE_START, CFTU_TRACE_STOP, CFTU_TRACE_STATE,
	CFTU_TRACE_CONSUME, CFTU_TRACE_HISTOGRAM_READ,
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

static uint64_t state;

/* xorshift64*: the same calls for the same seed. */
static uint64_t noise(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

static uint8_t *memory;
static int fds[3];

/* Numbers at which checks sit. */
static uint64_t interesting(void)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 4, 7, 8, 63, 64, 255, 256, 4095, 4096, 4097, 65536, 1 << 20,
		0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, ~0ULL, ~0ULL - 4095,
		0xffff888000000000ULL, 0x7fffffffe000ULL, 1ULL << 40,
	};

	switch (noise() % 4) {
	case 0:
		return (uintptr_t)memory + noise() % (MIB + 4096);
	case 1:
		return noise();
	default:
		return values[noise() % (sizeof(values) / sizeof(*values))];
	}
}

/* Every word random, the size word right most of the time. */
static void all_noise(void *arg, unsigned int size)
{
	uint32_t *words = arg;
	unsigned int i;

	for (i = 0; i < size / 4; i++)
		words[i] = noise() & 1 ? 0 : (uint32_t)interesting();
	if (noise() % 8)
		words[0] = size;
}

static void change_words(void *arg, unsigned int size)
{
	unsigned int changes = noise() % 4, i;

	for (i = 0; i < changes; i++) {
		uint64_t value = interesting();
		unsigned int at = 4 * (1 + noise() % (size / 4 - 1));

		memcpy((uint8_t *)arg + at, &value, at + 8 <= size && noise() & 1 ? 8 : 4);
	}
}

/* A call that would succeed. */
static void valid(unsigned long command, void *arg)
{
	switch (command) {
	case CFTU_BUFFER_ALLOC:
		*(struct cftu_buffer_alloc *)arg = (struct cftu_buffer_alloc){
			.length_bytes = 4096 << noise() % 8, .node = -1, .flags = noise() & 1 };
		break;
	case CFTU_BUFFER_FREE:
	case CFTU_UNREGISTER:
		((struct cftu_release *)arg)->id = 1 + noise() % 6;
		break;
	case CFTU_REGISTER:
		*(struct cftu_register *)arg = (struct cftu_register){
			.user_addr = (uintptr_t)memory, .length_bytes = MIB >> noise() % 6,
			.flags = noise() & 1 };
		break;
	case CFTU_COPY:
		*(struct cftu_copy *)arg = copy_of(noise() % 2, 1 + noise() % 6,
						   memory + noise() % 8192, noise() % 4096,
						   noise() % 65536);
		((struct cftu_copy *)arg)->wait = noise() % 3;
		((struct cftu_copy *)arg)->registration = noise() % 4 ? 0 : 1 + noise() % 6;
		break;
	case CFTU_MEASURE:
		*(struct cftu_measure *)arg = (struct cftu_measure){
			.direction = noise() % 3, .engine = noise() % 3, .buffer = 1 + noise() % 6,
			.user_addr = (uintptr_t)memory, .length_bytes = noise() % 32768,
			.samples_addr = (uintptr_t)memory + MIB / 2, .repetitions = 1 + noise() % 9,
			.copies_per_sample = 1 + noise() % 3, .flags = noise() % 4 };
		break;
	case CFTU_CHANNELS:
		((struct cftu_channels *)arg)->channels_addr = (uintptr_t)memory;
		((struct cftu_channels *)arg)->capacity = noise() % 8;
		break;
	case CFTU_POLICY_START:
		*(struct cftu_policy *)arg = policy_of(1 + noise() % 3);
		((struct cftu_policy *)arg)->flags |= noise() % 16;
		break;
	case CFTU_TRACE_START:
		*(struct cftu_trace_start *)arg = (struct cftu_trace_start){
			.flags = 1 + noise() % 3, .records_per_cpu = 1 << noise() % 12,
			.slots_per_cpu = 1 << noise() % 12 };
		break;
	default:
		break;
	}
	*(uint32_t *)arg = _IOC_SIZE(command);
}

static void one_call(void)
{
	union {
		uint8_t bytes[2048];
		uint64_t aligned;
	} arg;
	unsigned long command = commands[noise() % COMMANDS];
	unsigned int size = _IOC_SIZE(command);
	int *fd = &fds[noise() % 3];

	memset(&arg, 0, sizeof(arg));
	if (noise() % 4) {
		valid(command, &arg);
		if (noise() & 1)
			change_words(&arg, size);
	} else {
		all_noise(&arg, size);
	}
	if (!(noise() % 64)) {
		command ^= 1UL << noise() % 32;
	} else if (!(noise() % 128)) {
		close(*fd);
		*fd = open_cftu();
	} else if (!(noise() % 32)) {
		uint64_t offset = noise() & 1 ? (1 + noise() % 6) << 32 : interesting() & ~4095ULL;
		void *at = mmap(NULL, 4096 << noise() % 4, PROT_READ | (noise() % 8 ? 0 : PROT_WRITE),
				MAP_SHARED, *fd, offset);

		if (at != MAP_FAILED && noise() & 1)
			munmap(at, 4096);
	}
	ioctl(*fd, command, noise() % 256 ? (void *)&arg : (void *)(uintptr_t)interesting());
}

static void worker(uint64_t seed)
{
	int i;

	state = seed * 0x9e3779b97f4a7c15ULL + 1;
	memory = pages(MIB);
	for (i = 0; i < 3; i++)
		fds[i] = open_cftu();
	alarm(SECONDS_A_ROUND + (unsigned int)(noise() & 1));
	for (;;)
		one_call();
}

/* Kills the round after a while; a worker that does not die of it hangs in the kernel. */
static bool round_ends(unsigned int round)
{
	pid_t children[WORKERS];
	unsigned int i, gone = 0, waited;

	for (i = 0; i < WORKERS; i++) {
		children[i] = fork();
		if (!children[i])
			worker(round * WORKERS + i + 1);
	}
	/* Three minutes, which no busy machine takes. */
	for (waited = 0; gone < WORKERS && waited < 1800; waited++) {
		usleep(100000);
		for (i = 0; i < WORKERS; i++)
			if (children[i] && waitpid(children[i], NULL, WNOHANG) == children[i]) {
				children[i] = 0;
				gone++;
			}
	}
	return gone == WORKERS;
}

static bool still_works(void)
{
	int fd = open_cftu();
	uint32_t buffer = alloc_buffer(fd, 64 * KIB, 0);
	const uint8_t *mapped = map_buffer(fd, buffer, 64 * KIB);
	uint8_t *at = pages(64 * KIB);
	struct cftu_copy c = copy_of(CFTU_FROM_USER, buffer, at, 0, 64 * KIB);
	bool right;

	start_policy(fd, CFTU_POLICY_SHARED);
	fill(at, 64 * KIB, 77);
	right = !CALL(fd, CFTU_COPY, &c) && c.dma_bytes == 64 * KIB && mapped &&
		first_wrong(mapped, 64 * KIB, 77) == 64 * KIB;
	stop_policy(fd);
	munmap((void *)mapped, 64 * KIB);
	close(fd);
	return right;
}

int main(void)
{
	unsigned int round, rounds = ktap_times(ROUNDS), ended = 0;

	ktap_begin();
	for (round = 0; round < rounds; round++)
		ended += round_ends(round);
	ktap_equal(ended, rounds, "every round of random calls ends when its time is up");
	ktap_ok(still_works(), "afterwards a copy by DMA is whole");
	ktap_ok(unload("cftu") == 0, "the module goes");
	ktap_ok(load("cftu", "") == 0, "and comes again");
	return ktap_end();
}
