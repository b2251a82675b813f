// SPDX-License-Identifier: GPL-2.0
/* swdma: parameters, the platform devices and their registration. */
#include <linux/cpumask.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "swdma.h"

#define DRIVER_NAME "swdma"

struct swdma_params swdma_params = {
	.devices = 1,
	.channels = 4,
	.node = NUMA_NO_NODE,
	.cpu = -1,
	.ring = 64,
	.max_segment = UINT_MAX,
	.pause = true,
	.terminate = true,
	.errors_in_status = true,
};

#define PARAM(field, type, text)					\
	module_param_named(field, swdma_params.field, type, 0444);	\
	MODULE_PARM_DESC(field, text)

PARAM(devices, uint, "DMA devices, 1..16 (default 1)");
PARAM(channels, uint, "channels of each device, 1..64 (default 4)");
PARAM(node, int, "NUMA node of the devices and their threads (default -1: none)");
PARAM(cpu, int, "CPU of all threads (default -1: any)");
PARAM(ring, uint, "descriptors of each channel, 1..65536 (default 64)");
PARAM(copy_align, uint, "log2 of the alignment of addresses and lengths, 0..12 (default 0)");
PARAM(max_segment, uint, "longest descriptor, bytes (default 4294967295)");
PARAM(pause, bool, "offer pause and resume (default on)");
PARAM(terminate, bool, "offer terminate_all (default on)");
PARAM(no_order, bool, "complete out of order and say so (default off)");
PARAM(inline_copy, bool, "the submitting CPU copies; delays do not apply (default off)");
PARAM(callback_needs_interrupt, bool,
      "no callback without DMA_PREP_INTERRUPT (default off)");
PARAM(errors_in_status, bool,
      "tx_status tells failed descriptors; off: they read as complete (default on)");

static struct platform_device *devices[SWDMA_MAX_DEVICES];

static void describe(struct dma_device *dma, struct device *dev)
{
	dma->dev = dev;
	INIT_LIST_HEAD(&dma->channels);
	dma_cap_set(DMA_MEMCPY, dma->cap_mask);
	/* Otherwise async_tx takes every channel, and nobody can have one alone. */
	dma_cap_set(DMA_PRIVATE, dma->cap_mask);
	if (swdma_params.no_order)
		dma_cap_set(DMA_COMPLETION_NO_ORDER, dma->cap_mask);
	dma->copy_align = swdma_params.copy_align;
	dma->directions = BIT(DMA_MEM_TO_MEM);
	dma->residue_granularity = DMA_RESIDUE_GRANULARITY_BURST;
	swdma_operations(dma);
}

static int add_channels(struct swdma_device *sd, struct device *dev, uint first)
{
	uint i;
	int err;

	for (i = 0; i < swdma_params.channels; i++)
		swdma_channel_init(&sd->ch[i], sd, dev, first + i);
	err = dmaenginem_async_device_register(&sd->dma);
	if (err)
		return err;
	for (i = 0; i < swdma_params.channels; i++)
		swdma_control_add(&sd->ch[i]);
	return 0;
}

/* Registration has to happen in probe: dmaengine looks at the bound driver. */
static int probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct swdma_device *sd;
	int err;

	err = dma_coerce_mask_and_coherent(dev, DMA_BIT_MASK(64));
	if (err)
		return err;
	dma_set_max_seg_size(dev, swdma_params.max_segment);
	err = swdma_check_mapping(dev);
	if (err)
		return err;
	sd = devm_kzalloc(dev, struct_size(sd, ch, swdma_params.channels), GFP_KERNEL);
	if (!sd)
		return -ENOMEM;
	describe(&sd->dma, dev);
	err = add_channels(sd, dev, pdev->id * swdma_params.channels);
	if (!err)
		platform_set_drvdata(pdev, sd);
	return err;
}

static struct platform_driver driver = {
	.probe = probe,
	.driver = {
		.name = DRIVER_NAME,
		/* Unbinding under a client would free memory it still uses. */
		.suppress_bind_attrs = true,
	},
};

static int within(const char *name, uint value, uint least, uint most)
{
	if (value >= least && value <= most)
		return 0;
	pr_err(DRIVER_NAME ": cannot load: %s=%u is not within %u..%u\n", name, value, least, most);
	return -EINVAL;
}

static int check_params(void)
{
	if (within("devices", swdma_params.devices, 1, SWDMA_MAX_DEVICES) ||
	    within("channels", swdma_params.channels, 1, SWDMA_MAX_CHANNELS) ||
	    within("ring", swdma_params.ring, 1, SWDMA_MAX_RING) ||
	    within("copy_align", swdma_params.copy_align, 0, PAGE_SHIFT) ||
	    within("max_segment", swdma_params.max_segment, 1, UINT_MAX))
		return -EINVAL;
	if (swdma_params.node != NUMA_NO_NODE &&
	    (swdma_params.node < 0 || swdma_params.node >= MAX_NUMNODES ||
	     !node_online(swdma_params.node))) {
		pr_err(DRIVER_NAME ": cannot load: NUMA node %d is not online\n",
		       swdma_params.node);
		return -EINVAL;
	}
	if (swdma_params.cpu < -1 || swdma_params.cpu >= (int)nr_cpu_ids ||
	    (swdma_params.cpu >= 0 && !cpu_online(swdma_params.cpu))) {
		pr_err(DRIVER_NAME ": cannot load: CPU %d is not online\n", swdma_params.cpu);
		return -EINVAL;
	}
	return swdma_fault_check_defaults();
}

static struct platform_device *add_device(int id)
{
	struct platform_device *pdev = platform_device_alloc(DRIVER_NAME, id);
	int err = -ENOMEM;

	if (!pdev)
		return ERR_PTR(err);
	set_dev_node(&pdev->dev, swdma_params.node);
	err = platform_device_add(pdev);
	if (err) {
		platform_device_put(pdev);
		return ERR_PTR(err);
	}
	if (platform_get_drvdata(pdev))
		return pdev;
	platform_device_unregister(pdev);
	return ERR_PTR(-ENODEV);
}

static void remove_all(void)
{
	uint i;

	swdma_control_exit();
	for (i = 0; i < ARRAY_SIZE(devices) && devices[i]; i++)
		platform_device_unregister(devices[i]);
	platform_driver_unregister(&driver);
}

static int __init swdma_init(void)
{
	struct platform_device *pdev;
	uint i;
	int err;

	err = check_params();
	if (err)
		return err;
	err = platform_driver_register(&driver);
	if (err)
		return err;
	swdma_control_init();
	for (i = 0; i < swdma_params.devices; i++) {
		pdev = add_device(i);
		if (IS_ERR(pdev)) {
			remove_all();
			return PTR_ERR(pdev);
		}
		devices[i] = pdev;
	}
	return 0;
}
module_init(swdma_init);

static void __exit swdma_exit(void)
{
	remove_all();
}
module_exit(swdma_exit);

MODULE_DESCRIPTION("Software DMA_MEMCPY provider with injectable faults");
MODULE_LICENSE("GPL");
