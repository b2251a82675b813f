// SPDX-License-Identifier: GPL-2.0
/*
 * Each call of the interface again and again: with its first allocation or
 * access to user memory refused by the kernel, with its second, and so on until
 * none is left to refuse. Whatever a call answers, nothing may break, what it
 * calls copied has to be there, and afterwards all works as before. What is
 * lost by it the kernel's leak detector says. Run by faultinject.sh.
 */
#include <stdio.h>

#include "../uapi/cftu_trace.h"
#include "client.h"

#define LENGTH (24 * KIB)
#define MOST 2000

static int switch_fd, fd;
static uint8_t *user;
static unsigned long wrong;

/* Refuses the n-th thing that can be refused to this thread; 0: nothing. */
static void refuse(unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	/* The word itself goes through user memory, and may be what is refused. */
	while (pwrite(switch_fd, text, length, 0) < 0 && errno == EFAULT)
		;
}

/* Whether it has come to that since. */
static bool refused(void)
{
	char text[16] = "";

	/* One more access: if that fails, it was this one's turn. */
	return pread(switch_fd, text, sizeof(text) - 1, 0) > 0 && !strtoul(text, NULL, 10);
}

static bool armed, came;

static void arm(unsigned int n)
{
	armed = true;
	came = false;
	refuse(n);
}

/* From here on nothing is refused, until the next arm(). */
static void disarm(void)
{
	if (!armed)
		return;
	came = refused();
	refuse(0);
	armed = false;
}

/* All that is called whole must be. */
static void judge(struct cftu_copy *c, const uint8_t *there, int error)
{
	const uint8_t *from = c->direction == CFTU_FROM_USER ? user : there;
	const uint8_t *to = c->direction == CFTU_FROM_USER ? there : user;

	if (!error && (c->not_copied_bytes > c->length_bytes ||
		       memcmp(from, to, c->length_bytes - c->not_copied_bytes)))
		wrong++;
}

static void copy(uint32_t direction, uint32_t id, const uint8_t *there, uint32_t registration)
{
	static unsigned int seed;
	struct cftu_copy c = copy_of(direction, id, user, 0, LENGTH);

	if (!there)
		return;
	if (direction == CFTU_FROM_USER)
		fill(user, LENGTH, ++seed);
	else
		memset(user, 0, LENGTH);
	c.registration = registration;
	judge(&c, there, CALL(fd, CFTU_COPY, &c));
}

static void free_buffer(uint32_t id)
{
	struct cftu_release r = { .id = id };

	if (id)
		CALL(fd, CFTU_BUFFER_FREE, &r);
}

static void open_and_close(void)
{
	int other = open_cftu();

	if (other >= 0)
		close(other);
}

static void buffer_of(uint32_t flags)
{
	uint32_t id = alloc_buffer(fd, LENGTH, flags);
	const uint8_t *there = id ? map_buffer(fd, id, LENGTH) : NULL;

	if (there)
		munmap((void *)there, LENGTH);
	/* A call that was refused has left it. */
	disarm();
	free_buffer(id);
}

static void plain_buffer(void)
{
	buffer_of(0);
}

static void scattered_buffer(void)
{
	buffer_of(CFTU_BUFFER_SCATTERED);
}

static void registration(void)
{
	struct cftu_release r = { .id = register_memory(fd, user, LENGTH) };

	if (r.id && CALL(fd, CFTU_UNREGISTER, &r)) {
		disarm();
		CALL(fd, CFTU_UNREGISTER, &r);
	}
}

static uint32_t buffer, registered;
static const uint8_t *mapped;

static void copies(void)
{
	copy(CFTU_FROM_USER, buffer, mapped, 0);
	copy(CFTU_TO_USER, buffer, mapped, 0);
}

static void registered_copies(void)
{
	copy(CFTU_FROM_USER, buffer, mapped, registered);
	copy(CFTU_TO_USER, buffer, mapped, registered);
}

static void measurement(void)
{
	static struct cftu_sample samples[4];
	struct cftu_measure m = {
		.direction = CFTU_BOTH, .engine = CFTU_ENGINE_POLICY, .buffer = buffer,
		.user_addr = (uintptr_t)user, .length_bytes = LENGTH,
		.samples_addr = (uintptr_t)samples, .repetitions = 4, .copies_per_sample = 1,
		.flags = CFTU_MEASURE_PHASES,
	};

	CALL(fd, CFTU_MEASURE, &m);
}

static void read_all(const char *path)
{
	char text[512];
	int file = open(path, O_RDONLY);

	while (file >= 0 && read(file, text, sizeof(text)) > 0)
		;
	if (file >= 0)
		close(file);
}

