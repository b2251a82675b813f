// SPDX-License-Identifier: GPL-2.0
/*
 * Engines that fail: every copy still arrives whole, by the CPU, and the
 * statistics say why. Needs the software engine, whose faults are chosen.
 */
#include <pthread.h>

#include "client.h"

#define LENGTH (512 * KIB)

static int fd;
static uint32_t buffer;
static const uint8_t *mapped;
static uint8_t *user;

static struct cftu_stats stats_now(void)
{
	struct cftu_stats s = { 0 };

	CALL(fd, CFTU_STATS, &s);
	return s;
}

/* What a channel of the engine has completed since its reset. */
static unsigned long descriptors_of(int channel)
{
	unsigned long count = 0;
	char path[64], line[64];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/debug/swdma/chan%d/counters", channel);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "descriptors %lu", &count);
	if (file)
		fclose(file);
	return count;
}

/* Closes all, so that the engine can be loaded anew, and opens again. */
static bool set_up(const char *engine, uint32_t policy, uint64_t timeout_ns, uint32_t channels)
{
	struct cftu_policy p = policy_of(policy);

	if (fd > 0) {
		stop_policy(fd);
		munmap((void *)mapped, LENGTH);
		close(fd);
	}
	if (!fresh_engine(engine))
		return false;
	fd = open_cftu();
	if (timeout_ns)
		p.timeout_ns = timeout_ns;
	p.threshold_bytes = ~0ULL;
	p.channels = channels;
	if (fd < 0 || start_as_told(fd, &p))
		return false;
	buffer = alloc_buffer(fd, LENGTH, 0);
	mapped = map_buffer(fd, buffer, LENGTH);
	return mapped != NULL;
}

/* One round trip by DMA; whether every byte arrived both ways. */
static bool round_trip(unsigned int seed, uint32_t wait)
{
	struct cftu_copy c = copy_of(CFTU_FROM_USER, buffer, user, 0, LENGTH);

	fill(user, LENGTH, seed);
	c.wait = wait;
	if (CALL(fd, CFTU_COPY, &c) || c.not_copied_bytes ||
	    c.dma_bytes + c.cpu_bytes != LENGTH || first_wrong(mapped, LENGTH, seed) != LENGTH)
		return false;
	memset(user, 0, LENGTH);
	c = copy_of(CFTU_TO_USER, buffer, user, 0, LENGTH);
	c.wait = wait;
	if (CALL(fd, CFTU_COPY, &c) || c.not_copied_bytes)
		return false;
	return first_wrong(user, LENGTH, seed) == LENGTH;
}

static void injected(const char *engine, uint32_t wait, uint32_t reason, const char *name)
{
	struct cftu_stats before, after;
	unsigned int i, whole = 0;

	if (!ktap_ok(set_up(engine, CFTU_POLICY_SHARED, 0, 0), "%s: set up", name))
		return;
	/* A chunk is one descriptor or sixteen: some fail, some do not. */
	set_rule(-1, "fail_every", 37);
	before = stats_now();
	for (i = 0; i < 12; i++)
		whole += round_trip(i, wait);
	after = stats_now();
	ktap_equal(whole, 12, name);
	ktap_ok(after.cpu_chunks[reason] > before.cpu_chunks[reason] &&
		after.dma_chunks > before.dma_chunks,
		"%s: %llu chunks redone, counted under reason %u, others by DMA", name,
		(unsigned long long)(after.cpu_chunks[reason] - before.cpu_chunks[reason]), reason);
}

static void refused_prep(void)
{
	struct cftu_stats before, after;
	unsigned int i, whole = 0;

	if (!ktap_ok(set_up("channels=2 ring=2", CFTU_POLICY_SHARED, 0, 0), "a ring of two"))
		return;
	set_rule(-1, "prep_fail_every", 3);
	before = stats_now();
	for (i = 0; i < 6; i++)
		whole += round_trip(40 + i, CFTU_WAIT_IRQ);
	after = stats_now();
	ktap_equal(whole, 6, "a full ring and refused preps: back-pressure, every byte arrives");
	ktap_ok(after.cpu_chunks[CFTU_REASON_NO_DESCRIPTOR] ==
		before.cpu_chunks[CFTU_REASON_NO_DESCRIPTOR], "and nothing fell back for it");
}

static uint64_t chunks_since(const struct cftu_stats *before, uint32_t reason)
{
	return stats_now().cpu_chunks[reason] - before->cpu_chunks[reason];
}

/*
 * Limits of a policy, tried in turn. Whoever does not answer is waited for as long,
 * so the first is short; where the machine stands still, a good channel runs into it
 * too and counts as one that does not answer. All is then done anew with the next.
 */
