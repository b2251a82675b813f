// SPDX-License-Identifier: GPL-2.0
/*
 * The priority policy in what can be counted: low copies wait for the gate,
 * high ones never do, windows are achieved and recorded, paused channels are
 * resumed, stopping lets everybody through.
 */
#include <pthread.h>

#include "client.h"

#define LENGTH (64 * KIB)

static volatile int stop;

struct worker {
	uint32_t class_;
	volatile bool begun;
	volatile unsigned long copies;
	volatile uint64_t gate_ns;
	uint64_t channels;	/* mask of those seen */
	unsigned long wrong;
};

static void *copy_on(void *context)
{
	struct worker *w = context;
	int fd = open_cftu();
	uint32_t buffer = alloc_buffer(fd, LENGTH, 0);
	uint8_t *at = pages(LENGTH);

	fill(at, LENGTH, 5);
	w->begun = true;
	while (!stop) {
		struct cftu_copy c = copy_of(CFTU_FROM_USER, buffer, at, 0, LENGTH);

		c.class_ = w->class_;
		w->wrong += CALL(fd, CFTU_COPY, &c) || c.not_copied_bytes;
		w->copies++;
		w->gate_ns += c.phases.gate_ns;
		if (c.channel >= 0)
			w->channels |= 1ULL << c.channel;
	}
	close(fd);
	return NULL;
}

static struct cftu_policy_state show(int fd)
{
	struct cftu_policy_state state = { 0 };

	CALL(fd, CFTU_POLICY_SHOW, &state);
	return state;
}

struct crew {
	int fd;
	struct worker *workers;
	unsigned int count;
};

/* Each has copied, the second, which is low, has waited, and windows of both kinds passed. */
static bool all_were_seen(void *context)
{
	struct crew *crew = context;
	struct cftu_policy_state state;
	unsigned int i;

	for (i = 0; i < crew->count; i++)
		if (!crew->workers[i].copies)
			return false;
	state = show(crew->fd);
	return crew->workers[1].gate_ns && state.windows.high_count && state.windows.low_count &&
	       state.windows.gate_waits;
}

