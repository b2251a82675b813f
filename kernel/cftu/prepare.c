// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "file.h"

static int refuse(u32 *reason, enum cftu_reason why, int error)
{
	*reason = why;
	return error;
}

static bool is_inside(u64 offset, u64 length, u64 whole)
{
	return length <= whole && offset <= whole - length;
}

static int take_registration(struct cftu_file *file, const struct cftu_wish *wish,
			     struct cftu_prepared *out, u32 *reason)
{
	const struct cftu_pinned *pinned;

	out->registration = cftu_object_get(file, wish->registration, CFTU_REGISTRATION);
	if (!out->registration)
		return refuse(reason, CFTU_REASON_NO_SUCH_BUFFER, -ENOENT);
	pinned = &out->registration->registration.pinned;
	if (wish->user_addr < pinned->user_addr ||
	    !is_inside(wish->user_addr - pinned->user_addr, wish->length_bytes,
		       pinned->length_bytes))
		return refuse(reason, CFTU_REASON_OUT_OF_RANGE, -EINVAL);
	if (wish->direction != CFTU_FROM_USER && !out->registration->registration.writable)
		return refuse(reason, CFTU_REASON_NOT_PERMITTED, -EACCES);
	out->request.pinned = pinned;
	return 0;
}

static int take_buffer(struct cftu_file *file, const struct cftu_wish *wish,
		       struct cftu_prepared *out, u32 *reason)
{
	out->buffer = cftu_object_get(file, wish->buffer, CFTU_KERNEL_BUFFER);
	if (!out->buffer)
		return refuse(reason, CFTU_REASON_NO_SUCH_BUFFER, -ENOENT);
	if (!is_inside(wish->kernel_offset, wish->length_bytes,
		       out->buffer->buffer.span.length_bytes))
		return refuse(reason, CFTU_REASON_OUT_OF_RANGE, -EINVAL);
	out->request.span = out->buffer->buffer.span;
	return 0;
}

int cftu_prepare(struct cftu_file *file, const struct cftu_wish *wish,
		 struct cftu_prepared *out, u32 *reason)
{
	int error;

	memset(out, 0, sizeof(*out));
	if (wish->direction > CFTU_BOTH || wish->engine > CFTU_ENGINE_NONE ||
	    wish->wait > CFTU_WAIT_HYBRID || wish->class_ > CFTU_CLASS_HIGH)
		return refuse(reason, CFTU_REASON_OUT_OF_RANGE, -EINVAL);
	if ((unsigned long)wish->user_addr != wish->user_addr ||
	    (size_t)wish->length_bytes != wish->length_bytes)
		return refuse(reason, CFTU_REASON_FAULT, -EFAULT);
	error = take_buffer(file, wish, out, reason);
	if (!error && wish->registration)
		error = take_registration(file, wish, out, reason);
	if (error) {
		cftu_prepared_release(out);
		return error;
	}
	out->request.direction = wish->direction;
	out->request.engine = wish->engine;
	out->request.wait = wish->wait;
	out->request.class_ = wish->class_;
	out->request.user_addr = untagged_addr((unsigned long)wish->user_addr);
	out->request.span_offset = wish->kernel_offset;
	out->request.length_bytes = wish->length_bytes;
	return 0;
}

void cftu_prepared_release(struct cftu_prepared *prepared)
{
	if (prepared->request.lost) {
		WRITE_ONCE(prepared->buffer->lost, true);
		if (prepared->registration)
			WRITE_ONCE(prepared->registration->lost, true);
	}
	cftu_object_put(prepared->buffer);
	cftu_object_put(prepared->registration);
}
