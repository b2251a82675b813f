/* SPDX-License-Identifier: GPL-2.0 */
/* Takes memory out of the caches: the "no cache" variants. */
#ifndef CFTU_FLUSH_H
#define CFTU_FLUSH_H

#include "copy.h"

bool cftu_can_flush(void);

/*
 * Writes back and invalidates the lines of both sides of a request. User pages
 * are pinned for the time of it where they are not registered.
 */
void cftu_flush_request(const struct cftu_request *request);

#endif
