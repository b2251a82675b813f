// SPDX-License-Identifier: GPL-2.0
#include <linux/debugfs.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "module.h"
#include "policy.h"
#include "stats.h"

struct counters {
	u64 copies;
	u64 dma_bytes;
	u64 cpu_bytes;
	u64 not_copied_bytes;
	u64 dma_chunks;
	u64 cpu_chunks[CFTU_REASON_COUNT];
};

static DEFINE_PER_CPU(struct counters, counters);
static struct dentry *folder;

static const char *const reason_texts[CFTU_REASON_COUNT] = {
	[CFTU_REASON_NONE] = "none",
	[CFTU_REASON_ASKED_CPU] = "the caller asked for the CPU",
	[CFTU_REASON_NO_POLICY] = "no policy is running",
	[CFTU_REASON_BELOW_THRESHOLD] = "smaller than the threshold",
	[CFTU_REASON_ATOMIC] = "the context may not sleep",
	[CFTU_REASON_NO_CHANNEL_FOR_CPU] = "this CPU owns no channel",
	[CFTU_REASON_NO_CHANNEL] = "no channel is left alive",
	[CFTU_REASON_MISALIGNED] = "source and destination differ in alignment",
	[CFTU_REASON_UNALIGNED_ENDS] = "unaligned head or tail",
	[CFTU_REASON_PIN_FAILED] = "the user pages cannot be pinned",
	[CFTU_REASON_FILE_PAGE] = "destination is a shared file page",
	[CFTU_REASON_MAP_FAILED] = "mapping for the engine failed",
	[CFTU_REASON_NO_DESCRIPTOR] = "the channel gave no descriptor in time",
	[CFTU_REASON_SUBMIT_FAILED] = "the channel refused the descriptor",
	[CFTU_REASON_READ_FAILED] = "the engine could not read the source",
	[CFTU_REASON_WRITE_FAILED] = "the engine could not write the destination",
	[CFTU_REASON_ABORTED] = "the engine aborted the descriptor",
	[CFTU_REASON_TIMED_OUT] = "the channel did not answer and was terminated",
	[CFTU_REASON_CHANNEL_LOST] = "the channel is lost",
	[CFTU_REASON_KERNEL_MEMORY] = "kernel memory is not page backed",
	[CFTU_REASON_NO_MEMORY] = "no memory",
};

const char *cftu_reason_text(enum cftu_reason reason)
{
	const char *text = reason < CFTU_REASON_COUNT ? reason_texts[reason] : NULL;

	return text ?: "unknown";
}

void cftu_stats_copy(const struct cftu_request *request, size_t not_copied)
{
	this_cpu_inc(counters.copies);
	this_cpu_add(counters.dma_bytes, request->dma_bytes);
	this_cpu_add(counters.cpu_bytes, request->cpu_bytes);
	if (not_copied)
		this_cpu_add(counters.not_copied_bytes, not_copied);
}

void cftu_stats_dma_chunk(void)
{
	this_cpu_inc(counters.dma_chunks);
}

void cftu_stats_cpu_chunk(enum cftu_reason reason)
{
	this_cpu_inc(counters.cpu_chunks[reason]);
}

void cftu_stats_read(struct cftu_stats *out)
{
	int cpu, reason;

	for_each_possible_cpu(cpu) {
		const struct counters *from = per_cpu_ptr(&counters, cpu);

		out->copies += from->copies;
		out->dma_bytes += from->dma_bytes;
		out->cpu_bytes += from->cpu_bytes;
		out->not_copied_bytes += from->not_copied_bytes;
		out->dma_chunks += from->dma_chunks;
		for (reason = 0; reason < CFTU_REASON_COUNT; reason++)
			out->cpu_chunks[reason] += from->cpu_chunks[reason];
	}
}

