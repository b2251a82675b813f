// SPDX-License-Identifier: GPL-2.0
/* Who gets which channel. */
#include "../../tests/ktap.h"
#include "../choose.h"

#define CPUS 8

static void exclusive(void)
{
	bool online[CPUS] = { true, false, true, true, false, false, true, false };
	u16 map[CPUS];

	ktap_ok(cftu_exclusive_map(map, online, CPUS, 4, false) == 0 && map[0] == 0 &&
		map[2] == 1 && map[3] == 2 && map[6] == 3 && map[1] == CFTU_NO_CHANNEL,
		"each online CPU owns a channel");
	ktap_ok(cftu_exclusive_map(map, online, CPUS, 3, false) == 1 && map[6] == CFTU_NO_CHANNEL,
		"a CPU goes without where channels run out, and it is told");
	ktap_ok(cftu_exclusive_map(map, online, CPUS, 3, true) == 0 && map[6] == 0,
		"folded, CPUs share");
	ktap_ok(cftu_exclusive_map(map, online, CPUS, 0, true) == 4, "no channels, nobody has one");
	cftu_exclusive_map(map, online, CPUS, 4, false);
	map[2] = CFTU_NO_CHANNEL;
	ktap_ok(cftu_exclusive_join(map, CPUS, 5, 4) == 1 && map[5] == 1,
		"a CPU that comes gets the channel that is free");
	ktap_ok(cftu_exclusive_join(map, CPUS, 7, 4) == CFTU_NO_CHANNEL, "or none");
}

/* Offers all seats from `turn` on, as the module does. */
static u16 choose(enum cftu_policy_kind kind, enum cftu_chooser chooser, enum cftu_class class_,
		  const struct cftu_seat *seats, unsigned int channels, unsigned int turn)
{
	struct cftu_choice choice;
	unsigned int i;

	cftu_choice_begin(&choice, kind, chooser, class_);
	for (i = 0; i < channels; i++) {
		unsigned int at = (turn + i) % channels;

		if (cftu_choice_offer(&choice, (u16)at, &seats[at]))
			break;
	}
	return cftu_choice_end(&choice);
}

static void shared(void)
{
	struct cftu_seat seats[4] = {
		{ true, false, 500 }, { true, false, 100 }, { false, false, 0 }, { true, false, 100 },
	};
	unsigned int counts[4] = { 0 }, turn;

	for (turn = 0; turn < 400; turn++)
		counts[choose(CFTU_POLICY_SHARED, CFTU_CHOOSE_ROUND_ROBIN, CFTU_CLASS_LOW, seats,
			      4, turn)]++;
	ktap_ok(counts[0] == 100 && counts[1] == 100 && !counts[2] && counts[3] == 200,
		"round robin passes dead channels on to the next");
	ktap_ok(choose(CFTU_POLICY_SHARED, CFTU_CHOOSE_LEAST_OUTSTANDING, CFTU_CLASS_LOW,
		       seats, 4, 2) == 3 &&
		choose(CFTU_POLICY_SHARED, CFTU_CHOOSE_LEAST_OUTSTANDING, CFTU_CLASS_LOW,
		       seats, 4, 0) == 1,
		"the least busy one, ties by turn");
	seats[0].alive = seats[1].alive = seats[3].alive = false;
	ktap_ok(choose(CFTU_POLICY_SHARED, CFTU_CHOOSE_ROUND_ROBIN, CFTU_CLASS_LOW, seats, 4,
		       9) == CFTU_NO_CHANNEL &&
		choose(CFTU_POLICY_SHARED, CFTU_CHOOSE_ROUND_ROBIN, CFTU_CLASS_LOW, seats, 0,
		       9) == CFTU_NO_CHANNEL,
		"none alive, none chosen");
}

static u16 by_priority(const struct cftu_seat *seats, enum cftu_class class_, u32 turn)
{
	return choose(CFTU_POLICY_PRIORITY, CFTU_CHOOSE_ROUND_ROBIN, class_, seats, 3, turn);
}

static void priority(void)
{
	struct cftu_seat seats[3] = { { true, true, 0 }, { true, false, 0 }, { true, false, 0 } };
	unsigned int wrong = 0, turn;

	for (turn = 0; turn < 30; turn++)
		wrong += by_priority(seats, CFTU_CLASS_HIGH, turn) != 0 ||
			 by_priority(seats, CFTU_CLASS_LOW, turn) == 0;
	ktap_equal(wrong, 0, "high copies have the high channel, low ones the others");
	seats[0].alive = false;
	ktap_ok(by_priority(seats, CFTU_CLASS_HIGH, 1) == CFTU_NO_CHANNEL,
		"high copies do not take low channels");
	seats[0].alive = true;
	seats[1].alive = seats[2].alive = false;
	ktap_ok(by_priority(seats, CFTU_CLASS_LOW, 1) == 0,
		"low copies take a high channel where no other lives");
	seats[2].alive = true;
	seats[2].outstanding_bytes = 1 << 20;
	ktap_ok(choose(CFTU_POLICY_PRIORITY, CFTU_CHOOSE_LEAST_OUTSTANDING, CFTU_CLASS_LOW,
		       seats, 3, 0) == 2,
		"an idle high channel does not lure them from a busy one of their own");
}

int main(void)
{
	ktap_begin();
	exclusive();
	shared();
	priority();
	return ktap_end();
}
