// SPDX-License-Identifier: GPL-2.0
/* The recorder's calls: one capture at a time, each owned by an open file. */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "rec_ioctl.h"
#include "rec_probe.h"

DEFINE_MUTEX(cftu_rec_mutex);
DEFINE_MUTEX(cftu_rec_map_mutex);
struct cftu_rec_capture __rcu *cftu_rec_active;

static struct cftu_rec_capture *active(void)
{
	return rcu_dereference_protected(cftu_rec_active, lockdep_is_held(&cftu_rec_mutex));
}

long cftu_rec_copy_in(void *structure, const void __user *arg, u32 size)
{
	if (copy_from_user(structure, arg, size))
		return -EFAULT;
	return *(u32 *)structure == size ? 0 : -EPROTO;
}

/* -EBUSY while a ring is mapped: the pages would outlive their accounting. */
static int set_capture(struct cftu_rec_client *client, struct cftu_rec_capture *capture)
{
	struct cftu_rec_capture *old = NULL;
	int error = 0;

	mutex_lock(&cftu_rec_map_mutex);
	if (atomic_read(&client->mappings)) {
		error = -EBUSY;
	} else {
		old = client->capture;
		client->capture = capture;
	}
	mutex_unlock(&cftu_rec_map_mutex);
	cftu_rec_capture_free(old);
	return error;
}

static int start_checked(struct cftu_rec_client *client, struct cftu_trace_start *start)
{
	struct cftu_rec_capture *capture;
	int error;

	if (active()) {
		start->reason = CFTU_REASON_TRACE_ACTIVE;
		return -EBUSY;
	}
	if (set_capture(client, NULL)) {
		start->reason = CFTU_REASON_TRACE_MAPPED;
		return -EBUSY;
	}
	capture = cftu_rec_capture_create(start, &error);
	if (!capture)
		return error;
	error = cftu_rec_probes_get();
	if (error) {
		start->reason = CFTU_REASON_NO_PROBE;
		cftu_rec_capture_free(capture);
		return error;
	}
	capture->started_ns = ktime_get_mono_fast_ns();
	set_capture(client, capture);
	rcu_assign_pointer(cftu_rec_active, capture);
	return 0;
}

static bool reserved_set(const u64 *reserved, int words)
{
	while (words--)
		if (*reserved++)
			return true;
	return false;
}

static long trace_start(struct cftu_rec_client *client, void __user *arg)
{
	struct cftu_trace_start start;
	long error;

	error = cftu_rec_copy_in(&start, arg, sizeof(start));
	if (error)
		return error;
	start.reason = CFTU_REASON_NONE;
	if (reserved_set(start.reserved, ARRAY_SIZE(start.reserved))) {
		start.reason = CFTU_REASON_RESERVED_SET;
		error = -EINVAL;
	} else if (!capable(CAP_SYS_ADMIN)) {
		start.reason = CFTU_REASON_NOT_PERMITTED;
		error = -EPERM;
	} else {
		error = start_checked(client, &start);
	}
	/* The capture runs even if this faults; closing the file ends it. */
	if (copy_to_user(arg, &start, sizeof(start)))
		return -EFAULT;
	return error;
}

static void stop(struct cftu_rec_capture *capture)
{
	if (!capture || capture != active())
		return;
	RCU_INIT_POINTER(cftu_rec_active, NULL);
	synchronize_rcu();
	capture->stopped_ns = ktime_get_mono_fast_ns();
}

static void sum_cpus(struct cftu_trace_state *state, const struct cftu_rec_capture *capture)
{
	unsigned int number;
	int i;

	for_each_possible_cpu(number) {
		const struct cftu_rec_cpu *cpu = per_cpu_ptr(capture->cpus, number);

		state->dropped_records += READ_ONCE(cpu->dropped_records);
		state->dropped_slots += READ_ONCE(cpu->dropped_slots);
		for (i = 0; i < CFTU_TRACE_OPERATIONS; i++)
			state->copies[i] += READ_ONCE(cpu->sequence[i]);
	}
}

static long state_out(struct cftu_rec_client *client, void __user *arg)
{
	const struct cftu_rec_capture *capture = client->capture;
	struct cftu_trace_state *state;
	long error = 0;
	u32 size;

	if (get_user(size, (u32 __user *)arg))
		return -EFAULT;
	if (size != sizeof(*state))
		return -EPROTO;
	state = kzalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	state->size = size;
	state->active = capture && capture == active();
	state->active_elsewhere = active() && !state->active;
	cftu_rec_probes_tell(state, capture);
	if (capture) {
		state->records_per_cpu = capture->records_per_cpu;
		state->slots_per_cpu = capture->slots_per_cpu;
		state->started_ns = capture->started_ns;
		state->stopped_ns = capture->stopped_ns;
		sum_cpus(state, capture);
	}
	if (copy_to_user(arg, state, sizeof(*state)))
		error = -EFAULT;
	kfree(state);
	return error;
}

static long trace_stop(struct cftu_rec_client *client, void __user *arg)
{
	bool ran = client->capture == active();
	long error;

	if (!client->capture)
		return -ENODATA;
	stop(client->capture);
	/* The probes' own counts go with them. */
	error = state_out(client, arg);
	if (ran)
		cftu_rec_probes_put();
	return error;
}

static long locked_ioctl(struct cftu_rec_client *client, unsigned int cmd, void __user *arg)
{
	switch (cmd) {
	case CFTU_TRACE_START:
		return trace_start(client, arg);
	case CFTU_TRACE_STOP:
		return trace_stop(client, arg);
	case CFTU_TRACE_STATE:
		return state_out(client, arg);
	case CFTU_TRACE_CONSUME:
		return client->capture ? cftu_rec_consume(client->capture, arg) : -ENODATA;
	case CFTU_TRACE_HISTOGRAM_READ:
		return client->capture ? cftu_rec_histogram_read(client->capture, arg) : -ENODATA;
	default:
		return -ENOTTY;
	}
}

long cftu_rec_ioctl(struct cftu_rec_client *client, unsigned int cmd, void __user *arg)
{
	long result;

	if (mutex_lock_interruptible(&cftu_rec_mutex))
		return -ERESTARTSYS;
	result = locked_ioctl(client, cmd, arg);
	mutex_unlock(&cftu_rec_mutex);
	return result;
}

void cftu_rec_release(struct cftu_rec_client *client)
{
	mutex_lock(&cftu_rec_mutex);
	if (client->capture && client->capture == active()) {
		stop(client->capture);
		cftu_rec_probes_put();
	}
	set_capture(client, NULL);
	mutex_unlock(&cftu_rec_mutex);
}

void cftu_rec_exit(void)
{
	mutex_lock(&cftu_rec_mutex);
	cftu_rec_probes_drop();
	mutex_unlock(&cftu_rec_mutex);
}
