/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * How a program in a guest tells the cache model what it is doing: by storing
 * one byte into a page of its own at a fixed address. The store's offset in the
 * page is the message, its value is nothing. Outside such a guest the page is
 * memory like any other, and a store costs what a store costs.
 *
 *	mmap((void *)PONTAGE_MARK_PAGE, PONTAGE_MARK_PAGE_BYTES, PROT_READ | PROT_WRITE,
 *	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_POPULATE, -1, 0);
 *
 * PONTAGE_MARK_ON	the model begins, with empty caches. Until then the guest
 *			runs at full speed and nothing counts. It works from user
 *			memory only, as all marks do.
 * PONTAGE_MARK_BEGIN	of a region, on the CPU that stores
 * PONTAGE_MARK_END	one row in the table: what that CPU did since its begin. An
 *			end on another CPU than the begin, or without one, gives none.
 *
 * Regions of several numbers may overlap; the same one begun again begins anew.
 */
#ifndef PONTAGE_MARKS_H
#define PONTAGE_MARKS_H

#define PONTAGE_MARK_PAGE	0x5047410000UL
#define PONTAGE_MARK_PAGE_BYTES	4096UL

#define PONTAGE_MARK_REGIONS	2047
#define PONTAGE_MARK_BEGIN(region)	(2 * (region))
#define PONTAGE_MARK_END(region)	(2 * (region) + 1)
#define PONTAGE_MARK_ON		4094

#endif
