// SPDX-License-Identifier: GPL-2.0
/* Copies by an engine stand in the same rings. Needs a started device. */
#include "../client.h"
#include "capture.h"

#define DMA_TIMES 10

static int copy_often(int fd, uint32_t direction, uint32_t buffer, void *user)
{
	int failed = 0;

	for (int i = 0; i < DMA_TIMES; i++) {
		struct cftu_copy copy = copy_of(direction, buffer, user, 0, MIB);

		failed += CALL(fd, CFTU_COPY, &copy) || copy.dma_bytes != MIB;
	}
	return failed;
}

static size_t by_engine(const struct records *records, int operation)
{
	size_t count = 0;

	for (size_t i = 0; i < records->count; i++)
		count += records->record[i].engine == CFTU_ENGINE_POLICY &&
			 records->record[i].operation == operation &&
			 records->record[i].length_bytes == MIB &&
			 records->record[i].pid == (uint32_t)getpid();
	return count;
}

void test_dma(void)
{
	void *user = pages(MIB);
	struct capture capture;
	struct records records;
	uint32_t buffer;
	int failed;

	capture_open(&capture);
	if (start_policy(capture.fd, CFTU_POLICY_SHARED)) {
		ktap_skip("no free DMA_MEMCPY channel: load swdma.ko", "copies by an engine");
		return capture_close(&capture);
	}
	fill(user, MIB, 1);
	buffer = alloc_buffer(capture.fd, MIB, 0);
	ktap_equal(capture_start(&capture), 0, "start of a capture beside a policy");
	failed = copy_often(capture.fd, CFTU_FROM_USER, buffer, user) +
		 copy_often(capture.fd, CFTU_TO_USER, buffer, user);
	capture_stop(&capture);
	records = capture_take(&capture);
	ktap_equal(failed, 0, "copies that did not go by the engine");
	ktap_equal(by_engine(&records, CFTU_TRACE_COPY_FROM_USER), DMA_TIMES, "copies from user by DMA");
	ktap_equal(by_engine(&records, CFTU_TRACE_COPY_TO_USER), DMA_TIMES, "copies to user by DMA");
	ktap_equal(records_count(&records, -1, MIB), 2 * DMA_TIMES, "none of them is told twice");
	records_free(&records);
	stop_policy(capture.fd);
	capture_close(&capture);
}
