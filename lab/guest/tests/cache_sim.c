// SPDX-License-Identifier: GPL-2.0
/*
 * A victim that walks three quarters of an L2 on one CPU, and a neighbour that
 * copies on another that shares it: nothing, by the CPU, or by DMA. First they
 * take turns, so that each repetition has the same bytes between two walks; then
 * they go on beside each other, as long as the victim walks. Only marks are made
 * here; what the cache model counted is in its own table, and lines "# region
 * NUMBER NAME" say which row is which. Argument: the L2's bytes.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <linux/futex.h>
#include <sched.h>

#include "client.h"
#include "marks.h"

#define NEIGHBOUR_CPU 0
#define VICTIM_CPU 1
#define ENGINE_CPU 2
#define LINE_BYTES 64
#define REPETITIONS 3
#define MOST_COPIES 1000
#define WALKS_BESIDE 4
#define CHANNEL_THREAD "swdma/0"

enum way { BY_NONE, BY_CPU, BY_DMA };

struct load {
	enum way way;
	uint32_t direction;
	size_t bytes;
	bool walking;
	bool beside;
};

/* Sizes and directions of the daemon of the I/OAT-CFTU study. */
static const struct load loads[] = {
	{ .way = BY_NONE },
	{ BY_CPU, CFTU_BOTH, 16, false, false },
	{ BY_CPU, CFTU_BOTH, 16, true, false },
	{ BY_CPU, CFTU_TO_USER, 1448, false, false },
	{ BY_CPU, CFTU_TO_USER, 1448, true, false },
	{ BY_CPU, CFTU_TO_USER, 4096, false, false },
	{ BY_CPU, CFTU_TO_USER, 4096, true, false },
	{ BY_CPU, CFTU_FROM_USER, 16064, false, false },
	{ BY_CPU, CFTU_FROM_USER, 16064, true, false },
	{ BY_DMA, CFTU_BOTH, 16, false, false },
	{ BY_DMA, CFTU_BOTH, 16, true, false },
	{ BY_DMA, CFTU_TO_USER, 1448, false, false },
	{ BY_DMA, CFTU_TO_USER, 1448, true, false },
	{ BY_DMA, CFTU_TO_USER, 4096, false, false },
	{ BY_DMA, CFTU_TO_USER, 4096, true, false },
	{ BY_DMA, CFTU_FROM_USER, 16064, false, false },
	{ BY_DMA, CFTU_FROM_USER, 16064, true, false },
	{ .way = BY_NONE, .beside = true },
	{ BY_CPU, CFTU_FROM_USER, 16064, true, true },
	{ BY_DMA, CFTU_FROM_USER, 16064, true, true },
};
#define LOADS (sizeof(loads) / sizeof(*loads))
#define VICTIM_REGION(load) (2 * (load))
#define NEIGHBOUR_REGION(load) (2 * (load) + 1)

/* Whose turn it is, in memory of both. */
enum { NEIGHBOURS, VICTIMS };
static uint32_t *turn;
static volatile uint8_t *marks;

static void mark(unsigned int offset)
{
	marks[offset] = 1;
}

