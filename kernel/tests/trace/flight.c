// SPDX-License-Identifier: GPL-2.0
/*
 * Copies that sleep half way: a page fault answered by this program
 * (userfaultfd) holds one as long as wanted, while it is sent to another CPU,
 * or while the capture ends under it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../ktap.h"
#include "capture.h"

#define BYTES	3000

struct sleeper {
	int faults;
	int ends[2];
	char *page;
	pthread_t thread;
	ssize_t written;
};

static bool sleeper_open(struct sleeper *sleeper)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	sleeper->faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (sleeper->faults < 0 || ioctl(sleeper->faults, UFFDIO_API, &api) ||
	    pipe(sleeper->ends))
		return false;
	sleeper->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (uintptr_t)sleeper->page;
	range.range.len = 4096;
	return !ioctl(sleeper->faults, UFFDIO_REGISTER, &range);
}

static void *write_one(void *argument)
{
	struct sleeper *sleeper = argument;

	pin_to(0);
	sleeper->written = write(sleeper->ends[1], sleeper->page, BYTES);
	return NULL;
}

/* Returns when the copy stands in its fault. */
static void sleeper_begin(struct sleeper *sleeper)
{
	struct uffd_msg message;

	pthread_create(&sleeper->thread, NULL, write_one, sleeper);
	if (read(sleeper->faults, &message, sizeof(message)) != sizeof(message))
		ktap_note("no fault was told");
}

static void sleeper_end(struct sleeper *sleeper)
{
	static char page[4096] __attribute__((aligned(4096)));
	struct uffdio_copy answer = {
		.dst = (uintptr_t)sleeper->page, .src = (uintptr_t)page, .len = 4096,
	};

	ioctl(sleeper->faults, UFFDIO_COPY, &answer);
	pthread_join(sleeper->thread, NULL);
	munmap(sleeper->page, 4096);
	close(sleeper->faults);
	close(sleeper->ends[0]);
	close(sleeper->ends[1]);
}

static void migrates(void)
{
	const struct cftu_trace_record *record;
	struct sleeper sleeper;
	struct capture capture;
	struct records records;
	cpu_set_t other;

	if (!sleeper_open(&sleeper)) {
		ktap_skip("no userfaultfd here", "a copy that changes its CPU");
		return;
	}
	capture_open(&capture);
	capture.start.length_min_bytes = BYTES;
	capture.start.length_max_bytes = BYTES;
	capture_start(&capture);
	sleeper_begin(&sleeper);
	CPU_ZERO(&other);
	CPU_SET(last_cpu(), &other);
	pthread_setaffinity_np(sleeper.thread, sizeof(other), &other);
	sleeper_end(&sleeper);
	capture_stop(&capture);
	records = capture_take(&capture);
	record = records_find(&records, CFTU_TRACE_ITER_FROM_USER, BYTES);
	ktap_equal(records.count, 1, "a copy that slept in a fault is one record");
	if (ktap_ok(record && !record->not_copied_bytes, "and copied everything")) {
		ktap_equal(record->cpu_start, 0, "it started on the first CPU");
		ktap_equal(record->cpu_end, last_cpu(), "and ended on the last");
		ktap_equal(record->sequence, 0, "the ring of its last CPU numbers it");
	}
	records_free(&records);
	capture_close(&capture);
}

static void outlives(bool by_close)
{
	struct sleeper sleeper;
	struct capture capture;

	if (!sleeper_open(&sleeper)) {
		ktap_skip("no userfaultfd here", "a copy that outlives its capture");
		return;
	}
	capture_open(&capture);
	capture_start(&capture);
	sleeper_begin(&sleeper);
	if (!by_close)
		capture_stop(&capture);
	capture_close(&capture);
	sleeper_end(&sleeper);
	ktap_equal(sleeper.written, BYTES,
		   by_close ? "a copy goes on when the file is closed under it" :
			      "a copy goes on when its capture is stopped");
}

void test_flight(void)
{
	migrates();
	outlives(false);
	outlives(true);
}
