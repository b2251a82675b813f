/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KTAP for test programs in C: a line each test, the plan at the end, so that
 * a program that dies early has none and counts as failed.
 */
#ifndef CFTU_TESTS_KTAP_H
#define CFTU_TESTS_KTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* One for the program, however many of its files include this. */
__attribute__((weak)) int ktap_number;
__attribute__((weak)) int ktap_failures;

/* How often chance is tried: in every day's runs @few times, EFFORT=n makes it n times that. */
static inline unsigned int ktap_times(unsigned int few)
{
	const char *effort = getenv("EFFORT");
	unsigned int factor = effort ? (unsigned int)strtoul(effort, NULL, 10) : 1;

	/* What is no number, or 0, must not turn a test into none. */
	return few * (factor ? factor : 1);
}

static inline void ktap_begin(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("KTAP version 1");
}

static inline void ktap_line(const char *verdict, const char *form, va_list words,
			     const char *after)
{
	printf("%s %d ", verdict, ++ktap_number);
	vprintf(form, words);
	puts(after);
}

/* One test: @pass decides; the words say what was to hold. */
__attribute__((format(printf, 2, 3)))
static inline bool ktap_ok(bool pass, const char *form, ...)
{
	va_list words;

	va_start(words, form);
	ktap_line(pass ? "ok" : "not ok", form, words, "");
	va_end(words);
	ktap_failures += !pass;
	return pass;
}

/* What this machine lacks, with the reason and, where there is one, the remedy. */
__attribute__((format(printf, 2, 3)))
static inline void ktap_skip(const char *reason, const char *form, ...)
{
	va_list words;

	va_start(words, form);
	printf("ok %d ", ++ktap_number);
	vprintf(form, words);
	printf(" # SKIP %s\n", reason);
	va_end(words);
}

__attribute__((format(printf, 1, 2)))
static inline void ktap_note(const char *form, ...)
{
	va_list words;

	va_start(words, form);
	fputs("# ", stdout);
	vprintf(form, words);
	putchar('\n');
	va_end(words);
}

/* Two numbers that must agree; tells both when they do not. */
static inline bool ktap_equal(unsigned long long got, unsigned long long wanted,
			      const char *what)
{
	if (got != wanted)
		ktap_note("%s: got %llu, wanted %llu", what, got, wanted);
	return ktap_ok(got == wanted, "%s", what);
}

/* The exit status of main(). */
static inline int ktap_end(void)
{
	printf("1..%d\n", ktap_number);
	return ktap_failures != 0;
}

#endif
