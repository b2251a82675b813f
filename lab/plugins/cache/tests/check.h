/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests share: two numbers or texts that must agree, and the verdict. */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;

static inline void equal(uint64_t got, uint64_t wanted, const char *what)
{
	if (got == wanted)
		return;
	printf("%s: got %llu, wanted %llu\n", what, (unsigned long long)got,
	       (unsigned long long)wanted);
	failures++;
}

static inline void same_text(const char *got, const char *wanted, const char *what)
{
	if (!strcmp(got, wanted))
		return;
	printf("%s: got\n%s\nwanted\n%s\n", what, got, wanted);
	failures++;
}

static inline int verdict(void)
{
	puts(failures ? "FAILED" : "ok");
	return failures != 0;
}

#endif