static const uint64_t limits_ns[] = { 300000000, 5000000000, 90000000000 };
#define LIMITS (sizeof(limits_ns) / sizeof(*limits_ns))

struct hang_seen {
	bool set_up;
	bool whole;
	uint64_t timed_out;
};

static struct hang_seen hang_within(uint64_t limit_ns)
{
	struct hang_seen seen = { .set_up = set_up("channels=2", CFTU_POLICY_SHARED, limit_ns, 0) };
	struct cftu_stats before;

	if (!seen.set_up)
		return seen;
	set_rule(0, "hang_at", 3);
	before = stats_now();
	seen.whole = round_trip(50, CFTU_WAIT_IRQ) & round_trip(51, CFTU_WAIT_IRQ);
	seen.timed_out = chunks_since(&before, CFTU_REASON_TIMED_OUT);
	return seen;
}

/* One copy at a time: the descriptor that hangs is in one chunk. */
static void hang(void)
{
	struct cftu_policy patient = policy_of(CFTU_POLICY_SHARED);
	struct cftu_stats before, after;
	struct hang_seen seen = { 0 };
	unsigned int i;

	for (i = 0; i < LIMITS; i++) {
		seen = hang_within(limits_ns[i]);
		if (!seen.set_up || !seen.whole || seen.timed_out <= 1)
			break;
		ktap_note("%llu chunks took longer than %llu ms", (unsigned long long)seen.timed_out,
			  (unsigned long long)limits_ns[i] / 1000000);
	}
	if (!ktap_ok(seen.set_up, "a channel that hangs, and a limit"))
		return;
	ktap_ok(seen.whole, "a descriptor that never ends is terminated and the copy is whole");
	ktap_equal(seen.timed_out, 1, "it is counted as timed out, and no other is");
	set_rule(-1, "reset", 1);
	/* The same channels, which a policy hands to the next, without the short limit. */
	ktap_ok(!start_as_told(fd, &patient), "a patient policy takes its place");
	before = stats_now();
	ktap_ok(round_trip(52, CFTU_WAIT_IRQ), "the channel copies again");
	after = stats_now();
	ktap_ok(after.dma_chunks > before.dma_chunks && descriptors_of(0) &&
		after.cpu_chunks[CFTU_REASON_TIMED_OUT] ==
			before.cpu_chunks[CFTU_REASON_TIMED_OUT], "by DMA");
}

static unsigned int dead_channels(void)
{
	struct cftu_policy_state state = { 0 };

	CALL(fd, CFTU_POLICY_SHOW, &state);
	return state.channels_dead;
}

struct lost_seen {
	bool set_up;
	unsigned int whole_with_one;
	unsigned int whole_with_none;
	uint64_t by_dma;
	unsigned int dead;
	uint64_t without_channel;
	/* By a channel that is there: it never is, but where the machine stands still. */
	uint64_t timed_out;
};

/* A channel that is gone gives no descriptor, which is told apart from a time-out. */
static struct lost_seen lost_within(uint64_t limit_ns)
{
	struct lost_seen seen = { .set_up = set_up("channels=2", CFTU_POLICY_SHARED, limit_ns, 0) };
	struct cftu_stats before;
	unsigned int i;

	if (!seen.set_up)
		return seen;
	set_rule(0, "lost", 1);
	before = stats_now();
	for (i = 0; i < 4; i++)
		seen.whole_with_one += round_trip(60 + i, CFTU_WAIT_IRQ);
	seen.by_dma = stats_now().dma_chunks - before.dma_chunks;
	seen.timed_out = chunks_since(&before, CFTU_REASON_TIMED_OUT);
	seen.dead = dead_channels();
	set_rule(1, "lost", 1);
	for (i = 0; i < 4; i++)
		seen.whole_with_none += round_trip(70 + i, CFTU_WAIT_IRQ);
	seen.without_channel = chunks_since(&before, CFTU_REASON_NO_CHANNEL);
	return seen;
}

static void lost(void)
{
	struct lost_seen seen = { 0 };
	unsigned int i;

	for (i = 0; i < LIMITS; i++) {
		seen = lost_within(limits_ns[i]);
		if (!seen.timed_out)
			break;
		ktap_note("%llu chunks took longer than %llu ms", (unsigned long long)seen.timed_out,
			  (unsigned long long)limits_ns[i] / 1000000);
	}
	if (!ktap_ok(seen.set_up, "two channels"))
		return;
	ktap_equal(seen.whole_with_one, 4,
		   "one channel is removed while in use: every byte arrives");
	ktap_ok(seen.by_dma, "the other one goes on");
	ktap_ok(seen.dead == 1, "the policy knows that one is gone (%u)", seen.dead);
	ktap_equal(seen.whole_with_none, 4, "both are gone: every byte arrives");
	ktap_ok(seen.without_channel, "for lack of a channel, it says");
}

