// SPDX-License-Identifier: GPL-2.0
/* Copies that are known beforehand: size, direction, operation, caller, rest. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "../ktap.h"
#include "capture.h"

#define COPY_TIMES	1000
#define PIPE_BYTES 1124

static void expect_caller(const struct cftu_trace_record *record, const char *part,
			  const char *what)
{
	const char *symbol = record ? symbol_at(record->caller) : "no record";

	if (!strcmp(symbol, "?")) {
		ktap_skip("/proc/kallsyms shows no addresses here", "%s", what);
		return;
	}
	if (!ktap_ok(strstr(symbol, part), "%s", what))
		ktap_note("the caller is %s, wanted one with %s", symbol, part);
}

static void expect_sound(const struct records *records, const struct capture *capture)
{
	bool order = true, cpus = true, rest = true;

	for (size_t i = 0; i < records->count; i++) {
		const struct cftu_trace_record *record = &records->record[i];

		order &= record->start_ns <= record->end_ns &&
			 record->start_ns >= capture->state.started_ns;
		cpus &= record->cpu_start < capture->cpus && record->cpu_end < capture->cpus;
		rest &= record->not_copied_bytes <= record->length_bytes &&
			record->operation < CFTU_TRACE_OPERATIONS &&
			record->engine == CFTU_ENGINE_CPU && !record->reserved;
	}
	ktap_ok(order, "every copy ends after it starts, after the capture started");
	ktap_ok(cpus, "every copy's CPUs exist");
	ktap_ok(rest, "no copy leaves more than its length");
}

/* Sequence numbers of each CPU and operation follow each other from 0. */
static void expect_no_gap(const struct records *records)
{
	uint64_t next[64][CFTU_TRACE_OPERATIONS] = { 0 };
	bool whole = true;

	for (size_t i = 0; i < records->count; i++) {
		const struct cftu_trace_record *record = &records->record[i];

		whole &= record->sequence == next[record->cpu_end % 64][record->operation]++;
	}
	ktap_ok(whole, "no gap in the sequence numbers");
}

static void test_remote(void);

static bool entry_points(const struct capture *capture)
{
	return capture->state.flags & CFTU_TRACE_STATE_ENTRY_POINTS;
}

void test_copies(void)
{
	struct timespec moment = { .tv_nsec = 1 };
	struct capture capture;
	struct records records;
	int failed, sleeps;

	capture_open(&capture);
	if (!ktap_equal(capture_start(&capture), 0, "start of a capture"))
		return capture_close(&capture);
	failed = copies_uname(COPY_TIMES) + copies_pipe(COPY_TIMES, PIPE_BYTES);
	for (sleeps = 0; sleeps < 100; sleeps++)
		nanosleep(&moment, NULL);
	ktap_equal(capture_stop(&capture), 0, "stop of a capture");
	records = capture_take(&capture);
	for (__u32 i = 0; i < capture.state.probes; i++)
		ktap_note("%s: error %d hits %llu missed %llu%s", capture.state.probe[i].symbol,
			  capture.state.probe[i].error,
			  (unsigned long long)capture.state.probe[i].hits,
			  (unsigned long long)capture.state.probe[i].missed,
			  capture.state.probe[i].flags & CFTU_PROBE_OPTIMISED ? " optimised" : "");
	ktap_note("covered %#x flags %#x, %zu records", capture.state.covered,
		  capture.state.flags, records.count);
	ktap_equal(failed, 0, "system calls that failed");
	ktap_equal(capture.state.dropped_records, 0, "dropped records");
	ktap_equal(records_count(&records, CFTU_TRACE_ITER_FROM_USER, PIPE_BYTES), COPY_TIMES,
		   "writes of 1124 bytes to a pipe");
	ktap_equal(records_count(&records, CFTU_TRACE_ITER_TO_USER, PIPE_BYTES), COPY_TIMES,
		   "reads of 1124 bytes from a pipe");
	ktap_equal(records_count(&records, CFTU_TRACE_COPY_TO_USER, UNAME_BYTES), COPY_TIMES,
		   "calls of uname()");
	ktap_equal(records_count(&records, CFTU_TRACE_COPY_FROM_USER, sizeof(moment)), 100,
		   "calls of nanosleep()");
	ktap_equal(records_count(&records, -1, UNAME_BYTES), COPY_TIMES,
		   "a copy of that length stands in one operation only");
	expect_caller(records_find(&records, CFTU_TRACE_ITER_FROM_USER, PIPE_BYTES),
		      "pipe_write", "a write to a pipe is called by pipe_write");
	expect_caller(records_find(&records, CFTU_TRACE_ITER_TO_USER, PIPE_BYTES),
		      "pipe_read", "a read from a pipe is called by pipe_read");
	expect_caller(records_find(&records, CFTU_TRACE_COPY_TO_USER, UNAME_BYTES),
		      "newuname", "uname() copies in sys_newuname");
	expect_caller(records_find(&records, CFTU_TRACE_COPY_FROM_USER, sizeof(moment)),
		      "timespec", "nanosleep() copies in get_timespec64");
	expect_sound(&records, &capture);
	expect_no_gap(&records);
	records_free(&records);
	capture_close(&capture);
	test_remote();
}

