/* SPDX-License-Identifier: GPL-2.0 */
/* The calls of /dev/cftu for test programs, and modules to call them on. */
#ifndef CFTU_TESTS_CLIENT_H
#define CFTU_TESTS_CLIENT_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../uapi/cftu.h"
#include "ktap.h"

/* Where the laboratory puts them; see docs/guides/laboratory.md. */
#define MODULES "/lab/"
#define KIB (1024UL)
#define MIB (1024UL * KIB)

/* Call with the size word filled in; returns 0 or -errno. */
#define CALL(fd, command, arg)						\
	({								\
		(arg)->size = sizeof(*(arg));				\
		ioctl((fd), (command), (arg)) < 0 ? -errno : 0;		\
	})

static inline bool have_module(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), MODULES "%s.ko", name);
	return access(path, R_OK) == 0;
}

static inline int load(const char *name, const char *parameters)
{
	char path[128];
	int fd, result;

	snprintf(path, sizeof(path), MODULES "%s.ko", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	result = syscall(SYS_finit_module, fd, parameters, 0) < 0 ? -errno : 0;
	close(fd);
	return result;
}

static inline int unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) < 0 ? -errno : 0;
}

static inline bool is_loaded(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	return access(path, F_OK) == 0;
}

/* The software engine anew with other parameters; false where there is none. */
static inline bool fresh_engine(const char *parameters)
{
	if (!have_module("swdma"))
		return false;
	if (is_loaded("swdma") && unload("swdma"))
		return false;
	return load("swdma", parameters) == 0;
}

/* Writes a rule of one channel of the software engine, or of all (channel -1). */
static inline int set_rule(int channel, const char *rule, unsigned long long value)
{
	char path[128];
	int at, last = channel < 0 ? 63 : channel, result = -ENOENT;

	for (at = channel < 0 ? 0 : channel; at <= last; at++) {
		int fd;

		snprintf(path, sizeof(path), "/sys/kernel/debug/swdma/chan%d/%s", at, rule);
		fd = open(path, O_WRONLY);
		if (fd < 0)
			break;
		result = dprintf(fd, "%llu\n", value) < 0 ? -errno : 0;
		close(fd);
	}
	return result;
}

static inline int open_cftu(void)
{
	return open("/dev/cftu", O_RDWR | O_CLOEXEC);
}

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static inline uint32_t alloc_buffer(int fd, size_t bytes, uint32_t flags)
{
	struct cftu_buffer_alloc arg = { .flags = flags, .length_bytes = bytes, .node = -1 };

	return CALL(fd, CFTU_BUFFER_ALLOC, &arg) ? 0 : arg.id;
}

static inline const uint8_t *map_buffer(int fd, uint32_t id, size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)id << 32);

	return at == MAP_FAILED ? NULL : at;
}

static inline uint32_t register_memory(int fd, void *at, size_t bytes)
{
	struct cftu_register arg = {
		.flags = CFTU_REGISTER_WRITABLE,
		.user_addr = (uintptr_t)at,
		.length_bytes = bytes,
	};

	return CALL(fd, CFTU_REGISTER, &arg) ? 0 : arg.id;
}

/*
 * As long as an engine that works never takes, even where the machine stands still
 * for a while: a chunk that runs into it goes by CPU, and is not what was asked.
 */
#define PATIENT_NS 120000000000ULL

static inline struct cftu_policy policy_of(uint32_t kind)
{
	struct cftu_policy p = {
		.kind = kind,
		.flags = CFTU_POLICY_REPLACE | CFTU_POLICY_ALLOW_FOLD,
		.quantum_ns = 30000,
		.window_ns = 90000,
		.timeout_ns = PATIENT_NS,
		.node = -1,
	};

	return p;
}

/*
 * A channel's trial copy may take two seconds, and a machine may stand still for
 * longer in the middle of it: the channel is then refused, and asked again here.
 */
#define MOST_TRIALS 5

static inline int start_as_told(int fd, struct cftu_policy *p)
{
	const struct cftu_policy wanted = *p;
	unsigned int tries;
	int error;

	for (tries = 0; tries < MOST_TRIALS; tries++) {
		*p = wanted;
		error = CALL(fd, CFTU_POLICY_START, p);
		if (error != -ENODEV || p->reason != CFTU_REASON_SELF_TEST)
			break;
	}
	return error;
}

static inline int start_policy(int fd, uint32_t kind)
{
	struct cftu_policy p = policy_of(kind);

	return start_as_told(fd, &p);
}

/* Looks every millisecond; false after two minutes, which no busy machine takes. */
static inline bool comes_true(bool (*condition)(void *context), void *context)
{
	uint64_t give_up_ns = now_ns() + 120000000000ULL;

	while (!condition(context)) {
		if (now_ns() > give_up_ns)
			return condition(context);
		usleep(1000);
	}
	return true;
}

static inline int stop_policy(int fd)
{
	struct cftu_policy p = { 0 };

	return CALL(fd, CFTU_POLICY_STOP, &p);
}

static inline struct cftu_copy copy_of(uint32_t direction, uint32_t buffer, void *user,
				       uint64_t kernel_offset, uint64_t length)
{
	struct cftu_copy c = {
		.direction = direction,
		.engine = CFTU_ENGINE_POLICY,
		.buffer = buffer,
		.user_addr = (uintptr_t)user,
		.kernel_offset = kernel_offset,
		.length_bytes = length,
	};

	return c;
}

/* Bytes that differ at every offset and from seed to seed. */
static inline uint8_t pattern(size_t at, unsigned int seed)
{
	uint32_t v = (uint32_t)at * 2654435761u + seed * 40503u;

	return (uint8_t)(v >> 24 ^ v >> 13);
}

static inline void fill(uint8_t *to, size_t bytes, unsigned int seed)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		to[i] = pattern(i, seed);
}

/* The first offset that does not hold the pattern, or bytes. */
static inline size_t first_wrong(const uint8_t *at, size_t bytes, unsigned int seed)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (at[i] != pattern(i, seed))
			return i;
	return bytes;
}

static inline bool all_are(const uint8_t *at, size_t bytes, uint8_t value)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		if (at[i] != value)
			return false;
	return true;
}

static inline void *pages(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static const char *const policy_names[] = { "none", "exclusive", "shared", "priority" };

#endif
