//! The order in which blocks of a region are written.

use stats::Rng;

/// Visits a region block by block: the pages in a random order, each once
/// before any comes twice, and within a page another block each time. So no
/// prefetcher runs ahead, and a page that was written back is written first by
/// exactly one block of a turn.
#[derive(Debug)]
pub struct Walk {
    /// Starts of the pages, or of the blocks where these are larger, in units.
    order: Vec<u32>,
    unit_bytes: usize,
    block_bytes: usize,
    place: usize,
    turn: usize,
}

impl Walk {
    /// Through `region_bytes` by blocks of `block_bytes`, which divide a page or
    /// hold whole pages; the region holds at least one of them.
    pub fn new(region_bytes: usize, block_bytes: usize, page_bytes: usize, seed: u64) -> Walk {
        let unit_bytes = block_bytes.max(page_bytes);
        let units = u32::try_from(region_bytes / unit_bytes)
            .unwrap_or(u32::MAX)
            .max(1);
        let mut order: Vec<u32> = (0..units).collect();
        let mut random = Rng::new(seed);
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        Walk {
            order,
            unit_bytes,
            block_bytes,
            place: 0,
            turn: 0,
        }
    }

    /// Offset of the next block, bytes.
    #[inline]
    pub fn advance(&mut self) -> usize {
        let unit = self.order[self.place] as usize;
        let blocks = self.unit_bytes / self.block_bytes;
        // 5 has no factor in common with a power of two: all blocks of a page come
        // by before one comes twice.
        let block = (self.turn * 5 + unit) % blocks;
        self.place += 1;
        if self.place == self.order.len() {
            self.place = 0;
            self.turn += 1;
        }
        unit * self.unit_bytes + block * self.block_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Walk;
    use std::collections::BTreeSet;

    #[test]
    fn every_block_comes_once_before_any_comes_twice() {
        for block in [64usize, 1024, 4096, 16384] {
            let mut walk = Walk::new(1 << 16, block, 4096, 3);
            let visits = (1 << 16) / block;
            let met: BTreeSet<usize> = (0..visits).map(|_| walk.advance()).collect();
            let all: BTreeSet<usize> = (0..visits).map(|i| i * block).collect();
            assert_eq!(met, all, "{block}");
        }
    }

    #[test]
    fn each_page_is_met_once_a_turn() {
        let mut walk = Walk::new(1 << 20, 64, 4096, 3);
        let pages: BTreeSet<usize> = (0..256).map(|_| walk.advance() / 4096).collect();
        assert_eq!(pages.len(), 256);
    }
}