static void questions(void)
{
	static struct cftu_channel list[8];
	struct cftu_channels c = { .channels_addr = (uintptr_t)list, .capacity = 8 };
	struct cftu_policy_state p = { 0 };
	struct cftu_stats s = { 0 };

	CALL(fd, CFTU_STATS, &s);
	CALL(fd, CFTU_POLICY_SHOW, &p);
	CALL(fd, CFTU_CHANNELS, &c);
	read_all("/sys/kernel/debug/cftu/stats");
	read_all("/sys/kernel/debug/cftu/policy");
	read_all("/sys/kernel/debug/cftu/channels");
}

static void exclusive(void)
{
	start_policy(fd, CFTU_POLICY_EXCLUSIVE);
}

static void shared(void)
{
	start_policy(fd, CFTU_POLICY_SHARED);
}

static void priority(void)
{
	struct cftu_policy p = policy_of(CFTU_POLICY_PRIORITY);

	p.flags |= CFTU_POLICY_HARDWARE_PAUSE;
	CALL(fd, CFTU_POLICY_START, &p);
}

static void no_policy(void)
{
	stop_policy(fd);
}

static void recording(void)
{
	struct cftu_trace_start start = {
		.flags = CFTU_TRACE_RECORDS | CFTU_TRACE_HISTOGRAM,
		.records_per_cpu = 64, .slots_per_cpu = 64,
	};
	struct cftu_trace_state state = { 0 };
	struct cftu_trace_consume consume = { 0 };
	int other = open_cftu();

	if (other < 0)
		return;
	if (!CALL(other, CFTU_TRACE_START, &start)) {
		void *ring = mmap(NULL, 4096, PROT_READ, MAP_SHARED, other,
				  CFTU_TRACE_MMAP_OFFSET(0));

		CALL(other, CFTU_TRACE_CONSUME, &consume);
		CALL(other, CFTU_TRACE_STATE, &state);
		CALL(other, CFTU_TRACE_STOP, &state);
		if (ring != MAP_FAILED)
			munmap(ring, 4096);
	}
	close(other);
}

/*
 * One step with every refusal there is in it, or after the first @dense with
 * ever wider gaps. @begin makes the state from which each try starts.
 */
static void most(const char *name, void (*begin)(void), void (*step)(void), unsigned int dense)
{
	unsigned long wrong_before = wrong;
	unsigned int n, tries = 0;

	for (n = 1; n <= MOST; n += 1 + n / dense) {
		if (begin)
			begin();
		arm(n);
		step();
		disarm();
		if (!came)
			break;
		tries++;
	}
	/* With gaps it is a sample; without, the last one must have been met. */
	ktap_ok(tries && (n <= MOST || dense < MOST) && wrong == wrong_before,
		"%s: %u refusals one after another, %lu times wrong bytes", name, tries,
		wrong - wrong_before);
}

static void each(const char *name, void (*begin)(void), void (*step)(void))
{
	most(name, begin, step, MOST + 1);
}

/* As though nothing had been: a copy by DMA is whole. */
static void works(const char *after)
{
	struct cftu_copy c = copy_of(CFTU_FROM_USER, buffer, user, 0, LENGTH);
	int error;

	fill(user, LENGTH, 77);
	error = start_policy(fd, CFTU_POLICY_SHARED) ?: CALL(fd, CFTU_COPY, &c);
	ktap_ok(!error && !c.not_copied_bytes && c.dma_bytes &&
		first_wrong(mapped, LENGTH, 77) == LENGTH, "after %s a copy by DMA is whole", after);
}

static bool set_up(void)
{
	user = pages(LENGTH);
	fd = open_cftu();
	if (fd < 0 || !user)
		return false;
	memset(user, 1, LENGTH);
	buffer = alloc_buffer(fd, LENGTH, 0);
	mapped = buffer ? map_buffer(fd, buffer, LENGTH) : NULL;
	registered = register_memory(fd, user, LENGTH);
	return mapped && registered && !start_policy(fd, CFTU_POLICY_SHARED);
}

int main(void)
{
	ktap_begin();
	switch_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (switch_fd < 0) {
		ktap_skip("this kernel cannot inject faults", "refusals one after another");
		return ktap_end();
	}
	if (!ktap_ok(set_up(), "a buffer, a registration, a shared policy"))
		return ktap_end();
	each("open and close", NULL, open_and_close);
	each("a buffer", NULL, plain_buffer);
	each("a scattered buffer", NULL, scattered_buffer);
	each("a registration", NULL, registration);
	each("copies by DMA", NULL, copies);
	each("copies of registered memory", NULL, registered_copies);
	each("a measurement", NULL, measurement);
	each("questions", NULL, questions);
	works("calls");
	each("the exclusive policy", no_policy, exclusive);
	each("from shared to exclusive", shared, exclusive);
	each("from exclusive to priority", exclusive, priority);
	each("from priority to shared", priority, shared);
	each("an end of a policy", priority, no_policy);
	each("copies without a policy", no_policy, copies);
	works("policies");
	/* Probes come and go slowly, and there are more than MOST things to refuse. */
	most("a recording", NULL, recording, 8);
	works("recordings");
	stop_policy(fd);
	return ktap_end();
}