static void no_order(void)
{
	unsigned int i, whole = 0;

	if (!ktap_ok(set_up("channels=2 no_order=1 callback_needs_interrupt=1", CFTU_POLICY_SHARED, 0,
			    0), "an engine without order"))
		return;
	for (i = 0; i < 6; i++)
		whole += round_trip(80 + i, i & 1 ? CFTU_WAIT_POLL : CFTU_WAIT_IRQ);
	ktap_equal(whole, 6, "completion out of order, polling asked for: every byte arrives");
}

static void aligned(void)
{
	unsigned int i, whole = 0;
	struct cftu_copy c;

	if (!ktap_ok(set_up("channels=2 copy_align=6 max_segment=4096", CFTU_POLICY_SHARED, 0, 0),
		     "an engine for whole lines in segments of 4 KiB"))
		return;
	for (i = 0; i < 4; i++)
		whole += round_trip(90 + i, CFTU_WAIT_HYBRID);
	ktap_equal(whole, 4, "aligned copies arrive");
	fill(user, LENGTH, 99);
	c = copy_of(CFTU_FROM_USER, buffer, user + 3, 3, 100000);
	ktap_ok(!CALL(fd, CFTU_COPY, &c) && !c.not_copied_bytes && c.dma_bytes && c.cpu_bytes &&
		!(c.dma_bytes % 64) && !memcmp(mapped + 3, user + 3, 100000),
		"unaligned ends go by CPU, the body by DMA");
	c = copy_of(CFTU_FROM_USER, buffer, user + 3, 4, 100000);
	ktap_ok(!CALL(fd, CFTU_COPY, &c) && !c.not_copied_bytes && !c.dma_bytes &&
		c.reason == CFTU_REASON_MISALIGNED && !memcmp(mapped + 4, user + 3, 100000),
		"sides that differ in alignment go by CPU and it says so");
}

static void below_threshold(void)
{
	struct cftu_copy c;

	if (!set_up("channels=2", CFTU_POLICY_SHARED, 0, 0))
		return;
	c = copy_of(CFTU_FROM_USER, buffer, user, 0, 4095);
	ktap_ok(!CALL(fd, CFTU_COPY, &c) && c.reason == CFTU_REASON_BELOW_THRESHOLD &&
		c.cpu_bytes == 4095, "below the threshold the CPU copies");
	stop_policy(fd);
	c = copy_of(CFTU_FROM_USER, buffer, user, 0, 8192);
	ktap_ok(!CALL(fd, CFTU_COPY, &c) && c.reason == CFTU_REASON_NO_POLICY &&
		c.cpu_bytes == 8192, "without a policy too");
}

static void bad_channel(void)
{
	struct cftu_policy p = policy_of(CFTU_POLICY_SHARED);
	int error;

	stop_policy(fd);
	if (!ktap_ok(fresh_engine("channels=1 fail_every=1"), "an engine that always fails"))
		return;
	error = CALL(fd, CFTU_POLICY_START, &p);
	ktap_ok(error == -ENODEV && p.reason == CFTU_REASON_SELF_TEST,
		"its channel does not pass the trial copy (%d, reason %u)", error, p.reason);
	unload("swdma");
	p = policy_of(CFTU_POLICY_SHARED);
	error = CALL(fd, CFTU_POLICY_START, &p);
	ktap_ok(error == -ENODEV && p.reason == CFTU_REASON_NO_ENGINE,
		"no engine at all is told apart (%d, reason %u)", error, p.reason);
}

int main(void)
{
	ktap_begin();
	if (!have_module("swdma")) {
		ktap_skip("swdma.ko is not here", "injected errors");
		return ktap_end();
	}
	user = pages(LENGTH + 64);
	injected("channels=4 fail_result=1", CFTU_WAIT_IRQ, CFTU_REASON_READ_FAILED, "read failed");
	injected("channels=4 fail_result=2 fail_half=1", CFTU_WAIT_HYBRID,
		 CFTU_REASON_WRITE_FAILED, "write failed in the middle");
	injected("channels=4 fail_result=3", CFTU_WAIT_IRQ, CFTU_REASON_ABORTED, "aborted");
	injected("channels=4 fail_result=3", CFTU_WAIT_POLL, CFTU_REASON_ABORTED, "seen by polling");
	refused_prep();
	no_order();
	aligned();
	hang();
	lost();
	below_threshold();
	bad_channel();
	return ktap_end();
}
