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
	p.timeout_ns = timeout_ns;
	p.threshold_bytes = ~0ULL;
	p.channels = channels;
	if (fd < 0 || CALL(fd, CFTU_POLICY_START, &p))
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

static void hang(void)
{
	struct cftu_stats before, after;

	if (!ktap_ok(set_up("channels=2", CFTU_POLICY_SHARED, 300000000, 0), "a limit of 300 ms"))
		return;
	set_rule(0, "hang_at", 3);
	before = stats_now();
	ktap_ok(round_trip(50, CFTU_WAIT_IRQ) && round_trip(51, CFTU_WAIT_IRQ),
		"a descriptor that never ends is terminated and the copy is whole");
	after = stats_now();
	ktap_ok(after.cpu_chunks[CFTU_REASON_TIMED_OUT] > before.cpu_chunks[CFTU_REASON_TIMED_OUT],
		"it is counted as timed out");
	set_rule(-1, "reset", 1);
	before = stats_now();
	ktap_ok(round_trip(52, CFTU_WAIT_IRQ), "the channel copies again");
	after = stats_now();
	ktap_ok(after.dma_chunks > before.dma_chunks &&
		after.cpu_chunks[CFTU_REASON_TIMED_OUT] ==
			before.cpu_chunks[CFTU_REASON_TIMED_OUT], "by DMA");
}

static unsigned int dead_channels(void)
{
	struct cftu_policy_state state = { 0 };

	CALL(fd, CFTU_POLICY_SHOW, &state);
	return state.channels_dead;
}

static void lost(void)
{
	struct cftu_stats before, after;
	unsigned int i, whole = 0;

	if (!ktap_ok(set_up("channels=2", CFTU_POLICY_SHARED, 100000000, 0), "two channels"))
		return;
	set_rule(0, "lost", 1);
	before = stats_now();
	for (i = 0; i < 4; i++)
		whole += round_trip(60 + i, CFTU_WAIT_IRQ);
	after = stats_now();
	ktap_equal(whole, 4, "one channel is removed while in use: every byte arrives");
	ktap_ok(after.dma_chunks > before.dma_chunks, "the other one goes on");
	ktap_ok(dead_channels() == 1, "the policy knows that one is gone (%u)", dead_channels());
	set_rule(1, "lost", 1);
	for (i = 0; i < 4; i++)
		whole += round_trip(70 + i, CFTU_WAIT_IRQ);
	after = stats_now();
	ktap_equal(whole, 8, "both are gone: every byte arrives");
	ktap_ok(after.cpu_chunks[CFTU_REASON_NO_CHANNEL] > 0, "for lack of a channel, it says");
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
