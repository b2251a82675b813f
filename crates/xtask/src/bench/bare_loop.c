/*
 * The system calls of a transport and nothing else: what a message costs a program
 * that was written for this one measurement. The benchmark compiles it and runs it
 * in turn with the experiments of the same names.
 *
 *     bare_loop pipe|unix|tcp 1thread|2processes BYTES BUDGET_MS CPU MESSAGES
 *
 * prints the median of its batches, nanoseconds per message. 1thread: one thread
 * sends a message and receives it, without blocking. 2processes: a process sends, a
 * forked one on the same CPU receives; a batch ends when the last byte has been
 * received, which the receiver says through a shared word. MESSAGES make a batch; 0:
 * as many as last about 2 ms.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BATCH_NS 2e6
#define MOST_BATCHES 65536

struct board {
	_Atomic unsigned long target, arrived;
	_Atomic unsigned int sleeping;
};

static int is_pipe, out_fd, in_fd;
static size_t bytes;
static char *out_buffer, *in_buffer;
static struct board *board;

__attribute__((noreturn)) static void fail(const char *doing)
{
	fprintf(stderr, "bare_loop: cannot %s: %s\n", doing, strerror(errno));
	exit(2);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void *map(size_t length, int kind)
{
	void *at = mmap(NULL, length, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		fail("map memory");
	memset(at, kind == MAP_SHARED ? 0 : 7, length);
	return at;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set))
		fail("move to the CPU");
}

static void tcp_pair(int ends[2])
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t length = sizeof to;
	int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (void *)&to, sizeof to) || listen(listener, 1) ||
	    getsockname(listener, (void *)&to, &length) ||
	    connect(ends[1], (void *)&to, sizeof to) ||
	    (ends[0] = accept(listener, NULL, NULL)) < 0)
		fail("connect over the loopback");
	for (int i = 0; i < 2; i++)
		setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	close(listener);
}

static void open_ends(const char *transport)
{
	int ends[2];

	is_pipe = !strcmp(transport, "pipe");
	if (is_pipe ? pipe(ends) : !strcmp(transport, "unix")
				 ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends)
				 : (tcp_pair(ends), 0))
		fail("make the two ends");
	/* Of a pipe the second end is written to. */
	out_fd = ends[is_pipe];
	in_fd = ends[!is_pipe];
}

static ssize_t put(const char *from, size_t length)
{
	return is_pipe ? write(out_fd, from, length) : send(out_fd, from, length, MSG_NOSIGNAL);
}

static ssize_t get(char *into, size_t length)
{
	return is_pipe ? read(in_fd, into, length) : recv(in_fd, into, length, 0);
}

static void alone(unsigned long messages)
{
	while (messages--) {
		size_t out = 0, back = 0;

		while (back < bytes) {
			ssize_t moved;

			if (out < bytes && (moved = put(out_buffer + out, bytes - out)) > 0)
				out += moved;
			if ((moved = get(in_buffer + back, bytes - back)) > 0)
				back += moved;
			else if (!moved || errno != EAGAIN)
				fail("receive");
		}
	}
}

static void receive_for_ever(void)
{
	unsigned long received = 0;

	in_buffer = map(bytes, MAP_PRIVATE);
	for (;;) {
		size_t at = received % bytes;
		ssize_t moved = get(in_buffer + at, bytes - at);

		if (moved <= 0)
			_exit(moved < 0);
		received += moved;
		if (received == atomic_load_explicit(&board->target, memory_order_acquire)) {
			atomic_store(&board->arrived, received);
			if (atomic_load(&board->sleeping)) {
				atomic_store(&board->sleeping, 0);
				syscall(SYS_futex, &board->sleeping, FUTEX_WAKE, 1, NULL);
			}
		}
	}
}

static void stream(unsigned long messages)
{
	static unsigned long sent;
	unsigned long goal = sent + messages * bytes;

	atomic_store_explicit(&board->target, goal, memory_order_release);
	while (messages--) {
		size_t out = 0;

		while (out < bytes) {
			ssize_t moved = put(out_buffer + out, bytes - out);

			if (moved <= 0)
				fail("send");
			out += moved;
		}
	}
	sent = goal;
	for (;;) {
		atomic_store(&board->sleeping, 1);
		if (atomic_load(&board->arrived) >= goal)
			break;
		syscall(SYS_futex, &board->sleeping, FUTEX_WAIT, 1, NULL);
	}
	atomic_store(&board->sleeping, 0);
}

static void start_receiver(void)
{
	pid_t parent = getpid();

	switch (fork()) {
	case -1:
		fail("fork");
	case 0:
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		close(out_fd);
		receive_for_ever();
	}
	if (is_pipe)
		close(in_fd);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int count, char **words)
{
	static double batches[MOST_BATCHES];
	void (*run)(unsigned long);
	unsigned long messages, fixed;
	int taken = 0;
	double until;

	if (count != 7) {
		fprintf(stderr, "usage: bare_loop pipe|unix|tcp 1thread|2processes BYTES BUDGET_MS CPU MESSAGES\n");
		return 2;
	}
	bytes = strtoul(words[3], NULL, 10);
	pin(atoi(words[5]));
	signal(SIGPIPE, SIG_IGN);
	board = map(sizeof *board, MAP_SHARED);
	out_buffer = map(bytes, MAP_PRIVATE);
	in_buffer = map(bytes, MAP_PRIVATE);
	open_ends(words[1]);
	if (!strcmp(words[2], "1thread")) {
		fcntl(out_fd, F_SETFL, O_NONBLOCK);
		fcntl(in_fd, F_SETFL, O_NONBLOCK);
		run = alone;
	} else {
		start_receiver();
		run = stream;
	}
	messages = strtoul(words[6], NULL, 10);
	if (messages)
		run(messages);
	/* Else the batch grows until it lasts as long as wanted. */
	for (fixed = messages, messages += !fixed; !fixed;) {
		double began = now_ns(), took;

		run(messages);
		took = now_ns() - began;
		if (took > BATCH_NS / 2) {
			messages = messages * BATCH_NS / took + 1;
			break;
		}
		messages *= 2;
	}
	until = now_ns() + atof(words[4]) * 1e6;
	while (taken < MOST_BATCHES && now_ns() < until) {
		double began = now_ns();

		run(messages);
		batches[taken++] = (now_ns() - began) / messages;
	}
	qsort(batches, taken, sizeof *batches, by_value);
	printf("%.3f\n", batches[taken / 2]);
	return 0;
}
