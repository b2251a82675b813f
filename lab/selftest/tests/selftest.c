// SPDX-License-Identifier: GPL-2.0
/* A test in the form all guest tests have: KTAP on standard output. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int failed;

static void result(int number, int ok, const char *name)
{
	printf("%sok %d %s\n", ok ? "" : "not ", number, name);
	failed |= !ok;
}

int main(int argc, char **argv)
{
	int ask_fail = argc > 1 && strcmp(argv[1], "fail") == 0;
	int log = open("/dev/kmsg", O_WRONLY);

	printf("KTAP version 1\n1..4\n");
	result(1, access("/sys/module/lab_selftest", F_OK) == 0, "module is loaded");
	printf("ok 2 a machine with sixty-five processors # SKIP fewer processors\n");
	/* A line that would fail the run, announced beforehand. */
	if (log >= 0) {
		dprintf(log, "pontage-lab: expect begin a test of the log guard\n");
		dprintf(log, "lab_selftest: BUG: not a real one\n");
		dprintf(log, "pontage-lab: expect end\n");
	}
	result(3, log >= 0, "the log can be written");
	result(4, !ask_fail, ask_fail ? "asked to fail" : "not asked to fail");
	return failed;
}
