// SPDX-License-Identifier: GPL-2.0
/* Starts and stops under load, closing while active, and nothing left behind. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ktap.h"
#include "capture.h"

static pid_t begin_load(int cpu)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin_to(cpu);
		for (;;)
			if (copies_uname(100) + copies_pipe(100, 4096))
				_exit(1);
	}
	return child;
}

static bool end_load(pid_t child)
{
	int status = 0;

	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void expect_no_probe(const char *when)
{
	int left = probes_left();

	if (left < 0)
		ktap_skip("debugfs is not mounted: mount -t debugfs none /sys/kernel/debug",
			  "no probe is left %s", when);
	else
		ktap_ok(left == 0, "no probe is left %s", when);
}

static bool start_stop(struct capture *capture)
{
	struct records records;
	bool good = !capture_start(capture) && !capture_stop(capture);

	records = capture_take(capture);
	for (size_t i = 0; i < records.count; i++)
		good &= records.record[i].length_bytes <= 1 << 20 &&
			records.record[i].start_ns >= capture->state.started_ns;
	records_free(&records);
	return good;
}

void test_stress(void)
{
	struct capture capture;
	pid_t children[2] = { begin_load(0), begin_load(last_cpu()) };
	unsigned int starts = ktap_times(50), closes = ktap_times(5), good = 0, closed = 0;

	capture_open(&capture);
	capture.start.records_per_cpu = 256;
	capture.start.flags |= CFTU_TRACE_HISTOGRAM;
	capture.start.slots_per_cpu = 256;
	for (unsigned int i = 0; i < starts; i++)
		good += start_stop(&capture);
	capture_close(&capture);
	ktap_equal(good, starts, "starts and stops under load");
	for (unsigned int i = 0; i < closes; i++) {
		capture_open(&capture);
		closed += !capture_start(&capture);
		capture_close(&capture);
	}
	ktap_equal(closed, closes, "captures closed while they ran");
	expect_no_probe("after a close");
	ktap_ok(end_load(children[0]) & end_load(children[1]), "the load saw no failed copy");
}
