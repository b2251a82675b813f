// SPDX-License-Identifier: GPL-2.0
/*
 * What cannot be copied is told exactly: holes, read-only and kernel
 * addresses, shared file pages, copy-on-write. The CPU's own answer on the
 * same range is the lower bound: an engine may come further than a routine
 * that gives up within a line, never less far.
 */
#include "client.h"

#define BUFFER (256 * KIB)
#define PAGE 4096UL

static int fd;
static uint32_t buffer;
static const uint8_t *mapped;

static struct cftu_copy run(uint32_t direction, uint32_t engine, void *user, size_t length)
{
	struct cftu_copy c = copy_of(direction, buffer, user, 0, length);
	int error;

	c.engine = engine;
	error = CALL(fd, CFTU_COPY, &c);
	if (error) {
		ktap_note("copy: error %d reason %u", error, c.reason);
		c.not_copied_bytes = ~0ULL;
	}
	return c;
}

static void fill_buffer(unsigned int seed)
{
	uint8_t *from = malloc(BUFFER);

	fill(from, BUFFER, seed);
	run(CFTU_FROM_USER, CFTU_ENGINE_CPU, from, BUFFER);
	free(from);
}

/* Pages of which the one behind `good` bytes is not there. */
static uint8_t *with_hole(size_t good)
{
	uint8_t *at = pages(BUFFER + PAGE);

	munmap(at + good, PAGE);
	return at;
}

static void hole(uint32_t direction, const char *name)
{
	size_t good = 17 * PAGE, begin = 188;
	uint8_t *at = with_hole(good);
	size_t length = good - begin + 3908;
	struct cftu_copy cpu, dma;

	memset(at, 0x11, good);
	fill_buffer(3);
	cpu = run(direction, CFTU_ENGINE_CPU, at + begin, length);
	memset(at, 0x11, good);
	fill_buffer(3);
	dma = run(direction, CFTU_ENGINE_POLICY, at + begin, length);
	ktap_ok(dma.not_copied_bytes >= 3908 && dma.not_copied_bytes <= cpu.not_copied_bytes &&
		dma.not_copied_bytes < 3908 + 64 && dma.dma_bytes,
		"%s, 3908 bytes behind a hole: %llu not copied by DMA, %llu by CPU", name,
		(unsigned long long)dma.not_copied_bytes,
		(unsigned long long)cpu.not_copied_bytes);
	if (direction == CFTU_FROM_USER) {
		size_t done = length - dma.not_copied_bytes;

		ktap_ok(all_are(mapped, done, 0x11) &&
			all_are(mapped + done, dma.not_copied_bytes, 0),
			"%s: what came is right, the tail is zero", name);
	} else {
		ktap_ok(all_are(at, begin, 0x11) &&
			first_wrong(at + begin, length - dma.not_copied_bytes, 3) ==
				length - dma.not_copied_bytes,
			"%s: what came is right, nothing before it changed", name);
	}
	munmap(at, BUFFER + PAGE);
}

static void read_only(void)
{
	uint8_t *at = pages(64 * KIB);
	struct cftu_copy c;

	memset(at, 0x22, 64 * KIB);
	mprotect(at, 64 * KIB, PROT_READ);
	c = run(CFTU_TO_USER, CFTU_ENGINE_POLICY, at, 64 * KIB);
	ktap_equal(c.not_copied_bytes, 64 * KIB, "nothing goes to read-only memory");
	ktap_ok(all_are(at, 64 * KIB, 0x22), "read-only memory is unchanged");
	c = run(CFTU_FROM_USER, CFTU_ENGINE_POLICY, at, 64 * KIB);
	ktap_equal(c.not_copied_bytes, 0, "read-only memory can be read");
	munmap(at, 64 * KIB);
}

static void outside(uint64_t address, const char *name)
{
	struct cftu_copy c = copy_of(CFTU_FROM_USER, buffer, NULL, 0, 64 * KIB);
	int error;

	fill_buffer(9);
	c.user_addr = address;
	error = CALL(fd, CFTU_COPY, &c);
	ktap_ok(!error && c.not_copied_bytes == 64 * KIB, "from %s: nothing is copied", name);
	ktap_ok(all_are(mapped, 64 * KIB, 0), "from %s: the kernel buffer is zeroed", name);
	c.direction = CFTU_TO_USER;
	error = CALL(fd, CFTU_COPY, &c);
	ktap_ok(!error && c.not_copied_bytes == 64 * KIB, "to %s: nothing is copied", name);
}

