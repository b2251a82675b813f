// SPDX-License-Identifier: GPL-2.0-or-later
#include "../ram.h"
#include "check.h"

static char maps[] =
	"55d0c0000000-55d0c0a00000 r-xp 00000000 fe:00 123    /usr/bin/qemu-system-x86_64\n"
	"7f0000000000-7f0020000000 rw-s 00001000 00:01 99     "
	"/memfd:memory-backend-memfd (deleted)\n"
	"7f0030000000-7f0030001000 rw-p 00000000 00:00 0\n";

static bool find(struct ram *ram, char *text)
{
	FILE *file = fmemopen(text, strlen(text), "r");
	bool found = ram_find(ram, file);

	fclose(file);
	return found;
}

int main(void)
{
	struct ram ram;
	uint64_t at;

	equal(find(&ram, maps), 1, "the guest's memory");
	equal(ram_physical(&ram, (void *)0x7f0000000000, &at), 1, "its begin");
	equal(at, 0x1000, "is where the mapping begins");
	equal(ram_physical(&ram, (void *)0x7f001fffffff, &at), 1, "its last byte");
	equal(at, 0x20000fff, "and where that is");
	equal(ram_physical(&ram, (void *)0x7f0020000000, &at), 0, "behind it");
	equal(ram_physical(&ram, (void *)0x7effffffffff, &at), 0, "before it");
	equal(find(&ram, strrchr(maps, '-') - 12), 0, "another mapping");
	return verdict();
}
