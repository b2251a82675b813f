// SPDX-License-Identifier: GPL-2.0
#include <linux/export.h>

#include "../include/cftu.h"
#include "copy.h"
#include "policy.h"

static size_t copy(enum cftu_direction direction, void *kernel, unsigned long user,
		   size_t length, unsigned long caller)
{
	struct cftu_request request = {
		.direction = direction,
		.engine = CFTU_ENGINE_POLICY,
		.user_addr = user,
		.span = { .linear = kernel, .length_bytes = length },
		.length_bytes = length,
		.caller = caller,
	};

	return length ? cftu_run_copy(&request) : 0;
}

size_t cftu_copy_from_user(void *to, const void __user *from, size_t length)
{
	return copy(CFTU_FROM_USER, to, (unsigned long)from, length, _RET_IP_);
}
EXPORT_SYMBOL_GPL(cftu_copy_from_user);

size_t cftu_copy_to_user(void __user *to, const void *from, size_t length)
{
	return copy(CFTU_TO_USER, (void *)from, (unsigned long)to, length, _RET_IP_);
}
EXPORT_SYMBOL_GPL(cftu_copy_to_user);

static int start(struct cftu_policy *spec)
{
	spec->node = NUMA_NO_NODE;
	spec->threshold_bytes = ~0ULL;
	return cftu_policy_start(spec, NULL);
}

int cftu_start_exclusive(unsigned int channels, bool allow_fold)
{
	struct cftu_policy spec = {
		.kind = CFTU_POLICY_EXCLUSIVE,
		.channels = channels,
		.flags = CFTU_POLICY_PERSIST | (allow_fold ? CFTU_POLICY_ALLOW_FOLD : 0),
	};

	return start(&spec);
}
EXPORT_SYMBOL_GPL(cftu_start_exclusive);

int cftu_start_shared(unsigned int channels, enum cftu_chooser chooser)
{
	struct cftu_policy spec = {
		.kind = CFTU_POLICY_SHARED,
		.channels = channels,
		.chooser = chooser,
		.flags = CFTU_POLICY_PERSIST,
	};

	return start(&spec);
}
EXPORT_SYMBOL_GPL(cftu_start_shared);

int cftu_start_priority(unsigned int channels, unsigned int high_channels, u64 quantum_ns,
			u64 window_ns)
{
	struct cftu_policy spec = {
		.kind = CFTU_POLICY_PRIORITY,
		.channels = channels,
		.high_channels = high_channels,
		.quantum_ns = quantum_ns,
		.window_ns = window_ns,
		.flags = CFTU_POLICY_PERSIST,
	};

	return start(&spec);
}
EXPORT_SYMBOL_GPL(cftu_start_priority);

int cftu_stop_policy(void)
{
	return cftu_policy_stop();
}
EXPORT_SYMBOL_GPL(cftu_stop_policy);
