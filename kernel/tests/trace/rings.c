// SPDX-License-Identifier: GPL-2.0
/* The wine rule, the histogram's sums, the filters. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ktap.h"
#include "capture.h"

/* Nothing but uname(), which nobody else calls here. */
static void only_uname(struct capture *capture)
{
	capture->start.operations = 1U << CFTU_TRACE_COPY_TO_USER;
	capture->start.length_min_bytes = UNAME_BYTES;
	capture->start.length_max_bytes = UNAME_BYTES;
}

static void expect_sequence(const struct records *records, uint64_t from, size_t count,
			    const char *what)
{
	bool same = records->count == count;

	for (size_t i = 0; same && i < count; i++)
		same = records->record[i].sequence == from + i;
	ktap_ok(same, "%s", what);
}

void test_rings(void)
{
	struct cftu_trace_consume consume;
	struct capture capture;
	struct records old, more;

	pin_to(0);
	capture_open(&capture);
	only_uname(&capture);
	capture.start.records_per_cpu = 50;
	ktap_equal(capture_start(&capture), 0, "start with a small ring");
	ktap_equal(capture.start.records_per_cpu, 64, "its capacity is rounded to a power of two");
	copies_uname(1000);
	ktap_equal(capture_consume(&capture, 0, 65, &consume), 22, "reading past the head is EINVAL");
	capture_consume(&capture, 0, ~0ULL, &consume);
	ktap_equal(consume.head, 64, "a full ring keeps its capacity");
	ktap_equal(consume.dropped, 1000 - 64, "and counts what it dropped");
	ktap_equal(consume.sequence[CFTU_TRACE_COPY_TO_USER], 1000,
		   "kept and dropped are what was issued");
	old = capture_take(&capture);
	expect_sequence(&old, 0, 64, "the oldest records are the ones kept");
	copies_uname(5);
	more = capture_take(&capture);
	expect_sequence(&more, 1000, 5, "the gap in the numbers is the loss");
	ktap_equal(capture_consume(&capture, 0, 3, &consume), 22, "going back is EINVAL");
	capture_stop(&capture);
	copies_uname(5);
	ktap_equal(capture.state.copies[CFTU_TRACE_COPY_TO_USER], 1005, "copies that passed the filter");
	ktap_equal(capture.state.dropped_records, 936, "dropped in all");
	capture_consume(&capture, 0, ~0ULL, &consume);
	ktap_equal(consume.sequence[CFTU_TRACE_COPY_TO_USER], 1005, "nothing is counted after the stop");
	records_free(&old);
	records_free(&more);
	capture_close(&capture);
}

struct sums {
	uint64_t count, bytes, ns, max_ns;
};

static void add_histogram(struct capture *capture, int cpu,
			  struct sums sums[CFTU_TRACE_OPERATIONS], uint32_t *slots)
{
	struct cftu_trace_slot *slot = calloc(65536, sizeof(*slot));
	struct cftu_trace_histogram histogram = {
		.size = sizeof(histogram), .cpu = cpu,
		.slots_addr = (uintptr_t)slot, .capacity = 65536,
	};

	if (ioctl(capture->fd, CFTU_TRACE_HISTOGRAM_READ, &histogram) == 0) {
		*slots += histogram.count;
		for (uint32_t i = 0; i < histogram.count; i++) {
			struct sums *sum = &sums[slot[i].operation];

			sum->count += slot[i].count;
			sum->bytes += slot[i].bytes;
			sum->ns += slot[i].sum_ns;
			if (sum->max_ns < slot[i].max_ns)
				sum->max_ns = slot[i].max_ns;
		}
	}
	free(slot);
}

static void add_records(const struct records *records, struct sums sums[CFTU_TRACE_OPERATIONS])
{
	for (size_t i = 0; i < records->count; i++) {
		const struct cftu_trace_record *record = &records->record[i];
		struct sums *sum = &sums[record->operation];
		uint64_t ns = record->end_ns - record->start_ns;

		sum->count++;
		sum->bytes += record->length_bytes - record->not_copied_bytes;
		sum->ns += ns;
		if (sum->max_ns < ns)
			sum->max_ns = ns;
	}
}

