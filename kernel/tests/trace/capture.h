/* SPDX-License-Identifier: GPL-2.0 */
/* A capture as the tests of the recorder use it. */
#ifndef CFTU_TESTS_TRACE_CAPTURE_H
#define CFTU_TESTS_TRACE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../uapi/cftu_trace.h"

struct capture {
	int fd;
	int cpus;
	struct cftu_trace_start start;
	struct cftu_trace_state state;
	const struct cftu_trace_record **rings;	/* one a CPU, NULL: no such CPU */
};

/* What the rings held, in the order of the CPUs. */
struct records {
	struct cftu_trace_record *record;
	size_t count;
};

/* An open file with nothing asked yet: records of all operations. */
bool capture_open(struct capture *capture);
/* 0, or the errno; the reason stands in start. Maps the rings. */
int capture_start(struct capture *capture);
int capture_stop(struct capture *capture);
int capture_state(struct capture *capture);
/* CFTU_TRACE_CONSUME; 0 or the errno. */
int capture_consume(struct capture *capture, int cpu, uint64_t tail,
		    struct cftu_trace_consume *consume);
void capture_map(struct capture *capture);
void capture_unmap(struct capture *capture);
void capture_close(struct capture *capture);
/* Everything readable now is taken out of the rings. */
struct records capture_take(struct capture *capture);

/* Of this process, of that operation (or any: -1) and length (or any: 0). */
size_t records_count(const struct records *records, int operation, uint64_t length_bytes);
const struct cftu_trace_record *records_find(const struct records *records, int operation,
					     uint64_t length_bytes);
void records_free(struct records *records);

/* The function an address lies in, from /proc/kallsyms; "?" when not told. */
const char *symbol_at(uint64_t address);
/* Does any probe of the copy routines remain? -1: cannot be seen here. */
int probes_left(void);
void pin_to(int cpu);
int last_cpu(void);

/* Copies of known sizes; each returns how many system calls failed. */
int copies_uname(int times);			/* 390 bytes to user, plain */
int copies_pipe(int times, size_t bytes);	/* write, then read */
#define UNAME_BYTES 390

void test_copies(void);
void test_dma(void);
void test_partial(void);
void test_signals(void);
void test_rings(void);
void test_histogram(void);
void test_filters(void);
void test_refusals(void);
void test_flight(void);
void test_stress(void);
void test_event(void);

#endif