static int stats_show(struct seq_file *file, void *unused)
{
	struct cftu_stats *stats = kzalloc(sizeof(*stats), GFP_KERNEL);
	int reason;

	if (!stats)
		return -ENOMEM;
	cftu_stats_read(stats);
	seq_printf(file, "copies %llu\ndma_bytes %llu\ncpu_bytes %llu\n", stats->copies,
		   stats->dma_bytes, stats->cpu_bytes);
	seq_printf(file, "not_copied_bytes %llu\ndma_chunks %llu\n", stats->not_copied_bytes,
		   stats->dma_chunks);
	for (reason = 0; reason < CFTU_REASON_COUNT; reason++)
		if (stats->cpu_chunks[reason])
			seq_printf(file, "cpu_chunks %llu %s\n", stats->cpu_chunks[reason],
				   cftu_reason_text(reason));
	kfree(stats);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static const char *const policy_names[] = { "none", "exclusive", "shared", "priority" };

static void show_windows(struct seq_file *file, const struct cftu_windows *w)
{
	int bucket;

	seq_printf(file, "high_windows %llu total_ns %llu max_ns %llu\n", w->high_count,
		   w->high_ns, w->high_max_ns);
	seq_printf(file, "low_windows %llu total_ns %llu max_ns %llu\n", w->low_count, w->low_ns,
		   w->low_max_ns);
	seq_printf(file, "missed %llu\ngate_waits %llu total_ns %llu max_ns %llu\n", w->missed,
		   w->gate_waits, w->gate_wait_ns, w->gate_wait_max_ns);
	seq_printf(file, "bleeds %llu max_ns %llu\npause_errors %llu\n", w->bleeds,
		   w->bleed_max_ns, w->pause_errors);
	for (bucket = 0; bucket < CFTU_LOG2_BUCKETS; bucket++)
		if (w->high_log2[bucket] || w->low_log2[bucket])
			seq_printf(file, "window_ns>=%llu high %llu low %llu\n", 1ULL << bucket,
				   w->high_log2[bucket], w->low_log2[bucket]);
}

static int policy_show(struct seq_file *file, void *unused)
{
	struct cftu_policy_state *state = kzalloc(sizeof(*state), GFP_KERNEL);

	if (!state)
		return -ENOMEM;
	cftu_policy_read(state);
	seq_printf(file, "policy %s\nchannels %u held %u seen %u dead\nswitches %u\n",
		   policy_names[state->policy.kind], state->channels_held, state->channels_seen,
		   state->channels_dead, state->switches);
	if (state->policy.kind == CFTU_POLICY_PRIORITY) {
		seq_printf(file, "quantum_ns %llu\nwindow_ns %llu\n", state->policy.quantum_ns,
			   state->policy.window_ns);
		show_windows(file, &state->windows);
	}
	kfree(state);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(policy);

static int channels_show(struct seq_file *file, void *unused)
{
	struct cftu_channel *list = kcalloc(CFTU_CHANNELS_MAX, sizeof(*list), GFP_KERNEL);
	unsigned int i, count;

	if (!list)
		return -ENOMEM;
	count = min_t(unsigned int, cftu_policy_channels(list, CFTU_CHANNELS_MAX),
		      CFTU_CHANNELS_MAX);
	for (i = 0; i < count; i++)
		seq_printf(file, "%s %s %s node %d flags %#x dma_bytes %llu descriptors %llu errors %llu\n",
			   list[i].name, list[i].driver, list[i].device, list[i].node,
			   list[i].flags, list[i].dma_bytes, list[i].descriptors,
			   list[i].errors);
	kfree(list);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(channels);

void cftu_stats_init(void)
{
	folder = debugfs_create_dir("cftu", NULL);
	debugfs_create_file("stats", 0444, folder, NULL, &stats_fops);
	debugfs_create_file("policy", 0444, folder, NULL, &policy_fops);
	debugfs_create_file("channels", 0444, folder, NULL, &channels_fops);
}

void cftu_stats_exit(void)
{
	debugfs_remove_recursive(folder);
}
