// SPDX-License-Identifier: GPL-2.0
/*
 * Many at once: files opened and closed in the middle of copies, objects made
 * and freed, policies started and stopped, CPUs taken away, statistics read,
 * the engine told to err; every copy that is called whole is compared.
 *   stress [refusals]     with the word, what copies and switches offers itself to
 *                         the kernel's fault injection: calls may fail, and what
 *                         is called copied must still be there
 */
#include <pthread.h>

#include "client.h"

#define SECONDS 8
#define LENGTH (40 * KIB)

static volatile int stop;
static bool refusals;
static unsigned long copies, wrong, opened, switched, hotplugged;
static volatile bool plug_tried;

/* Whether a copy is not what it said it was. */
static bool is_wrong(int error, const struct cftu_copy *c, const uint8_t *there, const uint8_t *at)
{
	if (refusals && (error || !there))
		return false;
	if (error || !there || (c->not_copied_bytes && !refusals))
		return true;
	return c->not_copied_bytes > LENGTH || memcmp(there, at, LENGTH - c->not_copied_bytes);
}

static void take_refusals(void)
{
	int fd = refusals ? open("/proc/thread-self/make-it-fail", O_WRONLY) : -1;

	if (fd >= 0 && write(fd, "1", 1) == 1)
		close(fd);
}

/* Refused, it leaves a mapping that keeps the module in use. */
static void unmap(const uint8_t *mapped)
{
	while (munmap((void *)mapped, LENGTH) && refusals)
		;
}

static void *open_copy_close(void *context)
{
	unsigned int seed = (unsigned int)(intptr_t)context * 7919;
	uint8_t *at = pages(LENGTH);

	take_refusals();
	while (!stop) {
		int fd = open_cftu();
		uint32_t buffer = alloc_buffer(fd, LENGTH, seed & 1);
		const uint8_t *mapped = map_buffer(fd, buffer, LENGTH);
		uint32_t registration = seed % 3 ? 0 : register_memory(fd, at, LENGTH);
		struct cftu_copy c = copy_of(CFTU_FROM_USER, buffer, at, 0, LENGTH);

		fill(at, LENGTH, ++seed);
		c.registration = registration;
		c.class_ = seed % 2;
		c.wait = seed % 3;
		if (is_wrong(CALL(fd, CFTU_COPY, &c), &c, mapped, at))
			__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&copies, 1, __ATOMIC_RELAXED);
		if (mapped && seed % 5)
			unmap(mapped);
		close(fd);
		if (mapped && !(seed % 5))
			unmap(mapped);
		opened++;
	}
	return NULL;
}

static void *switch_policies(void *context)
{
	unsigned int i = 0;

	take_refusals();
	while (!stop) {
		int fd = open_cftu();

		start_policy(fd, 1 + i++ % 3);
		usleep(2000);
		close(fd);
		switched++;
	}
	return context;
}

static void *read_statistics(void *context)
{
	static const char *const names[] = { "stats", "policy", "channels" };
	char text[4096], path[64];
	unsigned int i = 0;

	while (!stop) {
		int fd;

		snprintf(path, sizeof(path), "/sys/kernel/debug/cftu/%s", names[i++ % 3]);
		fd = open(path, O_RDONLY);
		if (fd < 0 || read(fd, text, sizeof(text)) <= 0)
			usleep(1000);
		close(fd);
		usleep(3000);
	}
	return context;
}

static bool set_online(unsigned int cpu, bool online)
{
	char path[64];
	int fd;
	bool done;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return false;
	done = write(fd, online ? "1" : "0", 1) == 1;
	close(fd);
	return done;
}

static void *plug_cpus(void *context)
{
	while (!stop) {
		if (set_online(1, false))
			hotplugged++;
		plug_tried = true;
		usleep(150000);
		set_online(1, true);
		usleep(150000);
	}
	return context;
}

int main(int argc, char **argv)
{
	void *(*jobs[])(void *) = { open_copy_close, open_copy_close, open_copy_close,
				    switch_policies, read_statistics, plug_cpus };
	const unsigned int count = sizeof(jobs) / sizeof(*jobs);
	pthread_t threads[8];
	unsigned int i;

	ktap_begin();
	refusals = argc > 1 && !strcmp(argv[1], "refusals");
	if (have_module("swdma"))
		fresh_engine("channels=4 fail_every=13 fail_half=1");
	for (i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, jobs[i], (void *)(intptr_t)i);
	sleep(SECONDS);
	/* On a busy machine a little longer: until there is something to judge. */
	for (i = 0; i < 120 && !(copies && switched > 5 && plug_tried); i++)
		sleep(1);
	stop = 1;
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	ktap_ok(copies && !wrong, "%lu copies by files that come and go, %lu wrong", copies, wrong);
	ktap_ok(switched > 5, "%lu policies started and ended by closing", switched);
	if (hotplugged)
		ktap_ok(true, "a CPU went and came %lu times meanwhile", hotplugged);
	else
		ktap_skip("no second CPU can be taken offline here", "CPU hotplug meanwhile");
	ktap_ok(unload("cftu") == 0 && load("cftu", "") == 0, "the module goes and comes again");
	return ktap_end();
}
