// SPDX-License-Identifier: GPL-2.0
/* The rings: storing, reading on, mapping. */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../core/ring_position.h"
#include "rec_ioctl.h"

static bool ring_add(struct cftu_rec_capture *capture, struct cftu_rec_cpu *cpu,
		     const struct cftu_trace_record *record)
{
	u64 head = cpu->head;

	/* Pairs with the release in cftu_rec_consume(): the reader is done with the place. */
	if (cftu_ring_full(head, smp_load_acquire(&cpu->tail), capture->records_per_cpu))
		return false;
	cpu->records[cftu_ring_index(head, capture->records_per_cpu)] = *record;
	smp_store_release(&cpu->head, head + 1);
	return true;
}

void cftu_rec_store(struct cftu_rec_capture *capture, struct cftu_trace_record *record)
{
	struct cftu_rec_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(capture->cpus);
	record->cpu_end = smp_processor_id();
	record->sequence =
		this_cpu_inc_return(capture->cpus->sequence[record->operation]) - 1;
	/* No atomic is needed: an NMI in between leaves it as it found it. */
	WRITE_ONCE(cpu->busy, cpu->busy + 1);
	if (cpu->busy != 1) {
		if (capture->flags & CFTU_TRACE_RECORDS)
			this_cpu_inc(capture->cpus->dropped_records);
		if (capture->flags & CFTU_TRACE_HISTOGRAM)
			this_cpu_inc(capture->cpus->dropped_slots);
	} else {
		if (capture->flags & CFTU_TRACE_RECORDS && !ring_add(capture, cpu, record))
			this_cpu_inc(capture->cpus->dropped_records);
		if (capture->flags & CFTU_TRACE_HISTOGRAM)
			cftu_rec_histogram_add(capture, cpu, record);
	}
	WRITE_ONCE(cpu->busy, cpu->busy - 1);
	local_irq_restore(flags);
}

static struct cftu_rec_cpu *possible_cpu(struct cftu_rec_capture *capture, u32 number)
{
	if (number >= nr_cpu_ids || !cpu_possible(number))
		return NULL;
	return per_cpu_ptr(capture->cpus, number);
}

/* The caller holds the recorder's mutex: there is one reader. */
long cftu_rec_consume(struct cftu_rec_capture *capture, void __user *arg)
{
	struct cftu_trace_consume consume;
	struct cftu_rec_cpu *cpu;
	long error;
	u64 head;
	int i;

	error = cftu_rec_copy_in(&consume, arg, sizeof(consume));
	if (error)
		return error;
	cpu = possible_cpu(capture, consume.cpu);
	if (!cpu || !(capture->flags & CFTU_TRACE_RECORDS) ||
	    consume.reserved[0] || consume.reserved[1])
		return -EINVAL;
	/* Pairs with the release in ring_add(): records below the head are whole. */
	head = smp_load_acquire(&cpu->head);
	if (consume.tail != ~0ULL) {
		if (!cftu_ring_may_move(cpu->tail, consume.tail, head))
			return -EINVAL;
		smp_store_release(&cpu->tail, consume.tail);
	}
	consume.head = head;
	consume.dropped = READ_ONCE(cpu->dropped_records);
	for (i = 0; i < CFTU_TRACE_OPERATIONS; i++)
		consume.sequence[i] = READ_ONCE(cpu->sequence[i]);
	return copy_to_user(arg, &consume, sizeof(consume)) ? -EFAULT : 0;
}

static void ring_vma_open(struct vm_area_struct *vma)
{
	struct cftu_rec_client *client = vma->vm_private_data;

	atomic_inc(&client->mappings);
}

static void ring_vma_close(struct vm_area_struct *vma)
{
	struct cftu_rec_client *client = vma->vm_private_data;

	atomic_dec(&client->mappings);
}

static const struct vm_operations_struct ring_vma_ops = {
	.open = ring_vma_open,
	.close = ring_vma_close,
};

static void forbid_writing(struct vm_area_struct *vma)
{
#ifdef CFTU_HAVE_VM_FLAGS_SET
	vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
#else
	vma->vm_flags &= ~(VM_MAYWRITE | VM_MAYEXEC);
#endif
}

static int ring_map(struct cftu_rec_client *client, struct vm_area_struct *vma)
{
	u64 offset = ((u64)vma->vm_pgoff << PAGE_SHIFT) - CFTU_TRACE_MMAP_BASE;
	struct cftu_rec_cpu *cpu;
	int error;

	if (!client->capture || !(client->capture->flags & CFTU_TRACE_RECORDS))
		return -ENODATA;
	if (offset >> 32 > U32_MAX || offset & U32_MAX)
		return -EINVAL;
	cpu = possible_cpu(client->capture, offset >> 32);
	if (!cpu)
		return -EINVAL;
	error = remap_vmalloc_range(vma, cpu->records, 0);
	if (error)
		return error;
	forbid_writing(vma);
	vma->vm_private_data = client;
	vma->vm_ops = &ring_vma_ops;
	ring_vma_open(vma);
	return 0;
}

int cftu_rec_mmap(struct cftu_rec_client *client, struct vm_area_struct *vma)
{
	int error;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	/* mmap_lock is held; the ioctls touch user memory under the other mutex. */
	mutex_lock(&cftu_rec_map_mutex);
	error = ring_map(client, vma);
	mutex_unlock(&cftu_rec_map_mutex);
	return error;
}
