/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cookies number the descriptors of a channel. The kernel's own helpers are in
 * a header private to drivers/dma, so a provider built elsewhere brings its own.
 */
#ifndef SWDMA_COOKIE_H
#define SWDMA_COOKIE_H

#include <linux/dmaengine.h>

static inline void swdma_cookie_init(struct dma_chan *chan)
{
	chan->cookie = DMA_MIN_COOKIE;
	chan->completed_cookie = DMA_MIN_COOKIE;
}

/* Negative cookies are errors, so the numbers wrap to the smallest valid one. */
static inline dma_cookie_t swdma_cookie_assign(struct dma_async_tx_descriptor *txd)
{
	struct dma_chan *chan = txd->chan;

	if (chan->cookie < DMA_MIN_COOKIE || chan->cookie == INT_MAX)
		chan->cookie = DMA_MIN_COOKIE;
	else
		chan->cookie++;
	txd->cookie = chan->cookie;
	return txd->cookie;
}

static inline void swdma_cookie_complete(struct dma_async_tx_descriptor *txd)
{
	txd->chan->completed_cookie = txd->cookie;
	txd->cookie = 0;
}

#endif
