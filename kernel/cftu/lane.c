// SPDX-License-Identifier: GPL-2.0
#include <linux/dma-map-ops.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "lane.h"
#include "module.h"
#include "selftest.h"
#include "transfer.h"

#define TIMEOUTS_UNTIL_LOST 3

/*
 * What a driver demands and does not tell dmaengine: the BCM2835 engine moves
 * 32-bit words and never ends on a length that is not a multiple of four.
 */
static const struct {
	const char *driver;
	u32 granule_bytes;
} length_rules[] = {
	{ "bcm2835-dma", 4 },
};

static const char *driver_name(struct dma_chan *chan)
{
	struct device *dev = chan->device->dev;

	return dev && dev->driver ? dev->driver->name : "";
}

static u32 length_granule(struct dma_chan *chan)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(length_rules); i++)
		if (!strcmp(driver_name(chan), length_rules[i].driver))
			return length_rules[i].granule_bytes;
	return 1;
}

static u32 copy_align(struct dma_chan *chan)
{
	return 1U << chan->device->copy_align;
}

static bool is_no_order(struct dma_chan *chan)
{
	return dma_has_cap(DMA_COMPLETION_NO_ORDER, chan->device->cap_mask);
}

static bool name_matches(const char *wanted, const char *name)
{
	return !wanted || !*wanted || !strcmp(wanted, name);
}

static bool is_wanted(struct dma_chan *chan, const struct cftu_wanted *wanted)
{
	if (!name_matches(wanted->driver, driver_name(chan)) ||
	    !name_matches(wanted->device_channel, dma_chan_name(chan)))
		return false;
	return wanted->node == NUMA_NO_NODE ||
	       dev_to_node(chan->device->dev) == wanted->node;
}

static bool filter_wanted(struct dma_chan *chan, void *param)
{
	return is_wanted(chan, param);
}

bool cftu_lane_matches(const struct cftu_lane *lane, const struct cftu_wanted *wanted)
{
	return !READ_ONCE(lane->dead) && is_wanted(lane->chan, wanted);
}

static void learn(struct cftu_lane *lane)
{
	struct dma_chan *chan = lane->chan;
	struct device *dev = dmaengine_get_dma_device(chan);
	size_t segment_max = min_t(size_t, dma_get_max_seg_size(dev), dma_max_mapping_size(dev));

	lane->dma_device = dev;
	lane->rule.copy_align_bytes = max(copy_align(chan), length_granule(chan));
	lane->rule.line_bytes = dev_is_dma_coherent(dev) ? 1 : dma_get_cache_alignment();
	lane->segment_max_bytes =
		rounddown(min_t(size_t, segment_max, SZ_1G), lane->rule.copy_align_bytes);
	lane->no_order = is_no_order(chan);
	lane->can_pause = chan->device->device_pause && chan->device->device_resume;
	lane->can_terminate = chan->device->device_terminate_all;
}

struct cftu_lane *cftu_lane_take(const struct cftu_wanted *wanted)
{
	struct cftu_lane *lane;
	dma_cap_mask_t mask;
	int error;

	lane = kzalloc(sizeof(*lane), GFP_KERNEL);
	if (!lane)
		return ERR_PTR(-ENOMEM);

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	lane->chan = dma_request_channel(mask, filter_wanted, (void *)wanted);
	if (!lane->chan) {
		kfree(lane);
		return ERR_PTR(-ENODEV);
	}
	mutex_init(&lane->submit);
	spin_lock_init(&lane->flights_lock);
	INIT_LIST_HEAD(&lane->flights);
	learn(lane);

	error = cftu_self_test(lane);
	if (error) {
		pr_warn("channel %s of %s is not used: %s\n", dma_chan_name(lane->chan),
			driver_name(lane->chan),
			error == -EIO ? "its trial copy ended with wrong bytes" :
			error == -ETIMEDOUT ? "its trial copy did not end" : "no memory");
		cftu_lane_release(lane);
		return ERR_PTR(error);
	}
	return lane;
}

void cftu_lane_release(struct cftu_lane *lane)
{
	/*
	 * The engine may still write and call back: the channel, all it knows
	 * and the text of this module stay for ever.
	 */
	if (READ_ONCE(lane->dead) && !lane->can_terminate) {
		__module_get(THIS_MODULE);
		return;
	}
	if (lane->can_terminate)
		dmaengine_terminate_sync(lane->chan);
	dma_release_channel(lane->chan);
	mutex_destroy(&lane->submit);
	kfree(lane);
}