/* Page by page: what counts is the sum. */
static void test_remote(void)
{
	static char there[5000], here[5000];
	struct iovec from = { there, sizeof(there) }, to = { here, sizeof(here) };
	struct capture capture;
	struct records records;
	uint64_t bytes = 0;

	capture_open(&capture);
	capture.start.operations = 1U << CFTU_TRACE_ITER_TO_USER;
	capture_start(&capture);
	memset(there, 1, sizeof(there));
	ktap_equal(process_vm_readv(getpid(), &to, 1, &from, 1, 0), sizeof(there),
		   "process_vm_readv()");
	capture_stop(&capture);
	records = capture_take(&capture);
	for (size_t i = 0; i < records.count; i++)
		bytes += records.record[i].pid == (uint32_t)getpid() ?
			 records.record[i].length_bytes : 0;
	ktap_equal(bytes, sizeof(there), "its bytes, page by page");
	expect_caller(records_find(&records, CFTU_TRACE_ITER_TO_USER, 0), "process_vm_rw",
		      "they are copied by process_vm_rw");
	records_free(&records);
	capture_close(&capture);
}

/* Ends of a mapping: @bytes before what is not mapped. */
static char *before_the_end(size_t bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(pages, 'a', page);
	munmap(pages + page, page);
	return pages + page - bytes;
}

/* What the routine itself tells: to the byte on x86, elsewhere a block more. */
#ifdef __x86_64__
#define BLOCK_BYTES 1
#else
#define BLOCK_BYTES 64
#endif

static void expect_rest(const struct records *records, int operation, uint64_t length_bytes,
			uint64_t not_copied_bytes, const char *what)
{
	const struct cftu_trace_record *record = records_find(records, operation, length_bytes);

	if (!ktap_ok(record, "%s: the copy is seen", what))
		return;
	if (!ktap_ok(record->not_copied_bytes - not_copied_bytes < BLOCK_BYTES, "%s", what))
		ktap_note("it left %llu", (unsigned long long)record->not_copied_bytes);
}

void test_partial(void)
{
	struct capture capture;
	struct records records;
	int ends[2], refused = 0;

	if (pipe(ends))
		return;
	capture_open(&capture);
	ktap_equal(capture_start(&capture), 0, "start of a capture of partial copies");
	refused += write(ends[1], before_the_end(100), 300) < 0 && errno == EFAULT;
	refused += uname((struct utsname *)before_the_end(90)) < 0 && errno == EFAULT;
	refused += nanosleep((struct timespec *)before_the_end(8), NULL) < 0 && errno == EFAULT;
	capture_stop(&capture);
	records = capture_take(&capture);
	ktap_equal(refused, 3, "calls refused for a fault");
	expect_rest(&records, CFTU_TRACE_ITER_FROM_USER, 300, 200,
		    "write() of 300 bytes with 100 there leaves 200");
	expect_rest(&records, CFTU_TRACE_COPY_TO_USER, UNAME_BYTES, UNAME_BYTES - 90,
		    "uname() with 90 bytes there leaves 300");
	expect_rest(&records, CFTU_TRACE_COPY_FROM_USER, sizeof(struct timespec), 8,
		    "nanosleep() with 8 bytes there leaves 8");
	records_free(&records);
	capture_close(&capture);
	close(ends[0]);
	close(ends[1]);
}

static void nothing(int signal)
{
	(void)signal;
}

/* The FPU's part of a signal frame is written and read by raw copies. */
void test_signals(void)
{
	struct capture capture;
	struct records records;
	size_t to = 0, from = 0;

	capture_open(&capture);
	if (capture_start(&capture)) {
		ktap_ok(false, "start of a capture of signals");
		return capture_close(&capture);
	}
	signal(SIGUSR1, nothing);
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	capture_stop(&capture);
	records = capture_take(&capture);
	to = records_count(&records, CFTU_TRACE_RAW_COPY_TO_USER, 0);
	from = records_count(&records, CFTU_TRACE_RAW_COPY_FROM_USER, 0);
	if (entry_points(&capture)) {
		ktap_skip("entry points are probed, raw copies are not seen", "raw copies to user");
		ktap_skip("entry points are probed, raw copies are not seen", "raw copies from user");
	} else if (capture.state.flags & CFTU_TRACE_STATE_RAW_MERGED) {
		ktap_skip("this kernel inlines copy_to_user()", "raw copies to user");
		ktap_skip("this kernel inlines copy_from_user()", "raw copies from user");
	} else {
		ktap_note("raw: %zu to user, %zu from user", to, from);
		ktap_ok(to >= 100, "100 signals make 100 raw copies to user");
		ktap_ok(from >= 100, "100 signals make 100 raw copies from user");
		expect_caller(records_find(&records, CFTU_TRACE_RAW_COPY_TO_USER, 0), "",
			      "a raw copy names a caller");
	}
	records_free(&records);
	capture_close(&capture);
}
