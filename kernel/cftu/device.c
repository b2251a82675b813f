// SPDX-License-Identifier: GPL-2.0
/* /dev/cftu: structures in and out, permissions, dispatch. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "device.h"
#include "file.h"
#include "flush.h"
#include "module.h"
#include "policy.h"
#include "stats.h"

/* The largest structure of the interface must fit the copy we work on. */
union any_argument {
	u32 size;
	struct cftu_hello hello;
	struct cftu_buffer_alloc alloc;
	struct cftu_register registration;
	struct cftu_release release;
	struct cftu_copy copy;
	struct cftu_measure measure;
	struct cftu_channels channels;
	struct cftu_policy policy;
	struct cftu_policy_state state;
	struct cftu_stats stats;
};

static int hello(struct cftu_hello *arg)
{
	u32 theirs = arg->abi_version;

	arg->abi_version = CFTU_ABI_VERSION;
	arg->features = (cftu_can_flush() ? CFTU_FEATURE_FLUSH : 0) |
			(CFTU_REC_BUILT ? CFTU_FEATURE_TRACE : 0);
	strscpy_pad(arg->module_version, CFTU_VERSION, sizeof(arg->module_version));
	arg->channels_max = CFTU_CHANNELS_MAX;
	arg->chunk_bytes_default = cftu_chunk_bytes;
	arg->threshold_bytes_default = cftu_threshold_bytes;
	arg->reason = CFTU_REASON_NONE;
	if (theirs != CFTU_ABI_VERSION) {
		arg->reason = CFTU_REASON_ABI;
		return -EPROTO;
	}
	return 0;
}

static int copy(struct cftu_file *file, struct cftu_copy *arg)
{
	struct cftu_wish wish = CFTU_WISH_OF(arg);
	struct cftu_prepared prepared;
	struct cftu_request *request = &prepared.request;
	int error;

	if (arg->flags || memchr_inv(arg->reserved, 0, sizeof(arg->reserved))) {
		arg->reason = CFTU_REASON_RESERVED_SET;
		return -EINVAL;
	}
	if (arg->direction == CFTU_BOTH || arg->engine == CFTU_ENGINE_NONE) {
		arg->reason = CFTU_REASON_OUT_OF_RANGE;
		return -EINVAL;
	}
	error = cftu_prepare(file, &wish, &prepared, &arg->reason);
	if (error)
		return error;
	memset(&arg->phases, 0, sizeof(arg->phases));
	request->phases = &arg->phases;
	arg->cpu_start = raw_smp_processor_id();
	arg->not_copied_bytes = cftu_run_copy(request);
	arg->cpu_end = raw_smp_processor_id();
	arg->dma_bytes = request->dma_bytes;
	arg->cpu_bytes = request->cpu_bytes;
	arg->dma_chunks = request->dma_chunks;
	arg->cpu_chunks = request->cpu_chunks;
	arg->reason = request->reason;
	arg->channel = request->channel;
	error = request->lost ? -EIO : 0;
	cftu_prepared_release(&prepared);
	return error;
}

static int list_channels(struct cftu_channels *arg)
{
	unsigned int capacity = min_t(unsigned int, arg->capacity, 4 * CFTU_CHANNELS_MAX);
	struct cftu_channel *list;
	int error = 0;

	if (memchr_inv(arg->reserved, 0, sizeof(arg->reserved))) {
		arg->reason = CFTU_REASON_RESERVED_SET;
		return -EINVAL;
	}
	list = kvcalloc(max(capacity, 1U), sizeof(*list), GFP_KERNEL_ACCOUNT);
	if (!list)
		return -ENOMEM;
	arg->count = cftu_policy_channels(list, capacity);
	if (copy_to_user((void __user *)(unsigned long)arg->channels_addr, list,
			 min(arg->count, capacity) * sizeof(*list)))
		error = -EFAULT;
	kvfree(list);
	return error;
}

static int start_policy(struct cftu_file *file, struct cftu_policy *arg)
{
	if (!capable(CAP_SYS_ADMIN)) {
		arg->reason = CFTU_REASON_NOT_PERMITTED;
		return -EPERM;
	}
	arg->reason = CFTU_REASON_NONE;
	return cftu_policy_start(arg, file);
}

