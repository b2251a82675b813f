// SPDX-License-Identifier: GPL-2.0
/*
 * The recorder against copies that are known: run as root with the module
 * loaded. Prints KTAP. One source of several files: a program is built from one.
 */
#define _GNU_SOURCE
#include <string.h>

#include "ktap.h"

#include "trace/capture.c"
#include "trace/copies.c"
#include "trace/dma.c"
#include "trace/event.c"
#include "trace/flight.c"
#include "trace/refusals.c"
#include "trace/rings.c"
#include "trace/stress.c"

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
	{ "dma", test_dma },
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
