// SPDX-License-Identifier: GPL-2.0
/* Buckets of the recorder's histogram and positions of its rings. */
#include <stdlib.h>

#include "../../tests/ktap.h"
#include "../log_linear.h"
#include "../ring_position.h"

/* The contract of cftu_trace.h, written the slow way. */
static u32 slow_bucket(u64 value)
{
	u32 log2 = 0;

	if (value < 16)
		return (u32)value;
	for (u64 rest = value; rest > 1; rest /= 2)
		log2++;
	return 8 * (log2 - 3) + (u32)((value >> (log2 - 3)) % 8) + 8;
}

static void test_buckets(void)
{
	u64 state = 1;
	bool same = true, ordered = true, bounds = true, dense = true;

	for (u64 value = 0; value < 100000; value++)
		same &= cftu_log_linear_bucket(value) == slow_bucket(value);
	for (int i = 0; i < 100000; i++) {
		u64 value;

		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		value = state >> (i % 64);
		same &= cftu_log_linear_bucket(value) == slow_bucket(value);
		if (value != UINT64_MAX)
			ordered &= cftu_log_linear_bucket(value) <= cftu_log_linear_bucket(value + 1);
	}
	ktap_ok(same, "buckets follow the published formula");
	ktap_ok(ordered, "a larger value is never in a smaller bucket");
	for (u32 bucket = 0; bucket < CFTU_LOG_LINEAR_BUCKETS; bucket++) {
		u64 lower = cftu_log_linear_lower(bucket);

		bounds &= cftu_log_linear_bucket(lower) == bucket;
		if (bucket > 0)
			dense &= cftu_log_linear_bucket(lower - 1) == bucket - 1;
	}
	ktap_ok(bounds, "a bucket's lower bound lies in it");
	ktap_ok(dense, "the value below a bucket's lower bound lies in the bucket before");
	ktap_equal(cftu_log_linear_bucket(0), 0, "bucket of 0");
	ktap_equal(cftu_log_linear_bucket(15), 15, "bucket of 15");
	ktap_equal(cftu_log_linear_bucket(16), 16, "bucket of 16");
	ktap_equal(cftu_log_linear_bucket(4096), 80, "bucket of 4096");
	ktap_equal(cftu_log_linear_bucket(UINT64_MAX), CFTU_LOG_LINEAR_BUCKETS - 1,
		   "bucket of the largest number");
}

/* Positions from just below the wrap of u64 to just above it. */
static void test_positions(void)
{
	const u32 capacity = 8;
	u64 tail = UINT64_MAX - 3, head = tail;
	bool room = true, indices = true;

	for (u32 i = 0; i < capacity; i++, head++) {
		room &= !cftu_ring_full(head, tail, capacity);
		indices &= cftu_ring_index(head, capacity) == ((u32)tail + i) % capacity;
	}
	ktap_ok(room, "a ring takes as many records as its capacity");
	ktap_ok(indices, "records follow each other across the wrap");
	ktap_ok(cftu_ring_full(head, tail, capacity), "then it is full");
	ktap_ok(!cftu_ring_full(head, tail + 1, capacity), "one read record makes room for one");
	ktap_ok(cftu_ring_may_move(tail, tail, head), "a reader may stay");
	ktap_ok(cftu_ring_may_move(tail, head, head), "a reader may take everything");
	ktap_ok(!cftu_ring_may_move(tail, head + 1, head), "a reader may not pass the head");
	ktap_ok(!cftu_ring_may_move(tail, tail - 1, head), "a reader may not go back");
}

int main(void)
{
	ktap_begin();
	test_buckets();
	test_positions();
	return ktap_end();
}