static int stop_policy(struct cftu_policy *arg)
{
	int error;

	if (!capable(CAP_SYS_ADMIN)) {
		arg->reason = CFTU_REASON_NOT_PERMITTED;
		return -EPERM;
	}
	error = cftu_policy_stop();
	arg->reason = error ? CFTU_REASON_NO_POLICY : CFTU_REASON_NONE;
	return error;
}

static int show_policy(struct cftu_policy_state *arg)
{
	u32 size = arg->size;

	memset(arg, 0, sizeof(*arg));
	arg->size = size;
	cftu_policy_read(arg);
	return 0;
}

static int show_stats(struct cftu_stats *arg)
{
	u32 size = arg->size;

	memset(arg, 0, sizeof(*arg));
	arg->size = size;
	cftu_stats_read(arg);
	return 0;
}

static int dispatch(struct cftu_file *file, unsigned int command, union any_argument *arg)
{
	switch (command) {
	case CFTU_HELLO:
		return hello(&arg->hello);
	case CFTU_BUFFER_ALLOC:
		return cftu_buffer_alloc(file, &arg->alloc);
	case CFTU_BUFFER_FREE:
		return cftu_buffer_free(file, &arg->release);
	case CFTU_REGISTER:
		return cftu_register(file, &arg->registration);
	case CFTU_UNREGISTER:
		return cftu_unregister(file, &arg->release);
	case CFTU_COPY:
		return copy(file, &arg->copy);
	case CFTU_MEASURE:
		return cftu_measure(file, &arg->measure);
	case CFTU_CHANNELS:
		return list_channels(&arg->channels);
	case CFTU_POLICY_START:
		return start_policy(file, &arg->policy);
	case CFTU_POLICY_STOP:
		return stop_policy(&arg->policy);
	case CFTU_POLICY_SHOW:
		return show_policy(&arg->state);
	case CFTU_STATS:
		return show_stats(&arg->stats);
	default:
		return -ENOTTY;
	}
}

/*
 * Results go back even where the call failed: the reason stands in them. A
 * size that is not the command's is another interface version.
 */
static long on_ioctl(struct file *filp, unsigned int command, unsigned long address)
{
	unsigned int size = _IOC_SIZE(command);
	struct cftu_file *file = filp->private_data;
	void __user *user = (void __user *)address;
	union any_argument *arg;
	long result;

	if (_IOC_TYPE(command) == CFTU_MAGIC && (_IOC_NR(command) & ~0xf) == 0x20)
		return cftu_rec_ioctl(&file->recorder, command, user);
	if (_IOC_TYPE(command) != CFTU_MAGIC || size > sizeof(*arg) || size < sizeof(u32))
		return -ENOTTY;
	arg = kzalloc(sizeof(*arg), GFP_KERNEL_ACCOUNT);
	if (!arg)
		return -ENOMEM;
	result = -EFAULT;
	if (copy_from_user(arg, user, size))
		goto out;
	result = -EPROTO;
	if (arg->size != size)
		goto out;
	result = dispatch(file, command, arg);
	if (result != -ENOTTY && copy_to_user(user, arg, size))
		result = -EFAULT;
out:
	kfree(arg);
	return result;
}

static int on_open(struct inode *inode, struct file *filp)
{
	struct cftu_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return -ENOMEM;
	cftu_file_init(file);
	filp->private_data = file;
	return 0;
}

static int on_release(struct inode *inode, struct file *filp)
{
	struct cftu_file *file = filp->private_data;

	cftu_rec_release(&file->recorder);
	cftu_policy_stop_if_owner(file);
	cftu_file_free(file);
	kfree(file);
	return 0;
}

static int on_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct cftu_file *file = filp->private_data;

	if ((u64)vma->vm_pgoff << PAGE_SHIFT >= CFTU_TRACE_MMAP_BASE)
		return cftu_rec_mmap(&file->recorder, vma);
	return cftu_buffer_mmap(file, vma);
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = on_open,
	.release = on_release,
	.unlocked_ioctl = on_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = on_mmap,
	.llseek = noop_llseek,
};

/*
 * For root alone: the calls check ids, ranges and RLIMIT_MEMLOCK, but nothing
 * bounds the work and the kernel memory that one user may take from the others.
 */
static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = CFTU_DEVICE_NAME,
	.fops = &operations,
	.mode = 0600,
};

int cftu_device_init(void)
{
	return misc_register(&device);
}

void cftu_device_exit(void)
{
	misc_deregister(&device);
}