static void run_workers(int fd, struct worker *workers, unsigned int count, unsigned int ms)
{
	struct crew crew = { .fd = fd, .workers = workers, .count = count };
	pthread_t threads[8];
	unsigned int i;

	stop = 0;
	for (i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, copy_on, &workers[i]);
	usleep(ms * 1000);
	/* On a busy machine until there is something to judge. */
	comes_true(all_were_seen, &crew);
	stop = 1;
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void windows(int fd, uint64_t quantum_ns, uint64_t window_ns, uint32_t flags,
		    const char *name)
{
	struct worker workers[3] = { { .class_ = CFTU_CLASS_HIGH } };
	struct cftu_policy p = policy_of(CFTU_POLICY_PRIORITY);
	struct cftu_policy_state state;
	struct cftu_windows *w = &state.windows;
	uint64_t shares;
	int error;

	p.quantum_ns = quantum_ns;
	p.window_ns = window_ns;
	p.flags |= flags;
	p.chunk_bytes = 8192;
	error = start_as_told(fd, &p);
	if (!ktap_ok(!error, "%s: starts (%d, reason %u)", name, error, p.reason))
		return;
	run_workers(fd, workers, 3, 1500);
	state = show(fd);
	stop_policy(fd);
	ktap_ok(!workers[0].wrong && !workers[1].wrong && !workers[2].wrong && workers[0].copies &&
		workers[1].copies, "%s: high %lu, low %lu and %lu copies, all whole", name,
		workers[0].copies, workers[1].copies, workers[2].copies);
	ktap_ok(workers[0].gate_ns == 0 && workers[0].channels == 1,
		"%s: high copies wait for no gate and have channel 0", name);
	ktap_ok(workers[1].gate_ns && !(workers[1].channels & 1),
		"%s: low copies waited for the gate and had the other channels", name);
	ktap_ok(w->high_count && w->low_count && w->gate_waits &&
		(w->high_count > w->low_count ? w->high_count - w->low_count :
						w->low_count - w->high_count) <= 1,
		"%s: %llu high and %llu low windows, %llu boundaries missed", name,
		(unsigned long long)w->high_count, (unsigned long long)w->low_count,
		(unsigned long long)w->missed);
	shares = w->high_ns * 100 / (w->high_ns + w->low_ns + 1);
	ktap_note("%s: high share %llu %% (nominal %llu), high max %llu us, gate max %llu us", name,
		  (unsigned long long)shares, (unsigned long long)(quantum_ns * 100 / window_ns),
		  (unsigned long long)w->high_max_ns / 1000,
		  (unsigned long long)w->gate_wait_max_ns / 1000);
}

#define HIGH_WINDOW_NS 9000000000ULL

struct stop_seen {
	bool started;
	bool waited;	/* before the gate, until the policy ended */
	bool let_through;
	bool whole;
	bool in_time;	/* before the window's own end */
};

static bool has_begun(void *context)
{
	return ((struct worker *)context)->begun;
}

static struct stop_seen stop_once(int fd)
{
	struct worker low = { .class_ = CFTU_CLASS_LOW };
	struct cftu_policy p = policy_of(CFTU_POLICY_PRIORITY);
	struct stop_seen seen = { 0 };
	pthread_t thread;
	uint64_t begin_ns;

	p.quantum_ns = HIGH_WINDOW_NS;
	p.window_ns = HIGH_WINDOW_NS + 1000000000ULL;
	begin_ns = now_ns();
	seen.started = start_as_told(fd, &p) == 0;
	if (!seen.started)
		return seen;
	stop = 0;
	pthread_create(&thread, NULL, copy_on, &low);
	comes_true(has_begun, &low);
	usleep(300000);
	seen.waited = low.copies == 0;
	stop_policy(fd);
	stop = 1;
	pthread_join(thread, NULL);
	/* Its own time there says that it had come to the gate: an open one takes none. */
	seen.waited &= low.gate_ns >= 100000000;
	seen.let_through = low.copies;
	seen.whole = !low.wrong;
	seen.in_time = now_ns() - begin_ns < HIGH_WINDOW_NS;
	return seen;
}

/*
 * A low copy that sleeps before the gate goes on when the policy ends, and not when
 * the window does: only time tells the two apart. Where the machine stands still for
 * seconds it tells nothing, and all is done anew; a gate that stays shut, or never
 * was, shows each time.
 */
static void stop_lets_through(int fd)
{
	struct stop_seen seen = { 0 };
	unsigned int tries;

	for (tries = 1; tries <= 8; tries++) {
		seen = stop_once(fd);
		if (!seen.started || !seen.let_through || !seen.whole ||
		    (seen.waited && seen.in_time))
			break;
	}
	if (!ktap_ok(seen.started, "a high window of nine seconds"))
		return;
	if (tries > 1)
		ktap_note("the machine stood still %u times", tries - 1);
	ktap_ok(seen.waited, "a low copy waits in it");
	ktap_ok(seen.let_through && seen.whole && seen.in_time,
		"the end of the policy lets it through before its window ends, whole");
}

int main(void)
{
	bool software = fresh_engine("channels=4 ns_per_kib=2000");
	int fd;

	ktap_begin();
	fd = open_cftu();
	if (!ktap_ok(fd >= 0, "/dev/cftu opens"))
		return ktap_end();
	windows(fd, 30000, 90000, 0, "30 of 90 us");
	windows(fd, 30000000, 90000000, 0, "30 of 90 ms");
	stop_lets_through(fd);
	if (software)
		windows(fd, 20000000, 60000000, CFTU_POLICY_HARDWARE_PAUSE, "with hardware pause");
	else
		ktap_skip("this engine has no pause: swdma.ko is not here", "hardware pause");
	return ktap_end();
}
