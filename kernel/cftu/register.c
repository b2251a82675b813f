// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "file.h"

#define REGISTER_MAX_BYTES (1ULL << 30)

static void unpin(struct cftu_object *object)
{
	struct cftu_pinned *pinned = &object->registration.pinned;

	if (object->registration.page_count)
		unpin_user_pages_dirty_lock(pinned->pages, object->registration.page_count,
					    object->registration.writable);
	object->registration.page_count = 0;
	kvfree(pinned->pages);
	pinned->pages = NULL;
}

static int pin(struct cftu_object *object, const struct cftu_register *arg)
{
	struct cftu_pinned *pinned = &object->registration.pinned;
	unsigned long begin = arg->user_addr & PAGE_MASK;
	unsigned long wanted = DIV_ROUND_UP(offset_in_page(arg->user_addr) + arg->length_bytes,
					    PAGE_SIZE);
	unsigned int gup = FOLL_LONGTERM | (object->registration.writable ? FOLL_WRITE : 0);

	pinned->pages = kvcalloc(wanted, sizeof(*pinned->pages), GFP_KERNEL_ACCOUNT);
	if (!pinned->pages)
		return -ENOMEM;
	pinned->user_addr = arg->user_addr;
	pinned->length_bytes = arg->length_bytes;
	while (object->registration.page_count < wanted) {
		unsigned long at = object->registration.page_count;
		int got = pin_user_pages_fast(begin + at * PAGE_SIZE,
					      min_t(unsigned long, wanted - at, 512), gup,
					      pinned->pages + at);

		if (got <= 0) {
			unpin(object);
			return got ?: -EFAULT;
		}
		object->registration.page_count += got;
		cond_resched();
	}
	return 0;
}

static int check(struct cftu_register *arg)
{
	if (arg->flags & ~CFTU_REGISTER_WRITABLE || arg->reserved0 ||
	    memchr_inv(arg->reserved, 0, sizeof(arg->reserved))) {
		arg->reason = CFTU_REASON_RESERVED_SET;
		return -EINVAL;
	}
	if (!arg->length_bytes || arg->length_bytes > REGISTER_MAX_BYTES) {
		arg->reason = CFTU_REASON_OUT_OF_RANGE;
		return -EINVAL;
	}
	if (arg->user_addr != untagged_addr(arg->user_addr) ||
	    (unsigned long)arg->user_addr != arg->user_addr ||
	    !access_ok((void __user *)(unsigned long)arg->user_addr, arg->length_bytes)) {
		arg->reason = CFTU_REASON_FAULT;
		return -EFAULT;
	}
	return 0;
}

int cftu_register(struct cftu_file *file, struct cftu_register *arg)
{
	struct cftu_object *object;
	u64 begin_ns;
	int error = check(arg);

	if (error)
		return error;
	object = kzalloc(sizeof(*object), GFP_KERNEL_ACCOUNT);
	if (!object) {
		arg->reason = CFTU_REASON_NO_MEMORY;
		return -ENOMEM;
	}
	object->kind = CFTU_REGISTRATION;
	object->registration.writable = arg->flags & CFTU_REGISTER_WRITABLE;
	error = cftu_object_charge(object, DIV_ROUND_UP(offset_in_page(arg->user_addr) +
							arg->length_bytes, PAGE_SIZE));
	if (error) {
		arg->reason = CFTU_REASON_MEMLOCK;
		kfree(object);
		return error;
	}
	begin_ns = ktime_get_ns();
	error = pin(object, arg);
	arg->pin_ns = ktime_get_ns() - begin_ns;
	if (error) {
		arg->reason = error == -ENOMEM ? CFTU_REASON_NO_MEMORY : CFTU_REASON_PIN_FAILED;
		cftu_registration_destroy(object);
		return error;
	}
	arg->extents = cftu_count_extents(object->registration.pinned.pages,
					  object->registration.page_count);
	error = cftu_object_add(file, object);
	if (error) {
		arg->reason = CFTU_REASON_OUT_OF_RANGE;
		cftu_registration_destroy(object);
		return error == -EBUSY ? -EMFILE : error;
	}
	arg->id = object->id;
	return 0;
}

void cftu_registration_destroy(struct cftu_object *object)
{
	unpin(object);
	cftu_object_uncharge(object);
	kfree(object);
}

int cftu_unregister(struct cftu_file *file, struct cftu_release *arg)
{
	struct cftu_object *object = cftu_object_take(file, arg->id, CFTU_REGISTRATION);
	u64 begin_ns = ktime_get_ns();

	if (IS_ERR(object))
		return PTR_ERR(object);
	cftu_registration_destroy(object);
	arg->unpin_ns = ktime_get_ns() - begin_ns;
	return 0;
}
