// SPDX-License-Identifier: GPL-2.0-or-later
#include "turns.h"

static qemu_plugin_id_t self;
static uint64_t turn_instructions;
static uint64_t spent;
static unsigned int whose;
static bool is_asked;

void turns_init(qemu_plugin_id_t id, uint64_t instructions)
{
	self = id;
	turn_instructions = instructions;
}

static void idle(qemu_plugin_id_t id, unsigned int cpu)
{
	(void)id;
	(void)cpu;
}

/*
 * Asking to be told of something, or no longer, makes QEMU stop each CPU to let
 * it know; after that the next one plays on. The interface has no other word for
 * that. What we ask for is nothing to us.
 */
static void end_turn(void)
{
	is_asked = !is_asked;
	qemu_plugin_register_vcpu_idle_cb(self, is_asked ? idle : NULL);
}

void turns_spend(unsigned int cpu, uint32_t instructions)
{
	if (cpu != whose) {
		whose = cpu;
		spent = 0;
	}
	spent += instructions;
	if (spent < turn_instructions)
		return;
	spent = 0;
	end_turn();
}
