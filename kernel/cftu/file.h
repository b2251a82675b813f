/* SPDX-License-Identifier: GPL-2.0 */
/* What one open of /dev/cftu owns: kernel buffers and registered memory. */
#ifndef CFTU_FILE_H
#define CFTU_FILE_H

#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/xarray.h>

#include "copy.h"
#include "rec.h"

struct cftu_file {
	struct mutex lock;		/* objects come and go */
	struct xarray objects;		/* id -> struct cftu_object */
	struct cftu_rec_client recorder;
};

enum cftu_object_kind { CFTU_KERNEL_BUFFER, CFTU_REGISTRATION };

/* One id of an open file. Counted: a copy that uses it keeps it. */
struct cftu_object {
	enum cftu_object_kind kind;
	refcount_t users;		/* 1: only the table */
	u32 id;
	struct mm_struct *charged_mm;
	unsigned long charged_pages;
	bool lost;			/* a lost engine may write to it: never freed */
	union {
		struct {
			struct cftu_span span;
			unsigned int order;
			unsigned int extent_count;
		} buffer;
		struct {
			struct cftu_pinned pinned;
			unsigned long page_count;
			bool writable;
		} registration;
	};
};

#define CFTU_OBJECTS_MAX 255

/* objects.c */
struct cftu_object *cftu_object_get(struct cftu_file *file, u32 id, enum cftu_object_kind kind);
void cftu_object_put(struct cftu_object *object);
int cftu_object_add(struct cftu_file *file, struct cftu_object *object);
/* Removes it if nobody uses it: -ENOENT, -EBUSY. The caller frees it. */
struct cftu_object *cftu_object_take(struct cftu_file *file, u32 id, enum cftu_object_kind kind);
/* Against RLIMIT_MEMLOCK of the caller; -ENOMEM. */
int cftu_object_charge(struct cftu_object *object, unsigned long pages);
void cftu_object_uncharge(struct cftu_object *object);
void cftu_file_init(struct cftu_file *file);
void cftu_file_free(struct cftu_file *file);

/* buffer.c, register.c: the ioctls; `arg` holds the structure as copied in */
int cftu_buffer_alloc(struct cftu_file *file, struct cftu_buffer_alloc *arg);
int cftu_buffer_free(struct cftu_file *file, struct cftu_release *arg);
void cftu_buffer_destroy(struct cftu_object *object);
int cftu_buffer_mmap(struct cftu_file *file, struct vm_area_struct *vma);
int cftu_register(struct cftu_file *file, struct cftu_register *arg);
int cftu_unregister(struct cftu_file *file, struct cftu_release *arg);
void cftu_registration_destroy(struct cftu_object *object);

/*
 * prepare.c: the request that the ids and ranges of a copy describe. Holds the
 * objects until cftu_prepared_release(). *reason says why not.
 */
struct cftu_prepared {
	struct cftu_request request;
	struct cftu_object *buffer;
	struct cftu_object *registration;
};

struct cftu_wish {
	u32 direction;
	u32 engine;
	u32 wait;
	u32 class_;
	u32 buffer;
	u32 registration;
	u64 user_addr;
	u64 kernel_offset;
	u64 length_bytes;
};

/* What CFTU_IOC_COPY and CFTU_IOC_MEASURE ask for alike; arg is either. */
#define CFTU_WISH_OF(arg) {						\
	.direction = (arg)->direction, .engine = (arg)->engine,		\
	.wait = (arg)->wait, .class_ = (arg)->class_,			\
	.buffer = (arg)->buffer, .registration = (arg)->registration,	\
	.user_addr = (arg)->user_addr,					\
	.kernel_offset = (arg)->kernel_offset,				\
	.length_bytes = (arg)->length_bytes,				\
}

int cftu_prepare(struct cftu_file *file, const struct cftu_wish *wish,
		 struct cftu_prepared *out, u32 *reason);
void cftu_prepared_release(struct cftu_prepared *prepared);

/* measure.c */
int cftu_measure(struct cftu_file *file, struct cftu_measure *arg);

#endif
