// SPDX-License-Identifier: GPL-2.0
/*
 * An engine that neither answers nor can be terminated: its memory is never
 * given back, the copy fails, the module stays. To be run last in a guest.
 */
#include "client.h"

#define LENGTH (64 * KIB)

static struct cftu_policy_state state_of(int fd)
{
	struct cftu_policy_state state = { 0 };

	CALL(fd, CFTU_POLICY_SHOW, &state);
	return state;
}

int main(void)
{
	struct cftu_policy p = policy_of(CFTU_POLICY_SHARED);
	struct cftu_release release;
	uint8_t *at = pages(LENGTH);
	struct cftu_copy c;
	uint32_t buffer;
	int fd, error;

	ktap_begin();
	if (!have_module("swdma")) {
		ktap_skip("swdma.ko is not here", "a channel that is lost");
		return ktap_end();
	}
	fresh_engine("channels=1 terminate=0");
	fd = open_cftu();
	p.timeout_ns = 300000000;
	if (!ktap_ok(!CALL(fd, CFTU_POLICY_START, &p), "a policy on a channel without terminate"))
		return ktap_end();
	buffer = alloc_buffer(fd, LENGTH, 0);
	fill(at, LENGTH, 1);
	set_rule(0, "hang_at", 1);
	c = copy_of(CFTU_FROM_USER, buffer, at, 0, LENGTH);
	error = CALL(fd, CFTU_COPY, &c);
	ktap_ok(error == -EIO && c.reason == CFTU_REASON_CHANNEL_LOST &&
		c.not_copied_bytes == LENGTH, "the copy fails and says that the channel is lost (%d, %u)",
		error, c.reason);
	ktap_ok(state_of(fd).channels_dead == 1, "the policy counts it dead");
	release = (struct cftu_release){ .id = buffer };
	ktap_ok(CALL(fd, CFTU_BUFFER_FREE, &release) == -EBUSY,
		"the buffer that the engine may still write to stays");
	buffer = alloc_buffer(fd, LENGTH, 0);
	c = copy_of(CFTU_FROM_USER, buffer, at, 0, LENGTH);
	ktap_ok(!CALL(fd, CFTU_COPY, &c) && !c.not_copied_bytes &&
		c.reason == CFTU_REASON_NO_CHANNEL, "later copies go by CPU");
	ktap_ok(stop_policy(fd) == 0, "the policy stops");
	close(fd);
	ktap_ok(unload("cftu") == -EWOULDBLOCK, "the module stays: the engine may call it back");
	ktap_ok(unload("swdma") == -EWOULDBLOCK, "and so does the engine's");
	return ktap_end();
}
