// SPDX-License-Identifier: GPL-2.0
/*
 * Every byte arrives and none beside it changes: sizes from 1 byte to 4 MiB,
 * offsets on both sides, both directions, every policy and the CPU, memory
 * pinned for the copy and registered, buffers in one piece and scattered.
 */
#include "client.h"

#define ROOM (4 * MIB + 16 * KIB)
#define GUARD 64
#define UNTOUCHED 0xa5

static const size_t sizes[] = {
	1, 2, 63, 64, 65, 224, 1124, 4095, 4096, 4097, 65535, 65536, 65553, 262144, 1048576,
	4 * MIB,
};

static const struct {
	size_t user;
	size_t kernel;
} offsets[] = { { 0, 0 }, { 1, 1 }, { 3, 0 }, { 0, 64 }, { 4095, 17 }, { 2048, 2048 } };

static int fd;
static uint8_t *user;
static uint8_t *truth;
static uint64_t dma_bytes;

/* One copy with guards round the destination. Returns NULL or what went wrong. */
static const char *to_user(uint32_t buffer, uint32_t engine, uint32_t registration, size_t size,
			   size_t user_offset, size_t kernel_offset)
{
	struct cftu_copy c = copy_of(CFTU_TO_USER, buffer, user + GUARD + user_offset,
				     kernel_offset, size);

	memset(user, UNTOUCHED, size + user_offset + 2 * GUARD);
	c.engine = engine;
	c.registration = registration;
	if (CALL(fd, CFTU_COPY, &c))
		return "call failed";
	if (c.not_copied_bytes || c.dma_bytes + c.cpu_bytes != size)
		return "short copy";
	dma_bytes += c.dma_bytes;
	if (!all_are(user, GUARD + user_offset, UNTOUCHED) ||
	    !all_are(user + GUARD + user_offset + size, GUARD, UNTOUCHED))
		return "a byte beside the destination changed";
	if (memcmp(user + GUARD + user_offset, truth + kernel_offset, size))
		return "wrong bytes";
	return NULL;
}

static const char *from_user(uint32_t buffer, const uint8_t *mapped, uint32_t engine,
			     uint32_t registration, size_t size, size_t user_offset,
			     size_t kernel_offset, unsigned int seed)
{
	uint8_t *source = user + GUARD + user_offset;
	struct cftu_copy c = copy_of(CFTU_FROM_USER, buffer, source, kernel_offset, size);

	fill(source, size, seed);
	c.engine = engine;
	c.registration = registration;
	if (CALL(fd, CFTU_COPY, &c))
		return "call failed";
	if (c.not_copied_bytes || c.dma_bytes + c.cpu_bytes != size)
		return "short copy";
	dma_bytes += c.dma_bytes;
	memcpy(truth + kernel_offset, source, size);
	/* The whole buffer would take long: the copy and its neighbourhood. */
	if (memcmp(mapped + kernel_offset, truth + kernel_offset, size + GUARD))
		return "wrong bytes or a byte behind the destination changed";
	if (kernel_offset && memcmp(mapped, truth, kernel_offset))
		return "a byte before the destination changed";
	return NULL;
}

static void sweep(uint32_t policy, uint32_t buffer_flags, bool registered)
{
	uint32_t engine = policy ? CFTU_ENGINE_POLICY : CFTU_ENGINE_CPU;
	uint32_t buffer = alloc_buffer(fd, ROOM, buffer_flags), registration = 0;
	const uint8_t *mapped = map_buffer(fd, buffer, ROOM);
	struct cftu_release release = { .id = buffer };
	const char *wrong = NULL;
	unsigned int done = 0;
	size_t s, o;

	if (!mapped) {
		ktap_ok(false, "a kernel buffer of %lu bytes can be had and mapped", ROOM);
		return;
	}
	memset(truth, 0, ROOM);
	dma_bytes = 0;
	if (registered)
		registration = register_memory(fd, user, ROOM);
	for (s = 0; !wrong && s < sizeof(sizes) / sizeof(*sizes); s++) {
		for (o = 0; !wrong && o < sizeof(offsets) / sizeof(*offsets); o++) {
			wrong = from_user(buffer, mapped, engine, registration, sizes[s],
					  offsets[o].user, offsets[o].kernel, s * 16 + o);
			if (!wrong)
				wrong = to_user(buffer, engine, registration, sizes[s],
						offsets[o].user, offsets[o].kernel);
			if (wrong)
				ktap_note("size %zu user offset %zu kernel offset %zu: %s",
					  sizes[s], offsets[o].user, offsets[o].kernel, wrong);
			else
				done += 2;
		}
	}
	ktap_ok(!wrong && (!policy || dma_bytes), "%u copies by %s, %s, %s buffer, %s",
		done, policy ? policy_names[policy] : "cpu", registered ? "registered" : "pinned",
		buffer_flags ? "scattered" : "contiguous", policy ? "some by DMA" : "all by CPU");
	munmap((void *)mapped, ROOM);
	if (registration) {
		struct cftu_release r = { .id = registration };

		CALL(fd, CFTU_UNREGISTER, &r);
	}
	ktap_ok(CALL(fd, CFTU_BUFFER_FREE, &release) == 0, "the buffer is given back");
}

int main(void)
{
	uint32_t policy;

	ktap_begin();
	fd = open_cftu();
	user = pages(ROOM + 2 * GUARD);
	truth = malloc(ROOM);
	if (!ktap_ok(fd >= 0 && user && truth, "/dev/cftu opens"))
		return ktap_end();
	sweep(0, 0, false);
	for (policy = CFTU_POLICY_EXCLUSIVE; policy <= CFTU_POLICY_PRIORITY; policy++) {
		int error = start_policy(fd, policy);

		if (!ktap_ok(!error, "policy %s starts", policy_names[policy])) {
			ktap_note("error %d", error);
			continue;
		}
		sweep(policy, 0, false);
		sweep(policy, CFTU_BUFFER_SCATTERED, true);
	}
	ktap_ok(stop_policy(fd) == 0, "the policy stops");
	return ktap_end();
}
