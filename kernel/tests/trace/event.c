// SPDX-License-Identifier: GPL-2.0
/* The trace event: no capture is needed, the event alone attaches the probes. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../ktap.h"
#include "capture.h"

#define EVENT	"events/cftu/cftu_copy_user/"

static bool put(const char *folder, const char *file, const char *words)
{
	char path[256];
	bool good;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = write(fd, words, strlen(words)) == (ssize_t)strlen(words);
	close(fd);
	return good;
}

static int lines(const char *folder, const char *first, const char *second)
{
	char path[256], line[512];
	FILE *trace;
	int count = 0;

	snprintf(path, sizeof(path), "%s/trace", folder);
	trace = fopen(path, "re");
	while (trace && fgets(line, sizeof(line), trace))
		count += strstr(line, first) && strstr(line, second);
	if (trace)
		fclose(trace);
	return count;
}

static const char *tracing(void)
{
	static const char *const folders[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[256];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%senable", folders[i], EVENT);
		if (!access(path, W_OK))
			return folders[i];
	}
	return NULL;
}

void test_event(void)
{
	const char *folder = tracing();
	struct capture capture;

	if (!folder) {
		ktap_skip("tracefs is not mounted: mount -t tracefs none /sys/kernel/tracing",
			  "the trace event");
		return;
	}
	put(folder, "trace", "\n");
	put(folder, EVENT "filter", "length_bytes == 390");
	ktap_ok(put(folder, EVENT "enable", "1"), "the event can be enabled");
	copies_uname(50);
	capture_open(&capture);
	ktap_equal(capture_start(&capture), 0, "a capture starts beside the event");
	copies_uname(50);
	capture_close(&capture);
	copies_uname(50);
	ktap_ok(put(folder, EVENT "enable", "0"), "the event can be disabled");
	copies_uname(50);
	ktap_equal(lines(folder, "copy_to_user length=390 not_copied=0", "newuname"), 150,
		   "events of uname(), with its caller");
	if (probes_left() < 0)
		ktap_skip("debugfs is not mounted", "no probe is left after the event");
	else
		ktap_equal(probes_left(), 0, "probes left after the event");
	put(folder, EVENT "filter", "0");
}
