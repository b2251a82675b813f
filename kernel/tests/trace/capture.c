// SPDX-License-Identifier: GPL-2.0
/* Starting, reading and ending captures for the tests. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture.h"

static int call(int fd, unsigned long request, void *structure)
{
	return ioctl(fd, request, structure) ? errno : 0;
}

bool capture_open(struct capture *capture)
{
	memset(capture, 0, sizeof(*capture));
	capture->cpus = sysconf(_SC_NPROCESSORS_CONF);
	capture->rings = calloc(capture->cpus, sizeof(*capture->rings));
	capture->start.size = sizeof(capture->start);
	capture->start.flags = CFTU_TRACE_RECORDS;
	capture->start.records_per_cpu = 16384;
	capture->fd = open("/dev/" CFTU_DEVICE_NAME, O_RDWR | O_CLOEXEC);
	return capture->fd >= 0;
}

static size_t ring_bytes(const struct capture *capture)
{
	size_t bytes = capture->start.records_per_cpu * sizeof(struct cftu_trace_record);
	size_t page = sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

void capture_map(struct capture *capture)
{
	for (int cpu = 0; cpu < capture->cpus; cpu++) {
		void *ring = mmap(NULL, ring_bytes(capture), PROT_READ, MAP_SHARED,
				  capture->fd, CFTU_TRACE_MMAP_OFFSET(cpu));

		capture->rings[cpu] = ring == MAP_FAILED ? NULL : ring;
	}
}

void capture_unmap(struct capture *capture)
{
	for (int cpu = 0; cpu < capture->cpus; cpu++) {
		if (capture->rings[cpu])
			munmap((void *)capture->rings[cpu], ring_bytes(capture));
		capture->rings[cpu] = NULL;
	}
}

int capture_start(struct capture *capture)
{
	int error;

	capture_unmap(capture);
	error = call(capture->fd, CFTU_TRACE_START, &capture->start);
	if (!error && capture->start.flags & CFTU_TRACE_RECORDS)
		capture_map(capture);
	return error;
}

int capture_stop(struct capture *capture)
{
	capture->state.size = sizeof(capture->state);
	return call(capture->fd, CFTU_TRACE_STOP, &capture->state);
}

int capture_state(struct capture *capture)
{
	capture->state.size = sizeof(capture->state);
	return call(capture->fd, CFTU_TRACE_STATE, &capture->state);
}

int capture_consume(struct capture *capture, int cpu, uint64_t tail,
		    struct cftu_trace_consume *consume)
{
	*consume = (struct cftu_trace_consume) {
		.size = sizeof(*consume), .cpu = cpu, .tail = tail,
	};
	return call(capture->fd, CFTU_TRACE_CONSUME, consume);
}

void capture_close(struct capture *capture)
{
	capture_unmap(capture);
	if (capture->fd >= 0)
		close(capture->fd);
	free(capture->rings);
}

/* One reader a capture: where it stands is told by no call, so it is kept. */
static void take_ring(struct capture *capture, int cpu, struct records *records)
{
	static uint64_t tails[1024];
	static uint64_t started_ns[1024];
	uint32_t capacity = capture->start.records_per_cpu;
	struct cftu_trace_consume consume;
	uint64_t at;

	capture_state(capture);
	if (started_ns[cpu] != capture->state.started_ns)
		tails[cpu] = 0;
	started_ns[cpu] = capture->state.started_ns;
	if (!capture->rings[cpu] || capture_consume(capture, cpu, ~0ULL, &consume))
		return;
	for (at = tails[cpu]; at != consume.head; at++) {
		records->record = realloc(records->record,
					  (records->count + 1) * sizeof(*records->record));
		records->record[records->count++] = capture->rings[cpu][at & (capacity - 1)];
	}
	tails[cpu] = at;
	capture_consume(capture, cpu, at, &consume);
}

struct records capture_take(struct capture *capture)
{
	struct records records = { 0 };

	for (int cpu = 0; cpu < capture->cpus; cpu++)
		take_ring(capture, cpu, &records);
	return records;
}

static bool matches(const struct cftu_trace_record *record, int operation, uint64_t length_bytes)
{
	return record->pid == (uint32_t)getpid() &&
	       (operation < 0 || record->operation == operation) &&
	       (!length_bytes || record->length_bytes == length_bytes);
}

size_t records_count(const struct records *records, int operation, uint64_t length_bytes)
{
	size_t count = 0;

	for (size_t i = 0; i < records->count; i++)
		count += matches(&records->record[i], operation, length_bytes);
	return count;
}

const struct cftu_trace_record *records_find(const struct records *records, int operation,
					     uint64_t length_bytes)
{
	for (size_t i = 0; i < records->count; i++)
		if (matches(&records->record[i], operation, length_bytes))
			return &records->record[i];
	return NULL;
}

void records_free(struct records *records)
{
	free(records->record);
}

const char *symbol_at(uint64_t address)
{
	static char best[128];
	FILE *symbols = fopen("/proc/kallsyms", "re");
	unsigned long long at, best_at = 0;
	char name[128];

	strcpy(best, "?");
	if (!symbols)
		return best;
	while (fscanf(symbols, "%llx %*c %127s%*[^\n]", &at, name) == 2) {
		if (at <= address && at > best_at && strncmp(name, "__pfx_", 6)) {
			best_at = at;
			strcpy(best, name);
		}
	}
	fclose(symbols);
	return best;
}

int probes_left(void)
{
	FILE *list = fopen("/sys/kernel/debug/kprobes/list", "re");
	char line[256];
	int count = 0;

	if (!list)
		return -1;
	while (fgets(line, sizeof(line), list))
		count += strstr(line, "copy") || strstr(line, "rep_movs");
	fclose(list);
	return count;
}

void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int last_cpu(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) - 1;
}

int copies_uname(int times)
{
	struct utsname names;
	int failed = 0;

	while (times--)
		failed += uname(&names) != 0;
	return failed;
}

int copies_pipe(int times, size_t bytes)
{
	static char data[65536];
	int ends[2], failed = 0;

	if (pipe(ends))
		return times;
	while (times--) {
		failed += write(ends[1], data, bytes) != (ssize_t)bytes;
		failed += read(ends[0], data, bytes) != (ssize_t)bytes;
	}
	close(ends[0]);
	close(ends[1]);
	return failed;
}
