// SPDX-License-Identifier: GPL-2.0
#include <linux/highmem.h>
#include <linux/mm.h>

#include "flush.h"

#if defined(CONFIG_X86)
#include <asm/cacheflush.h>

static void flush_lines(void *at, size_t length)
{
	clflush_cache_range(at, length);
}

bool cftu_can_flush(void)
{
	return boot_cpu_has(X86_FEATURE_CLFLUSH);
}
#elif defined(CONFIG_ARM64)
#include <asm/cache.h>
#include <asm/cputype.h>

/* Clean and invalidate to the point of coherency; the routine of the kernel that does it is not for modules. */
static void flush_lines(void *at, size_t length)
{
	unsigned long line = 4UL << ((read_cpuid_cachetype() >> 16) & 0xf);
	unsigned long addr = (unsigned long)at & ~(line - 1);
	unsigned long end = (unsigned long)at + length;

	for (; addr < end; addr += line)
		asm volatile("dc civac, %0" : : "r"(addr) : "memory");
	asm volatile("dsb sy" : : : "memory");
}

bool cftu_can_flush(void)
{
	return true;
}
#else
static void flush_lines(void *at, size_t length)
{
}

bool cftu_can_flush(void)
{
	return false;
}
#endif

static void flush_page(struct page *page, size_t offset, size_t length)
{
	void *at = kmap_local_page(page);

	flush_lines(at + offset, length);
	kunmap_local(at);
}

static void flush_user(const struct cftu_request *request)
{
	unsigned long addr = request->user_addr;
	size_t left = request->length_bytes;

	while (left) {
		size_t offset = offset_in_page(addr);
		size_t piece = min(left, PAGE_SIZE - offset);
		struct page *page;

		if (pin_user_pages_fast(addr & PAGE_MASK, 1, 0, &page) == 1) {
			flush_page(page, offset, piece);
			unpin_user_page(page);
		}
		addr += piece;
		left -= piece;
	}
}

static void flush_kernel(const struct cftu_request *request)
{
	size_t at = 0;

	while (at < request->length_bytes) {
		size_t run;
		void *kernel = cftu_span_run(&request->span, request->span_offset + at,
					     request->length_bytes - at, &run);

		flush_lines(kernel, run);
		at += run;
	}
}

void cftu_flush_request(const struct cftu_request *request)
{
	flush_user(request);
	flush_kernel(request);
}
