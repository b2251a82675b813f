// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "file.h"

#define BUFFER_MAX_BYTES (1ULL << 30)
/* 4 MiB of 4 KiB pages: the largest block every supported kernel hands out. */
#define ORDER_MAX 10

static void free_extents(struct cftu_object *object)
{
	unsigned int i;

	for (i = 0; i < object->buffer.extent_count; i++)
		free_pages((unsigned long)object->buffer.span.extents[i], object->buffer.order);
	kvfree(object->buffer.span.extents);
	object->buffer.span.extents = NULL;
	object->buffer.extent_count = 0;
}

static int alloc_extents(struct cftu_object *object, size_t length, unsigned int order, int node)
{
	size_t extent_bytes = PAGE_SIZE << order;
	unsigned int count = DIV_ROUND_UP(length, extent_bytes);
	/* One compound page an extent: hardened usercopy allows no copy across two. */
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | (order ? __GFP_COMP : 0);
	struct cftu_span *span = &object->buffer.span;

	/* A user's wish: it may fail, but must not cost another process its life. */
	gfp |= __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
	span->extents = kvcalloc(count, sizeof(*span->extents), GFP_KERNEL);
	if (!span->extents)
		return -ENOMEM;
	span->extent_bytes = extent_bytes;
	span->length_bytes = length;
	object->buffer.order = order;
	object->buffer.extent_count = 0;
	while (object->buffer.extent_count < count) {
		struct page *page = alloc_pages_node(node, gfp, order);

		if (!page) {
			free_extents(object);
			return -ENOMEM;
		}
		span->extents[object->buffer.extent_count++] = page_address(page);
	}
	return 0;
}

/* Reverses half of the single pages, so that no two neighbours are in a row. */
static void scatter(struct cftu_object *object)
{
	void **extents = object->buffer.span.extents;
	unsigned int i, count = object->buffer.extent_count;

	for (i = 0; i + 1 < count; i++) {
		if (extents[i + 1] != extents[i] + PAGE_SIZE)
			continue;
		swap(extents[i + 1], extents[i]);
	}
}

static int alloc_buffer(struct cftu_object *object, const struct cftu_buffer_alloc *arg)
{
	unsigned int order = min(get_order(arg->length_bytes), ORDER_MAX);
	int error;

	if (arg->flags & CFTU_BUFFER_SCATTERED) {
		error = alloc_extents(object, arg->length_bytes, 0, arg->node);
		if (!error)
			scatter(object);
		return error;
	}
	do {
		error = alloc_extents(object, arg->length_bytes, order, arg->node);
	} while (error && order--);
	return error;
}

static u32 count_extents(const struct cftu_object *object)
{
	const struct cftu_span *span = &object->buffer.span;
	unsigned int i;
	u32 extents = 0;

	for (i = 0; i < object->buffer.extent_count; i++)
		if (!i || span->extents[i] != span->extents[i - 1] + span->extent_bytes)
			extents++;
	return extents;
}

int cftu_buffer_alloc(struct cftu_file *file, struct cftu_buffer_alloc *arg)
{
	struct cftu_object *object;
	int error;

	if (arg->flags & ~CFTU_BUFFER_SCATTERED ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved))) {
		arg->reason = CFTU_REASON_RESERVED_SET;
		return -EINVAL;
	}
	if (!arg->length_bytes || arg->length_bytes > BUFFER_MAX_BYTES ||
	    arg->node < NUMA_NO_NODE || arg->node >= MAX_NUMNODES ||
	    (arg->node >= 0 && !node_online(arg->node))) {
		arg->reason = CFTU_REASON_OUT_OF_RANGE;
		return -EINVAL;
	}
	object = kzalloc(sizeof(*object), GFP_KERNEL_ACCOUNT);
	if (!object)
		goto out_memory;
	object->kind = CFTU_KERNEL_BUFFER;
	error = cftu_object_charge(object, DIV_ROUND_UP(arg->length_bytes, PAGE_SIZE));
	if (error) {
		kfree(object);
		arg->reason = CFTU_REASON_MEMLOCK;
		return error;
	}
	if (alloc_buffer(object, arg))
		goto out_uncharge;
	error = cftu_object_add(file, object);
	if (error) {
		cftu_buffer_destroy(object);
		arg->reason = CFTU_REASON_OUT_OF_RANGE;
		return error == -EBUSY ? -EMFILE : error;
	}
	arg->id = object->id;
	arg->mmap_offset = (u64)object->id << 32;
	arg->extents = count_extents(object);
	return 0;

out_uncharge:
	cftu_object_uncharge(object);
	kfree(object);
out_memory:
	arg->reason = CFTU_REASON_NO_MEMORY;
	return -ENOMEM;
}

void cftu_buffer_destroy(struct cftu_object *object)
{
	free_extents(object);
	cftu_object_uncharge(object);
	kfree(object);
}

int cftu_buffer_free(struct cftu_file *file, struct cftu_release *arg)
{
	struct cftu_object *object = cftu_object_take(file, arg->id, CFTU_KERNEL_BUFFER);

	if (IS_ERR(object))
		return PTR_ERR(object);
	cftu_buffer_destroy(object);
	return 0;
}

/* The mapped pages hold references of their own and outlive a BUFFER_FREE. */
static int insert_pages(struct vm_area_struct *vma, const struct cftu_span *span)
{
	size_t at, length = vma->vm_end - vma->vm_start;

	for (at = 0; at < length; at += PAGE_SIZE) {
		size_t run;
		void *kernel = cftu_span_run(span, at, 1, &run);
		int error = vm_insert_page(vma, vma->vm_start + at, virt_to_page(kernel));

		if (error)
			return error;
	}
	return 0;
}

int cftu_buffer_mmap(struct cftu_file *file, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct cftu_object *object;
	int error = -EINVAL;

	if (vma->vm_flags & VM_WRITE || offset & 0xffffffff || offset >> 32 > CFTU_OBJECTS_MAX)
		return -EINVAL;
	object = cftu_object_get(file, offset >> 32, CFTU_KERNEL_BUFFER);
	if (!object)
		return -ENOENT;
	if (vma->vm_end - vma->vm_start <= PAGE_ALIGN(object->buffer.span.length_bytes)) {
#ifdef CFTU_HAVE_VM_FLAGS_SET
		vm_flags_clear(vma, VM_MAYWRITE);
#else
		vma->vm_flags &= ~VM_MAYWRITE;
#endif
		error = insert_pages(vma, &object->buffer.span);
	}
	cftu_object_put(object);
	return error;
}