static void shared_file(void)
{
	const char *path = "/tmp/cftu-shared";
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint8_t *at;
	struct cftu_copy c;

	if (file < 0 || ftruncate(file, 64 * KIB)) {
		ktap_skip("no file can be made in /tmp", "a shared tmpfs page is written by DMA");
		return;
	}
	at = mmap(NULL, 64 * KIB, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	fill_buffer(5);
	c = run(CFTU_TO_USER, CFTU_ENGINE_POLICY, at, 64 * KIB);
	ktap_ok(!c.not_copied_bytes && first_wrong(at, 64 * KIB, 5) == 64 * KIB,
		"a shared tmpfs file is written (%llu bytes by DMA)",
		(unsigned long long)c.dma_bytes);
	munmap(at, 64 * KIB);
	close(file);
	unlink(path);
}

/* The device's own pages are neither anonymous nor swap backed: by CPU, and said. */
static void device_pages(void)
{
	struct cftu_copy c = run(CFTU_FROM_USER, CFTU_ENGINE_POLICY, (void *)mapped, 64 * KIB);

	ktap_ok(!c.not_copied_bytes, "a mapped kernel buffer can be a source");
}

static void zero_page(void)
{
	uint8_t *at = pages(64 * KIB);
	volatile uint8_t sum = 0;
	struct cftu_copy c;
	size_t i;

	for (i = 0; i < 64 * KIB; i += PAGE)
		sum += at[i];
	fill_buffer(7);
	c = run(CFTU_TO_USER, CFTU_ENGINE_POLICY, at, 64 * KIB);
	ktap_ok(!c.not_copied_bytes && first_wrong(at, 64 * KIB, 7) == 64 * KIB,
		"the zero page is replaced, not written");
	munmap(at, 64 * KIB);
	at = pages(PAGE);
	ktap_ok(at[0] == sum, "the zero page is still zero");
	munmap(at, PAGE);
}

/* fork(), then the child's copy_to_user must not show in the parent. */
static void fork_then_write(void)
{
	uint8_t *at = pages(64 * KIB);
	int status = -1;
	pid_t child;

	memset(at, 0x33, 64 * KIB);
	fill_buffer(11);
	child = fork();
	if (!child) {
		struct cftu_copy c = run(CFTU_TO_USER, CFTU_ENGINE_POLICY, at, 64 * KIB);

		_exit(c.not_copied_bytes || !c.dma_bytes ||
		      first_wrong(at, 64 * KIB, 11) != 64 * KIB);
	}
	waitpid(child, &status, 0);
	ktap_ok(status == 0, "a child writes its copy by DMA");
	ktap_ok(all_are(at, 64 * KIB, 0x33), "the parent's pages are unchanged");
	munmap(at, 64 * KIB);
}

static void not_writable_registration(void)
{
	uint8_t *at = pages(64 * KIB);
	struct cftu_register r = { .user_addr = (uintptr_t)at, .length_bytes = 64 * KIB };
	struct cftu_copy c = copy_of(CFTU_TO_USER, buffer, at, 0, 64 * KIB);
	struct cftu_release release;
	int error;

	if (!ktap_ok(CALL(fd, CFTU_REGISTER, &r) == 0, "memory registers for reading"))
		return;
	c.registration = r.id;
	error = CALL(fd, CFTU_COPY, &c);
	ktap_ok(error == -EACCES && c.reason == CFTU_REASON_NOT_PERMITTED,
		"it may not be a destination");
	release = (struct cftu_release){ .id = r.id };
	CALL(fd, CFTU_UNREGISTER, &release);
	munmap(at, 64 * KIB);
}

int main(void)
{
	ktap_begin();
	fd = open_cftu();
	buffer = fd >= 0 ? alloc_buffer(fd, BUFFER, 0) : 0;
	mapped = buffer ? map_buffer(fd, buffer, BUFFER) : NULL;
	if (!ktap_ok(mapped && !start_policy(fd, CFTU_POLICY_SHARED), "a shared policy runs"))
		return ktap_end();
	hole(CFTU_FROM_USER, "from user");
	hole(CFTU_TO_USER, "to user");
	read_only();
	outside(0, "address 0");
	outside(0xffff888000000000ULL, "the kernel's half");
	outside(~0ULL - 64 * KIB + 1, "the last bytes of the address space");
	shared_file();
	device_pages();
	zero_page();
	fork_then_write();
	not_writable_registration();
	return ktap_end();
}