static void end_flights(struct cftu_lane *lane, enum cftu_reason reason)
{
	struct cftu_flight *flight;

	spin_lock(&lane->flights_lock);
	list_for_each_entry(flight, &lane->flights, node)
		cftu_flight_abandon(flight, reason);
	spin_unlock(&lane->flights_lock);
}

static void declare_dead(struct cftu_lane *lane)
{
	if (!lane->dead)
		pr_err("channel %s of %s gives no answer and is not used any more\n",
		       dma_chan_name(lane->chan), driver_name(lane->chan));
	WRITE_ONCE(lane->dead, true);
}

void cftu_lane_gave_no_answer(struct cftu_lane *lane)
{
	if (++lane->timeouts >= TIMEOUTS_UNTIL_LOST)
		declare_dead(lane);
}

bool cftu_lane_recover(struct cftu_lane *lane)
{
	mutex_lock(&lane->submit);
	if (lane->can_terminate) {
		dmaengine_terminate_sync(lane->chan);
		cftu_lane_gave_no_answer(lane);
		end_flights(lane, CFTU_REASON_TIMED_OUT);
	} else {
		declare_dead(lane);
	}
	mutex_unlock(&lane->submit);
	return lane->can_terminate;
}

void cftu_channel_describe(struct dma_chan *chan, struct cftu_channel *out)
{
	struct dma_device *device = chan->device;
	struct device *dev = dmaengine_get_dma_device(chan);

	memset(out, 0, sizeof(*out));
	strscpy(out->name, dma_chan_name(chan), sizeof(out->name));
	strscpy(out->driver, driver_name(chan), sizeof(out->driver));
	strscpy(out->device, dev_name(device->dev), sizeof(out->device));
	out->node = dev_to_node(device->dev);
	out->copy_align_bytes = copy_align(chan);
	out->length_granule_bytes = length_granule(chan);
	out->segment_max_bytes = dma_get_max_seg_size(dev);
	out->boundary_mask = dma_get_seg_boundary(dev);
	if (device->device_pause && device->device_resume)
		out->flags |= CFTU_CHANNEL_PAUSE;
	if (device->device_terminate_all)
		out->flags |= CFTU_CHANNEL_TERMINATE;
	if (is_no_order(chan))
		out->flags |= CFTU_CHANNEL_NO_ORDER;
	if (dev_is_dma_coherent(dev))
		out->flags |= CFTU_CHANNEL_COHERENT;
	if (device_iommu_mapped(dev))
		out->flags |= CFTU_CHANNEL_IOMMU;
	if (dma_has_cap(DMA_PRIVATE, device->cap_mask))
		out->flags |= CFTU_CHANNEL_PRIVATE;
	/*
	 * idxd injects into the cache only where a descriptor asks for it, and
	 * its memcpy prep does not. ioatdma's switch is a module parameter, which
	 * userland reads and sets.
	 */
	if (!strcmp(driver_name(chan), "idxd"))
		out->flags |= CFTU_CHANNEL_DCA_OFF;
}

void cftu_lane_describe(const struct cftu_lane *lane, bool high, struct cftu_channel *out)
{
	cftu_channel_describe(lane->chan, out);
	out->flags |= CFTU_CHANNEL_OURS;
	if (high)
		out->flags |= CFTU_CHANNEL_HIGH;
	if (lane->reapable)
		out->flags |= CFTU_CHANNEL_REAPABLE;
	if (READ_ONCE(lane->dead))
		out->flags |= CFTU_CHANNEL_DEAD;
	out->dma_bytes = atomic64_read(&lane->dma_bytes);
	out->dma_chunks = atomic64_read(&lane->dma_chunks);
	out->descriptors = atomic64_read(&lane->descriptors);
	out->errors = atomic64_read(&lane->errors);
	out->outstanding_bytes = atomic64_read(&lane->outstanding_bytes);
}

struct visit {
	void (*call)(struct dma_chan *chan, void *context);
	void *context;
};

/* A filter that takes nothing is shown every free channel. */
static bool filter_visit(struct dma_chan *chan, void *param)
{
	struct visit *visit = param;

	visit->call(chan, visit->context);
	return false;
}

void cftu_for_each_free_channel(void (*call)(struct dma_chan *chan, void *context),
				void *context)
{
	struct visit visit = { .call = call, .context = context };
	struct dma_chan *chan;
	dma_cap_mask_t mask;

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	chan = dma_request_channel(mask, filter_visit, &visit);
	if (WARN_ON_ONCE(chan))
		dma_release_channel(chan);
}
