// SPDX-License-Identifier: GPL-2.0
/*
 * The interface keeps its word: versions, reserved words, unknown flags,
 * ranges, capabilities, RLIMIT_MEMLOCK, the policy's owner.
 */
#include <sys/prctl.h>
#include <sys/resource.h>

#include "client.h"

static int fd;

static void versions(void)
{
	struct cftu_hello h = { .abi_version = CFTU_ABI_VERSION };
	struct cftu_hello other = { .abi_version = CFTU_ABI_VERSION + 1 };

	ktap_ok(CALL(fd, CFTU_HELLO, &h) == 0 && h.channels_max == CFTU_CHANNELS_MAX &&
		h.module_version[0] && h.chunk_bytes_default, "the module introduces itself");
	ktap_ok(CALL(fd, CFTU_HELLO, &other) == -EPROTO && other.reason == CFTU_REASON_ABI &&
		other.abi_version == CFTU_ABI_VERSION,
		"another version is refused and told which one this is");
	h.size = sizeof(h) - 8;
	ktap_ok(ioctl(fd, CFTU_HELLO, &h) < 0 && errno == EPROTO,
		"a size word that is not the structure's is refused");
	ktap_ok(ioctl(fd, _IOWR(CFTU_MAGIC, 0x1f, struct cftu_hello), &h) < 0,
		"an unknown command is refused");
	ktap_ok(ioctl(fd, CFTU_HELLO, NULL) < 0 && errno == EFAULT, "no structure: EFAULT");
}

