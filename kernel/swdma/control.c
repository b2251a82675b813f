// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/debug/swdma/chanN: one file a rule, the counters, and a reset. */
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "swdma.h"

static struct dentry *root;

static int knob_get(void *data, u64 *value)
{
	struct swdma_knob_file *file = data;

	*value = swdma_fault_get(file->ch, &swdma_knobs[file->index]);
	return 0;
}

static int knob_set(void *data, u64 value)
{
	struct swdma_knob_file *file = data;

	return swdma_fault_set(file->ch, &swdma_knobs[file->index], value);
}

DEFINE_DEBUGFS_ATTRIBUTE(knob_fops, knob_get, knob_set, "%llu\n");

static int counters_show(struct seq_file *s, void *unused)
{
	struct swdma_chan *ch = s->private;
	struct swdma_counters c;
	u64 depth;

	spin_lock_irq(&ch->lock);
	c = ch->counters;
	depth = ch->depth;
	spin_unlock_irq(&ch->lock);

	seq_printf(s, "prepared %llu\n", c.prepared);
	seq_printf(s, "submitted %llu\n", c.submitted);
	seq_printf(s, "descriptors %llu\n", c.descriptors);
	seq_printf(s, "bytes %llu\n", c.bytes);
	seq_printf(s, "callbacks %llu\n", c.callbacks);
	seq_printf(s, "errors_injected %llu\n", c.errors_injected);
	seq_printf(s, "prep_refused %llu\n", c.prep_refused);
	seq_printf(s, "prep_injected %llu\n", c.prep_injected);
	seq_printf(s, "prep_invalid %llu\n", c.prep_invalid);
	seq_printf(s, "pauses %llu\n", c.pauses);
	seq_printf(s, "resumes %llu\n", c.resumes);
	seq_printf(s, "terminates %llu\n", c.terminates);
	seq_printf(s, "dropped %llu\n", c.dropped);
	seq_printf(s, "max_depth %llu\n", c.max_depth);
	seq_printf(s, "depth %llu\n", depth);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

static int name_show(struct seq_file *s, void *unused)
{
	struct swdma_chan *ch = s->private;

	seq_printf(s, "%s\n", dma_chan_name(&ch->chan));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(name);

/* Any write: counters to zero, rules back to what the module was loaded with. */
static int reset_set(void *data, u64 value)
{
	struct swdma_chan *ch = data;

	spin_lock_irq(&ch->lock);
	memset(&ch->counters, 0, sizeof(ch->counters));
	spin_unlock_irq(&ch->lock);
	swdma_fault_reset(ch);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(reset_fops, NULL, reset_set, "%llu\n");

void swdma_control_add(struct swdma_chan *ch)
{
	struct dentry *dir;
	char name[16];
	uint i;

	snprintf(name, sizeof(name), "chan%u", ch->number);
	dir = debugfs_create_dir(name, root);
	debugfs_create_file("name", 0444, dir, ch, &name_fops);
	debugfs_create_file("counters", 0444, dir, ch, &counters_fops);
	debugfs_create_file_unsafe("reset", 0200, dir, ch, &reset_fops);
	for (i = 0; i < SWDMA_KNOBS; i++) {
		ch->knobs[i].ch = ch;
		ch->knobs[i].index = i;
		debugfs_create_file_unsafe(swdma_knobs[i].name, 0644, dir, &ch->knobs[i],
					   &knob_fops);
	}
}

void swdma_control_init(void)
{
	root = debugfs_create_dir("swdma", NULL);
}

void swdma_control_exit(void)
{
	debugfs_remove_recursive(root);
}