static void full_histogram(void)
{
	struct sums sums[CFTU_TRACE_OPERATIONS] = { 0 };
	struct capture capture;
	uint32_t slots = 0;

	capture_open(&capture);
	capture.start.flags = CFTU_TRACE_HISTOGRAM;
	capture.start.records_per_cpu = 0;
	capture.start.slots_per_cpu = 1;
	capture.start.operations = 1U << CFTU_TRACE_COPY_TO_USER | 1U << CFTU_TRACE_ITER_TO_USER;
	ktap_equal(capture_start(&capture), 0, "start of a histogram of one slot");
	copies_pipe(100, 77);
	copies_uname(100);
	capture_stop(&capture);
	for (int cpu = 0; cpu < capture.cpus; cpu++)
		add_histogram(&capture, cpu, sums, &slots);
	ktap_ok(capture.state.dropped_slots, "a full histogram counts what found no slot");
	ktap_equal(sums[CFTU_TRACE_COPY_TO_USER].count + sums[CFTU_TRACE_ITER_TO_USER].count +
		   capture.state.dropped_slots,
		   capture.state.copies[CFTU_TRACE_COPY_TO_USER] +
		   capture.state.copies[CFTU_TRACE_ITER_TO_USER],
		   "counted and not counted are what was issued");
	capture_close(&capture);
}

void test_histogram(void)
{
	struct sums told[CFTU_TRACE_OPERATIONS] = { 0 }, wanted[CFTU_TRACE_OPERATIONS] = { 0 };
	struct capture capture;
	struct records records;
	uint32_t slots = 0;

	capture_open(&capture);
	capture.start.flags |= CFTU_TRACE_HISTOGRAM;
	capture.start.slots_per_cpu = 5000;
	ktap_equal(capture_start(&capture), 0, "start with a histogram");
	ktap_equal(capture.start.slots_per_cpu, 8192, "its slots are rounded to a power of two");
	copies_uname(500);
	copies_pipe(500, 16064);
	capture_stop(&capture);
	records = capture_take(&capture);
	add_records(&records, wanted);
	for (int cpu = 0; cpu < capture.cpus; cpu++)
		add_histogram(&capture, cpu, told, &slots);
	ktap_note("%u slots, %zu records", slots, records.count);
	ktap_equal(capture.state.dropped_slots, 0, "no copy found the histogram full");
	ktap_ok(told[CFTU_TRACE_COPY_TO_USER].count >= 500, "the histogram counts");
	ktap_ok(!memcmp(told, wanted, sizeof(told)),
		"count, bytes, time and longest agree with the records for each operation");
	records_free(&records);
	capture_close(&capture);
	full_histogram();
}

static size_t seen(struct capture *capture, int operation)
{
	struct records records;
	size_t count;

	if (capture_start(capture))
		return ~0ULL;
	copies_uname(10);
	copies_pipe(10, 500);
	capture_stop(capture);
	records = capture_take(capture);
	count = operation < 0 ? records.count : records_count(&records, operation, 0);
	records_free(&records);
	capture_close(capture);
	return count;
}

static void test_filter_cpus(void)
{
	struct capture capture;
	uint64_t mask[16] = { 0 };
	int last = last_cpu();

	if (!last) {
		ktap_skip("there is one CPU", "filter of CPUs");
		return;
	}
	mask[last / 64] = 1ULL << last % 64;
	pin_to(0);
	capture_open(&capture);
	only_uname(&capture);
	capture.start.cpus_addr = (uintptr_t)mask;
	capture.start.cpus_words = 16;
	ktap_equal(seen(&capture, -1), 0, "copies of a CPU that is not asked for");
	pin_to(last);
	capture_open(&capture);
	only_uname(&capture);
	capture.start.cpus_addr = (uintptr_t)mask;
	capture.start.cpus_words = 16;
	ktap_equal(seen(&capture, -1), 10, "copies of the CPU that is");
	pin_to(0);
}

void test_filters(void)
{
	struct capture capture;

	capture_open(&capture);
	only_uname(&capture);
	ktap_equal(seen(&capture, -1), 10, "one length of one operation");
	capture_open(&capture);
	only_uname(&capture);
	capture.start.operations = 1U << CFTU_TRACE_COPY_FROM_USER;
	ktap_equal(seen(&capture, -1), 0, "that length of another operation");
	capture_open(&capture);
	capture.start.length_min_bytes = 501;
	ktap_equal(seen(&capture, CFTU_TRACE_ITER_TO_USER), 0, "nothing below the least length");
	capture_open(&capture);
	capture.start.length_max_bytes = 499;
	ktap_equal(seen(&capture, CFTU_TRACE_ITER_FROM_USER), 0, "nothing above the largest");
	capture_open(&capture);
	only_uname(&capture);
	capture.start.not_pid = getpid();
	ktap_equal(seen(&capture, -1), 0, "nothing of the process left out");
	test_filter_cpus();
}