#define RESERVED(what, command, structure, field)				\
	do {									\
		structure arg = { 0 };						\
		int error;							\
		arg.field = 1;							\
		error = CALL(fd, command, &arg);				\
		ktap_ok(error == -EINVAL && arg.reason == CFTU_REASON_RESERVED_SET, \
			"%s: %s must be zero (%d, %u)", what, #field, error, arg.reason); \
	} while (0)

static void reserved_words(void)
{
	RESERVED("buffer alloc", CFTU_BUFFER_ALLOC, struct cftu_buffer_alloc, reserved[2]);
	RESERVED("register", CFTU_REGISTER, struct cftu_register, reserved[1]);
	RESERVED("register", CFTU_REGISTER, struct cftu_register, reserved0);
	RESERVED("copy", CFTU_COPY, struct cftu_copy, reserved[0]);
	RESERVED("copy", CFTU_COPY, struct cftu_copy, flags);
	RESERVED("measure", CFTU_MEASURE, struct cftu_measure, reserved[2]);
	RESERVED("channels", CFTU_CHANNELS, struct cftu_channels, reserved[0]);
	RESERVED("policy", CFTU_POLICY_START, struct cftu_policy, reserved[3]);
}

static void expect_refusal(struct cftu_policy p, int error, uint32_t reason, const char *what)
{
	int got = CALL(fd, CFTU_POLICY_START, &p);

	ktap_ok(got == error && p.reason == reason, "%s is refused (%d, reason %u)", what, got,
		p.reason);
}

static void policies(void)
{
	struct cftu_policy p = policy_of(CFTU_POLICY_PRIORITY);

	p.quantum_ns = p.window_ns;
	expect_refusal(p, -EINVAL, CFTU_REASON_BAD_WINDOW, "a quantum as long as the window");
	p = policy_of(99);
	expect_refusal(p, -EINVAL, CFTU_REASON_OUT_OF_RANGE, "an unknown policy");
	p = policy_of(CFTU_POLICY_SHARED);
	p.chunk_bytes = 5000;
	expect_refusal(p, -EINVAL, CFTU_REASON_OUT_OF_RANGE, "a chunk that is no power of two");
	p = policy_of(CFTU_POLICY_SHARED);
	memset(p.driver, 'x', sizeof(p.driver));
	expect_refusal(p, -EINVAL, CFTU_REASON_OUT_OF_RANGE, "a driver name without an end");
	p = policy_of(CFTU_POLICY_SHARED);
	strcpy(p.driver, "nosuchdriver");
	expect_refusal(p, -ENODEV, CFTU_REASON_NO_MATCH, "a driver that is not here");
	p = policy_of(CFTU_POLICY_SHARED);
	p.channels = CFTU_CHANNELS_MAX;
	expect_refusal(p, -ENOSPC, CFTU_REASON_TOO_FEW_CHANNELS, "more channels than there are");
	p = policy_of(CFTU_POLICY_SHARED);
	p.node = 77777;
	expect_refusal(p, -EINVAL, CFTU_REASON_OUT_OF_RANGE, "a NUMA node that cannot be");
	ktap_ok(stop_policy(fd) == -ENOENT, "stopping what is not started says so");
}

static void busy_policy(void)
{
	struct cftu_policy p = policy_of(CFTU_POLICY_SHARED);
	struct cftu_policy_state state = { 0 };

	p.timeout_ns = 0;
	if (!ktap_ok(start_as_told(fd, &p) == 0 && p.chunk_bytes && p.timeout_ns,
		     "a policy starts and tells its defaults"))
		return;
	p = policy_of(CFTU_POLICY_SHARED);
	p.flags &= ~CFTU_POLICY_REPLACE;
	expect_refusal(p, -EBUSY, CFTU_REASON_POLICY_ACTIVE, "a second one without replace");
	ktap_ok(CALL(fd, CFTU_POLICY_SHOW, &state) == 0 &&
		state.policy.kind == CFTU_POLICY_SHARED && state.channels_held,
		"the policy can be read");
	stop_policy(fd);
}

static uint32_t running_policy(void)
{
	struct cftu_policy_state state = { 0 };

	CALL(fd, CFTU_POLICY_SHOW, &state);
	return state.policy.kind;
}

static void owner(void)
{
	struct cftu_policy p = policy_of(CFTU_POLICY_SHARED);
	int other = open_cftu();

	start_as_told(other, &p);
	ktap_ok(running_policy() == CFTU_POLICY_SHARED, "another file starts a policy");
	close(other);
	ktap_ok(running_policy() == CFTU_POLICY_NONE, "it ends with the file that started it");
	other = open_cftu();
	p = policy_of(CFTU_POLICY_SHARED);
	p.flags |= CFTU_POLICY_PERSIST;
	start_as_told(other, &p);
	close(other);
	ktap_ok(running_policy() == CFTU_POLICY_SHARED, "unless it was to persist");
	stop_policy(fd);
}

static void ranges(void)
{
	uint32_t buffer = alloc_buffer(fd, 64 * KIB, 0);
	uint8_t *at = pages(64 * KIB);
	struct cftu_copy c = copy_of(CFTU_FROM_USER, buffer, at, 1, 64 * KIB);
	struct cftu_buffer_alloc a = { .node = -1 };

	ktap_ok(CALL(fd, CFTU_COPY, &c) == -EINVAL && c.reason == CFTU_REASON_OUT_OF_RANGE,
		"a copy past the end of the kernel buffer is refused");
	c = copy_of(CFTU_FROM_USER, buffer, at, ~0ULL, 2);
	ktap_ok(CALL(fd, CFTU_COPY, &c) == -EINVAL, "an offset that wraps is refused");
	c = copy_of(CFTU_FROM_USER, buffer + 1, at, 0, 1);
	ktap_ok(CALL(fd, CFTU_COPY, &c) == -ENOENT && c.reason == CFTU_REASON_NO_SUCH_BUFFER,
		"an unknown buffer is refused");
	c = copy_of(CFTU_FROM_USER, buffer, at, 0, 0);
	ktap_ok(CALL(fd, CFTU_COPY, &c) == 0 && !c.not_copied_bytes, "no bytes are copied well");
	ktap_ok(CALL(fd, CFTU_BUFFER_ALLOC, &a) == -EINVAL, "an empty buffer is refused");
	ktap_ok(mmap(NULL, 64 * KIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     (off_t)buffer << 32) == MAP_FAILED, "a buffer is not mapped for writing");
	ktap_ok(!map_buffer(fd, buffer, 128 * KIB), "nor beyond its end");
}

static void many_objects(void)
{
	int other = open_cftu();
	unsigned int got = 0;

	while (got < 400 && alloc_buffer(other, 4096, 0))
		got++;
	ktap_equal(got, 255, "an open file holds 255 objects");
	close(other);
}

/*
 * As an ordinary user with little memory to lock: /dev/cftu does not open, and a
 * descriptor that somebody handed over does no more than it should.
 */
static int unprivileged(int own)
{
	struct rlimit limit = { 128 * KIB, 128 * KIB };
	struct cftu_buffer_alloc a = { .length_bytes = 64 * KIB, .node = -1 };
	struct cftu_policy p = policy_of(CFTU_POLICY_SHARED);
	uint8_t *at = pages(MIB);
	struct cftu_register r = { .user_addr = (uintptr_t)at, .length_bytes = 64 * KIB };
	struct cftu_release release = { 0 };
	struct cftu_copy c;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setgid(65534) || setuid(65534))
		return 1;
	if (open_cftu() >= 0 || errno != EACCES)
		return 2;
	if (CALL(own, CFTU_POLICY_START, &p) != -EPERM || p.reason != CFTU_REASON_NOT_PERMITTED)
		return 3;
	if (stop_policy(own) != -EPERM)
		return 4;
	if (CALL(own, CFTU_BUFFER_ALLOC, &a) || CALL(own, CFTU_REGISTER, &r))
		return 5;
	c = copy_of(CFTU_FROM_USER, a.id, at, 0, 64 * KIB);
	if (CALL(own, CFTU_COPY, &c) || c.not_copied_bytes)
		return 6;
	r = (struct cftu_register){ .user_addr = (uintptr_t)at + 64 * KIB,
				    .length_bytes = 4096 };
	if (CALL(own, CFTU_REGISTER, &r) != -ENOMEM || r.reason != CFTU_REASON_MEMLOCK)
		return 7;
	release.id = a.id;
	if (CALL(own, CFTU_BUFFER_FREE, &release))
		return 8;
	r = (struct cftu_register){ .user_addr = (uintptr_t)at + 64 * KIB,
				    .length_bytes = 4096 };
	return CALL(own, CFTU_REGISTER, &r) ? 9 : 0;
}

