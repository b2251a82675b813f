// SPDX-License-Identifier: GPL-2.0
/* From a DMA address back to memory the CPU can reach. */
#include <linux/dma-direct.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/iommu.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/uaccess.h>

#include "swdma.h"

#define PROBE_BYTES 64

void *swdma_address(struct device *dev, dma_addr_t addr)
{
	return phys_to_virt(dma_to_phys(dev, addr));
}

static bool iommu_translates(struct device *dev)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return domain && domain->type != IOMMU_DOMAIN_IDENTITY;
}

/* Does the address we compute for a mapped page show that page's contents? */
static int compare_through_mapping(struct device *dev, struct page *page)
{
	u8 seen[PROBE_BYTES];
	dma_addr_t addr;
	int err = 0;

	get_random_bytes(page_address(page), PROBE_BYTES);
	addr = dma_map_page(dev, page, 0, PAGE_SIZE, DMA_TO_DEVICE);
	if (dma_mapping_error(dev, addr))
		return -ENOMEM;
	if (copy_from_kernel_nofault(seen, swdma_address(dev, addr), PROBE_BYTES) ||
	    memcmp(seen, page_address(page), PROBE_BYTES))
		err = -EOPNOTSUPP;
	dma_unmap_page(dev, addr, PAGE_SIZE, DMA_TO_DEVICE);
	return err;
}

int swdma_check_mapping(struct device *dev)
{
	struct page *page = alloc_page(GFP_KERNEL);
	int err;

	if (!page)
		return -ENOMEM;
	err = iommu_translates(dev) ? -EOPNOTSUPP : compare_through_mapping(dev, page);
	__free_page(page);
	if (err == -EOPNOTSUPP)
		dev_err(dev, "cannot serve copies: an IOMMU translates this device's addresses; boot with iommu.passthrough=1\n");
	return err;
}