static void give_turn(uint32_t to)
{
	__atomic_store_n(turn, to, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool is_turn(uint32_t whose)
{
	return __atomic_load_n(turn, __ATOMIC_SEQ_CST) == whose;
}

static void await_turn(uint32_t mine)
{
	while (!is_turn(mine))
		syscall(SYS_futex, turn, FUTEX_WAIT, !mine, NULL, NULL, 0);
}

static bool bind_to(pid_t task, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(task, sizeof(set), &set) == 0;
}

/* Huge pages where there are any: how lines fall into sets is then even. */
static uint8_t *memory_of(size_t bytes)
{
	uint8_t *at = pages(bytes + 2 * MIB);

	if (!at)
		return NULL;
	at = (uint8_t *)(((uintptr_t)at + 2 * MIB - 1) & ~(2 * MIB - 1));
	madvise(at, bytes, MADV_HUGEPAGE);
	memset(at, 1, bytes);
	return at;
}

/* Each line holds the address of another; one ring through all, in no order. */
static void **chain(uint8_t *at, size_t lines)
{
	uint64_t random = 88172645463325252ULL;
	size_t i;

	for (i = 0; i < lines; i++)
		*(void **)(at + i * LINE_BYTES) = at + i * LINE_BYTES;
	for (i = lines - 1; i > 0; i--) {
		void **a = (void **)(at + i * LINE_BYTES), **b, *other;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		b = (void **)(at + random % i * LINE_BYTES);
		other = *a;
		*a = *b;
		*b = other;
	}
	return (void **)at;
}

/* Where the chain leads after so many steps: its begin, after all. */
static void **walk(void **at, size_t steps)
{
	for (; steps; steps--)
		at = *(void ***)at;
	return at;
}

/* One repetition; whether each walk came back to the begin. */
static bool walk_marked(void **begin, size_t lines, size_t load)
{
	size_t steps = lines * (loads[load].beside ? WALKS_BESIDE : 1);
	bool whole;

	await_turn(VICTIMS);
	whole = walk(begin, 2 * lines) == begin;
	if (!loads[load].beside) {
		give_turn(NEIGHBOURS);
		await_turn(VICTIMS);
	}
	mark(PONTAGE_MARK_BEGIN(VICTIM_REGION(load)));
	whole &= walk(begin, steps) == begin;
	mark(PONTAGE_MARK_END(VICTIM_REGION(load)));
	give_turn(NEIGHBOURS);
	return whole;
}

static void victim(size_t bytes)
{
	size_t lines = bytes / LINE_BYTES, load;
	void **begin = chain(memory_of(bytes), lines);
	bool whole = bind_to(0, VICTIM_CPU);
	int i;

	for (load = 0; load < LOADS; load++)
		for (i = 0; i < REPETITIONS; i++)
			whole &= walk_marked(begin, lines, load);
	_exit(!whole);
}

struct memory {
	int fd;
	uint32_t buffer;	/* in the kernel */
	uint8_t *user;
	size_t bytes;		/* of each */
};

/* One copy by the device's two ways; both directions are two. */
static int one_copy(const struct memory *m, const struct load *load, size_t at, uint64_t *dma_bytes)
{
	uint32_t first = load->direction == CFTU_TO_USER ? CFTU_TO_USER : CFTU_FROM_USER;
	uint32_t last = load->direction == CFTU_FROM_USER ? CFTU_FROM_USER : CFTU_TO_USER;
	uint32_t direction;
	int error = 0;

	for (direction = first; !error && direction <= last; direction++) {
		struct cftu_copy c = copy_of(direction, m->buffer, m->user + at, at, load->bytes);

		c.engine = load->way == BY_DMA ? CFTU_ENGINE_POLICY : CFTU_ENGINE_CPU;
		error = CALL(m->fd, CFTU_COPY, &c);
		*dma_bytes += c.dma_bytes;
	}
	return error;
}

/* As many bytes as the L2 has, but no more copies than that. */
static size_t copies_of(const struct load *load, size_t l2_bytes)
{
	size_t copies = load->bytes ? l2_bytes / load->bytes : 0;

	return copies < MOST_COPIES ? copies : MOST_COPIES;
}

/* That many, or as long as the victim walks; told: how many. False: not as asked. */
static bool copy_all(const struct memory *m, const struct load *load, size_t *copies)
{
	uint64_t dma_bytes = 0, each = load->bytes * (1 + (load->direction == CFTU_BOTH));
	size_t step = load->walking ? load->bytes : 0, i;

	for (i = 0; load->beside ? is_turn(VICTIMS) : i < *copies; i++)
		if (one_copy(m, load, i * step % (m->bytes - load->bytes), &dma_bytes))
			return false;
	*copies = i;
	return dma_bytes == (load->way == BY_DMA ? i * each : 0);
}

static bool neighbour(const struct memory *m, size_t at, size_t *copies)
{
	bool right = true;
	int i;

	for (i = 0; i < REPETITIONS; i++) {
		give_turn(VICTIMS);
		if (!loads[at].beside)
			await_turn(NEIGHBOURS);
		mark(PONTAGE_MARK_BEGIN(NEIGHBOUR_REGION(at)));
		if (loads[at].way != BY_NONE)
			right &= copy_all(m, &loads[at], copies);
		mark(PONTAGE_MARK_END(NEIGHBOUR_REGION(at)));
		if (!loads[at].beside)
			give_turn(VICTIMS);
		await_turn(NEIGHBOURS);
	}
	return right;
}

static void tell(size_t at, size_t copies)
{
	static const char *const ways[] = { "none", "cpu", "dma" };
	const struct load *load = &loads[at];
	const char *beside = load->beside ? "-beside" : "";
	char name[64];

	if (load->way == BY_NONE)
		snprintf(name, sizeof(name), "none%s", beside);
	else
		snprintf(name, sizeof(name), "%s-%zu-%s%s", ways[load->way], load->bytes,
			 load->walking ? "walking" : "in-place", beside);
	ktap_note("region %zu victim/%s", VICTIM_REGION(at), name);
	ktap_note("region %zu copies/%s", NEIGHBOUR_REGION(at), name);
	ktap_note("%s: %zu copies in the last repetition", name, copies);
}

/* The engine's thread by its name; 0: none. */
static pid_t thread_named(const char *name)
{
	DIR *all = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (all && !found && (entry = readdir(all))) {
		char path[300], comm[32] = "";
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		if (read(fd, comm, sizeof(comm) - 1) > 0)
			comm[strcspn(comm, "\n")] = 0;
		close(fd);
		if (!strcmp(comm, name))
			found = atoi(entry->d_name);
	}
	if (all)
		closedir(all);
	return found;
}

static bool set_up(struct memory *m, size_t l2_bytes)
{
	struct cftu_policy p = policy_of(CFTU_POLICY_SHARED);
	pid_t thread;

	m->bytes = 2 * l2_bytes;
	m->fd = open_cftu();
	m->user = memory_of(m->bytes);
	m->buffer = m->fd < 0 ? 0 : alloc_buffer(m->fd, m->bytes, 0);
	p.channels = 1;
	ktap_ok(m->fd >= 0 && m->user && m->buffer, "the device, and memory of both sides");
	ktap_ok(m->fd >= 0 && !CALL(m->fd, CFTU_POLICY_START, &p), "a policy of one channel");
	thread = thread_named(CHANNEL_THREAD);
	ktap_ok(thread && bind_to(thread, ENGINE_CPU), "the channel's thread is on the engine's CPU");
	return !ktap_failures;
}

static bool map_shared(void)
{
	marks = mmap((void *)PONTAGE_MARK_PAGE, PONTAGE_MARK_PAGE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE, -1, 0);
	turn = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return marks != MAP_FAILED && turn != MAP_FAILED;
}

int main(int argc, char **argv)
{
	size_t l2_bytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, at;
	struct memory m;
	bool right = true;
	int status = -1;
	pid_t child;

	ktap_begin();
	if (!ktap_ok(l2_bytes && map_shared() && bind_to(0, NEIGHBOUR_CPU), "marks and turns") ||
	    !set_up(&m, l2_bytes))
		return ktap_end();
	mark(PONTAGE_MARK_ON);
	child = fork();
	if (!child)
		victim(l2_bytes / 4 * 3);
	for (at = 0; at < LOADS; at++) {
		size_t copies = copies_of(&loads[at], l2_bytes);

		right &= neighbour(&m, at, &copies);
		tell(at, copies);
	}
	ktap_ok(right, "each byte went the way it was to go");
	waitpid(child, &status, 0);
	ktap_ok(status == 0, "the victim's chain is one ring, each time");
	return ktap_end();
}
