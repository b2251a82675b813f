// SPDX-License-Identifier: GPL-2.0
/* The windows of the priority policy under a clock that is made up. */
#include "../../tests/ktap.h"
#include "../window.h"

#define QUANTUM 30000ULL
#define WINDOW 90000ULL
#define ORIGIN 1000000007ULL

static struct cftu_window_clock clock_at_start(void)
{
	struct cftu_window_clock clock;

	cftu_window_start(&clock, ORIGIN, QUANTUM, WINDOW);
	return clock;
}

static void punctual(void)
{
	struct cftu_window_clock c = clock_at_start();
	u64 next = c.next_ns;
	unsigned int i;

	ktap_ok(c.high && next == ORIGIN + QUANTUM, "it begins with a high window");
	for (i = 0; i < 2000; i++)
		next = cftu_window_tick(&c, next);
	ktap_ok(c.achieved.high_count == 1000 && c.achieved.low_count == 1000 &&
		c.achieved.high_ns == 1000 * QUANTUM &&
		c.achieved.low_ns == 1000 * (WINDOW - QUANTUM) && !c.achieved.missed,
		"on time: a thousand windows of the nominal lengths");
	ktap_ok(c.achieved.high_log2[14] == 1000 && c.achieved.low_log2[15] == 1000,
		"in their buckets");
	ktap_ok(next == ORIGIN + 1000 * WINDOW + QUANTUM && c.high, "without drift");
}

static void late(void)
{
	struct cftu_window_clock c = clock_at_start();
	u64 next = c.next_ns, expected;
	unsigned int i, off_phase = 0;

	for (i = 0; i < 2000; i++) {
		next = cftu_window_tick(&c, next + i % 7 * 1000);
		expected = (next - ORIGIN) % WINDOW;
		off_phase += expected != 0 && expected != QUANTUM;
	}
	ktap_ok(!off_phase && !c.achieved.missed && c.achieved.high_count == 1000,
		"a few microseconds late each time: the phase is kept");
}

static void missed(void)
{
	struct cftu_window_clock c = clock_at_start();
	u64 next;

	/* Comes one and a third windows late: low is passed, high is passed, low it is. */
	next = cftu_window_tick(&c, ORIGIN + WINDOW + QUANTUM + 5);
	ktap_ok(!c.high && c.achieved.missed == 2 && c.achieved.high_count == 1 &&
		c.achieved.high_ns == WINDOW + QUANTUM + 5 && next == ORIGIN + 2 * WINDOW,
		"boundaries that passed unseen are counted, the real length is recorded");
	c = clock_at_start();
	next = cftu_window_tick(&c, ORIGIN + WINDOW + 7);
	ktap_ok(c.high && c.achieved.missed == 1 && !c.achieved.high_count &&
		next == ORIGIN + WINDOW + QUANTUM,
		"a low window slept through is no window: the high one goes on");
	next = cftu_window_tick(&c, ORIGIN + WINDOW + 8);
	ktap_ok(next == ORIGIN + WINDOW + QUANTUM && c.achieved.missed == 1,
		"called early it changes nothing");
	next = cftu_window_tick(&c, ORIGIN + 1000000 * WINDOW);
	ktap_ok(c.high && next == ORIGIN + 1000000 * WINDOW + QUANTUM, "after a long sleep too");
}

static void stopped(void)
{
	struct cftu_window_clock c = clock_at_start();

	cftu_window_stop(&c, ORIGIN + 11000);
	ktap_ok(c.achieved.high_count == 1 && c.achieved.high_ns == 11000,
		"the window under way at the end is accounted");
	cftu_window_stop(&c, ORIGIN + 99000);
	ktap_ok(c.achieved.high_count == 1, "once");
}

static void bleeding(void)
{
	struct cftu_window_clock c = clock_at_start();

	cftu_window_low_done(&c, ORIGIN + 4000);
	ktap_ok(c.achieved.bleeds == 1 && c.achieved.bleed_max_ns == 4000,
		"low work that ends in a high window is told, and how far in");
	cftu_window_tick(&c, ORIGIN + QUANTUM);
	cftu_window_low_done(&c, ORIGIN + QUANTUM + 1);
	ktap_ok(c.achieved.bleeds == 1, "in its own window it is not");
	cftu_window_waited(&c.achieved, 500);
	cftu_window_waited(&c.achieved, 300);
	ktap_ok(c.achieved.gate_waits == 2 && c.achieved.gate_wait_ns == 800 &&
		c.achieved.gate_wait_max_ns == 500, "waits are summed, the longest kept");
}

static void limits(void)
{
	ktap_ok(cftu_window_valid(QUANTUM, WINDOW) && !cftu_window_valid(0, WINDOW) &&
		!cftu_window_valid(WINDOW, WINDOW) && !cftu_window_valid(WINDOW - 1, WINDOW) &&
		!cftu_window_valid(QUANTUM, ~0ULL), "windows that no timer can follow are refused");
	ktap_ok(cftu_log2_bucket(0) == 0 && cftu_log2_bucket(1) == 0 && cftu_log2_bucket(2) == 1 &&
		cftu_log2_bucket(1ULL << 31) == 31 && cftu_log2_bucket(~0ULL) == 31,
		"the last bucket takes what is longer");
}

int main(void)
{
	ktap_begin();
	punctual();
	late();
	missed();
	stopped();
	bleeding();
	limits();
	return ktap_end();
}
