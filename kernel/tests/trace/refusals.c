// SPDX-License-Identifier: GPL-2.0
/* What is refused, and the reason told. */
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ktap.h"
#include "capture.h"

static void expect_refusal(struct capture *capture, int error, unsigned int reason,
			   const char *what)
{
	int got = capture_start(capture);

	if (!ktap_ok(got == error && capture->start.reason == reason, "%s", what))
		ktap_note("errno %d reason %u, wanted %d and %u", got, capture->start.reason,
			  error, reason);
	capture_close(capture);
}

static void bad_starts(void)
{
	struct capture capture;
	uint64_t no_cpu = 0;

	capture_open(&capture);
	capture.start.size--;
	expect_refusal(&capture, EPROTO, 0, "a wrong size");
	capture_open(&capture);
	capture.start.reserved[3] = 1;
	expect_refusal(&capture, EINVAL, CFTU_REASON_RESERVED_SET, "a reserved word set");
	capture_open(&capture);
	capture.start.flags = 4;
	expect_refusal(&capture, EINVAL, 0, "an unknown flag");
	capture_open(&capture);
	capture.start.flags = 0;
	expect_refusal(&capture, EINVAL, 0, "neither records nor histogram");
	capture_open(&capture);
	capture.start.slots_per_cpu = 16;
	expect_refusal(&capture, EINVAL, 0, "slots without a histogram");
	capture_open(&capture);
	capture.start.operations = 1U << CFTU_TRACE_OPERATIONS;
	expect_refusal(&capture, EINVAL, 0, "an unknown operation");
	capture_open(&capture);
	capture.start.length_min_bytes = 2;
	capture.start.length_max_bytes = 1;
	expect_refusal(&capture, EINVAL, 0, "an empty range of lengths");
	capture_open(&capture);
	capture.start.cpus_addr = (uintptr_t)&no_cpu;
	capture.start.cpus_words = 1;
	expect_refusal(&capture, EINVAL, 0, "no CPU");
	capture_open(&capture);
	capture.start.cpus_addr = 8;
	capture.start.cpus_words = 1;
	expect_refusal(&capture, EFAULT, 0, "a mask that is not there");
	capture_open(&capture);
	capture.start.not_pid = 0x3fffffff;
	expect_refusal(&capture, ESRCH, 0, "a process that is not there");
	capture_open(&capture);
	capture.start.records_per_cpu = 1U << 23;
	expect_refusal(&capture, ENOMEM, CFTU_REASON_TRACE_MEMORY, "rings above the limit");
	capture_open(&capture);
	capture.start.records_per_cpu = ~0U;
	expect_refusal(&capture, ENOMEM, CFTU_REASON_TRACE_MEMORY, "rings of four billion records");
}

static void without_privilege(void)
{
	struct capture capture;
	int status = 0;
	pid_t child = fork();

	if (!child) {
		bool refused;

		capture_open(&capture);
		if (capture.fd < 0)
			_exit(2);
		if (setuid(65534))
			_exit(3);
		refused = capture_start(&capture) == EPERM &&
			  capture.start.reason == CFTU_REASON_NOT_PERMITTED;
		_exit(!refused);
	}
	waitpid(child, &status, 0);
	ktap_equal(status, 0, "a start without CAP_SYS_ADMIN is refused");
}

static void second_start(void)
{
	struct capture first, second;

	capture_open(&first);
	capture_open(&second);
	ktap_equal(capture_start(&first), 0, "the first capture starts");
	capture_state(&second);
	ktap_ok(second.state.active_elsewhere && !second.state.active,
		"another file sees that one runs elsewhere");
	ktap_equal(capture_stop(&second), ENODATA, "it has none of its own to stop");
	expect_refusal(&second, EBUSY, CFTU_REASON_TRACE_ACTIVE, "a second capture");
	ktap_equal(capture_start(&first), EBUSY, "nor may the first be started twice");
	ktap_equal(first.start.reason, CFTU_REASON_TRACE_ACTIVE, "for the same reason");
	capture_stop(&first);
	ktap_equal(capture_stop(&first), 0, "a second stop changes nothing");
	capture_map(&first);
	ktap_equal(ioctl(first.fd, CFTU_TRACE_START, &first.start) ? errno : 0, EBUSY,
		   "a start with rings still mapped");
	ktap_equal(first.start.reason, CFTU_REASON_TRACE_MAPPED, "its reason");
	capture_close(&first);
}

static int map_errno(const struct capture *capture, int protection, off_t offset, size_t bytes)
{
	void *at = mmap(NULL, bytes, protection, MAP_SHARED, capture->fd, offset);

	if (at == MAP_FAILED)
		return errno;
	munmap(at, bytes);
	return 0;
}

static void bad_maps(void)
{
	struct cftu_trace_consume consume;
	struct capture capture;
	void *at;

	capture_open(&capture);
	ktap_equal(map_errno(&capture, PROT_READ, CFTU_TRACE_MMAP_BASE, 4096), ENODATA,
		   "mapping before a start");
	ktap_equal(capture_consume(&capture, 0, ~0ULL, &consume), ENODATA, "reading before a start");
	capture.start.records_per_cpu = 64;
	capture_start(&capture);
	ktap_equal(map_errno(&capture, PROT_READ | PROT_WRITE, CFTU_TRACE_MMAP_BASE, 4096), EACCES,
		   "mapping a ring to write");
	ktap_equal(map_errno(&capture, PROT_READ, CFTU_TRACE_MMAP_OFFSET(60000), 4096), EINVAL,
		   "mapping the ring of a CPU that is not there");
	ktap_equal(map_errno(&capture, PROT_READ, CFTU_TRACE_MMAP_BASE + 4096, 4096), EINVAL,
		   "mapping the middle of a ring");
	ktap_ok(map_errno(&capture, PROT_READ, CFTU_TRACE_MMAP_BASE, 65536), "mapping beyond a ring");
	at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, capture.fd, CFTU_TRACE_MMAP_BASE);
	ktap_ok(at != MAP_FAILED && mprotect(at, 4096, PROT_READ | PROT_WRITE),
		"a mapped ring cannot be made writable");
	munmap(at, 4096);
	ktap_equal(capture_consume(&capture, 60000, ~0ULL, &consume), EINVAL,
		   "reading a CPU that is not there");
	ktap_equal(ioctl(capture.fd, _IO(CFTU_MAGIC, 0x2f)) ? errno : 0, ENOTTY, "an unknown call");
	capture_close(&capture);
}

void test_refusals(void)
{
	bad_starts();
	without_privilege();
	second_start();
	bad_maps();
}
