/* SPDX-License-Identifier: GPL-2.0 */
/* Counters since the module was loaded, and their read-only files in debugfs. */
#ifndef CFTU_STATS_H
#define CFTU_STATS_H

#include "copy.h"

void cftu_stats_copy(const struct cftu_request *request, size_t not_copied);
void cftu_stats_dma_chunk(void);
void cftu_stats_cpu_chunk(enum cftu_reason reason);

/* Sums the CPUs' counters; reserved and size words are left alone. */
void cftu_stats_read(struct cftu_stats *out);

void cftu_stats_init(void);
void cftu_stats_exit(void);

/* The sentence of a reason, for logs and debugfs. */
const char *cftu_reason_text(enum cftu_reason reason);

#endif
