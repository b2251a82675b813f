/* SPDX-License-Identifier: GPL-2.0 */
/* A channel is believed after it has copied a page and left its neighbours alone. */
#ifndef CFTU_SELFTEST_H
#define CFTU_SELFTEST_H

struct cftu_lane;

/*
 * Copies a pattern, then, where order allows, tries whether polling alone
 * brings the callback, and sets lane->reapable. Returns 0, -EIO wrong bytes or
 * an engine error, -ETIMEDOUT, -ENOMEM.
 */
int cftu_self_test(struct cftu_lane *lane);

#endif