static void as_nobody(void)
{
	int status = -1;
	int own = open_cftu();
	pid_t child = fork();

	if (!child)
		_exit(unprivileged(own));
	waitpid(child, &status, 0);
	close(own);
	ktap_ok(status == 0,
		"an ordinary user does not open the device, and copies within RLIMIT_MEMLOCK and "
		"starts no policy through a descriptor that was handed over (step %d)",
		WEXITSTATUS(status));
}

static void measuring(void)
{
	uint32_t buffer = alloc_buffer(fd, 64 * KIB, 0);
	static struct cftu_sample samples[100];
	struct cftu_measure m = {
		.direction = CFTU_BOTH, .engine = CFTU_ENGINE_CPU, .buffer = buffer,
		.user_addr = (uintptr_t)pages(64 * KIB), .length_bytes = 64 * KIB,
		.samples_addr = (uintptr_t)samples, .repetitions = 100, .copies_per_sample = 1,
		.flags = CFTU_MEASURE_PHASES | CFTU_MEASURE_FLUSH,
	};
	unsigned int i, rising = 0;

	if (!ktap_ok(CALL(fd, CFTU_MEASURE, &m) == 0 && m.done == 100 &&
		     m.cpu_bytes == 2 * 100 * 64 * KIB, "100 samples are measured"))
		ktap_note("done %u reason %u", m.done, m.reason);
	for (i = 0; i < 100; i++)
		rising += samples[i].end_ns >= samples[i].start_ns &&
			  (!i || samples[i].start_ns >= samples[i - 1].end_ns) &&
			  samples[i].phases.cpu_copy_ns <= samples[i].end_ns - samples[i].start_ns;
	ktap_equal(rising, 100, "their times follow each other, phases lie inside");
	m.repetitions = 0;
	ktap_ok(CALL(fd, CFTU_MEASURE, &m) == -EINVAL, "no repetitions are refused");
	m.repetitions = 1;
	m.begin_at_ns = now_ns() + 3600000000000ULL;
	ktap_ok(CALL(fd, CFTU_MEASURE, &m) == -EINVAL, "a beginning in an hour is refused");
	m.begin_at_ns = now_ns() + 20000000;
	ktap_ok(CALL(fd, CFTU_MEASURE, &m) == 0 && m.begin_ns >= m.begin_at_ns,
		"a common beginning is waited for");
}

int main(void)
{
	ktap_begin();
	fd = open_cftu();
	if (!ktap_ok(fd >= 0, "/dev/cftu opens"))
		return ktap_end();
	versions();
	reserved_words();
	policies();
	busy_policy();
	owner();
	ranges();
	many_objects();
	as_nobody();
	measuring();
	return ktap_end();
}
