// SPDX-License-Identifier: GPL-2.0
/*
 * The recorder against copies that are known: run as root with the module
 * loaded. Prints KTAP. Built from all trace*.c, static.
 */
#include <string.h>

#include "ktap.h"
#include "trace_capture.h"

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "copies", test_copies },
	{ "partial", test_partial },
	{ "signals", test_signals },
	{ "rings", test_rings },
	{ "histogram", test_histogram },
	{ "filters", test_filters },
	{ "refusals", test_refusals },
	{ "flight", test_flight },
	{ "event", test_event },
	{ "stress", test_stress },
};

int main(int count, char **names)
{
	struct capture capture;

	ktap_begin();
	if (!capture_open(&capture)) {
		ktap_skip("no /dev/cftu: load the module with insmod cftu.ko", "the recorder");
		return ktap_end();
	}
	capture_close(&capture);
	for (unsigned int i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (count > 1 && strcmp(names[1], tests[i].name))
			continue;
		ktap_note("%s", tests[i].name);
		tests[i].run();
	}
	return ktap_end();
}
