// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "file.h"

void cftu_file_init(struct cftu_file *file)
{
	mutex_init(&file->lock);
	xa_init_flags(&file->objects, XA_FLAGS_ALLOC1);
}

static void destroy(struct cftu_object *object)
{
	if (READ_ONCE(object->lost))
		return;
	if (object->kind == CFTU_KERNEL_BUFFER)
		cftu_buffer_destroy(object);
	else
		cftu_registration_destroy(object);
}

void cftu_file_free(struct cftu_file *file)
{
	struct cftu_object *object;
	unsigned long id;

	xa_for_each(&file->objects, id, object)
		destroy(object);
	xa_destroy(&file->objects);
	mutex_destroy(&file->lock);
}

struct cftu_object *cftu_object_get(struct cftu_file *file, u32 id, enum cftu_object_kind kind)
{
	struct cftu_object *object;

	mutex_lock(&file->lock);
	object = xa_load(&file->objects, id);
	if (object && object->kind == kind)
		refcount_inc(&object->users);
	else
		object = NULL;
	mutex_unlock(&file->lock);
	return object;
}

void cftu_object_put(struct cftu_object *object)
{
	if (object)
		refcount_dec(&object->users);
}

int cftu_object_add(struct cftu_file *file, struct cftu_object *object)
{
	int error;

	refcount_set(&object->users, 1);
	mutex_lock(&file->lock);
	error = xa_alloc(&file->objects, &object->id, object, XA_LIMIT(1, CFTU_OBJECTS_MAX),
			 GFP_KERNEL);
	mutex_unlock(&file->lock);
	return error;
}

struct cftu_object *cftu_object_take(struct cftu_file *file, u32 id, enum cftu_object_kind kind)
{
	struct cftu_object *object;

	mutex_lock(&file->lock);
	object = xa_load(&file->objects, id);
	if (!object || object->kind != kind)
		object = ERR_PTR(-ENOENT);
	else if (refcount_read(&object->users) > 1 || READ_ONCE(object->lost))
		object = ERR_PTR(-EBUSY);
	else
		xa_erase(&file->objects, id);
	mutex_unlock(&file->lock);
	return object;
}

int cftu_object_charge(struct cftu_object *object, unsigned long pages)
{
	int error = account_locked_vm(current->mm, pages, true);

	if (error)
		return error;
	mmgrab(current->mm);
	object->charged_mm = current->mm;
	object->charged_pages = pages;
	return 0;
}

void cftu_object_uncharge(struct cftu_object *object)
{
	if (!object->charged_mm)
		return;
	account_locked_vm(object->charged_mm, object->charged_pages, false);
	mmdrop(object->charged_mm);
	object->charged_mm = NULL;
}
