//! The stores of a set-up: as much of each as can still be seen when it has ended.
//!
//! Most of what building a large chain does to small caches its own end undoes. So early stores
//! are left out, those in the middle come into the last level only, and the end is simulated
//! whole.

use super::Memory;
use crate::cores::{Core, Prefetcher};

/// Lines stored in random order, in as many as something holds, after which little of what was
/// before is left: under random replacement exp(-3), 5 %.
const FILLS: u64 = 3;

/// After how many stores nothing is left of what was before them.
#[derive(Debug, Clone, Copy)]
pub struct Enough {
    /// In any cache.
    all: u64,
    /// In any but the last level, in TLBs and prefetchers.
    near: u64,
}

impl Enough {
    /// As the core is described.
    pub fn new(core: &Core) -> Self {
        let line_bytes = u64::from(core.line_bytes);
        let mut near: u64 = core.prefetchers.iter().map(Prefetcher::remembers).sum();
        let tlbs = [Some(&core.dtlb), core.stlb.as_ref()];
        near += tlbs
            .iter()
            .flatten()
            .map(|tlb| u64::from(tlb.entries))
            .sum::<u64>();
        let mut lines = core.levels.iter().map(|level| level.bytes / line_bytes);
        let last = lines.next_back().unwrap_or(0);
        near += lines.sum::<u64>();
        Enough {
            all: FILLS * (near + last),
            near: FILLS * near,
        }
    }
}

impl Memory {
    /// Whether a store that so many come after is simulated.
    pub fn sees_set_up(&self, after: usize) -> bool {
        (after as u64) < self.enough.all
    }

    /// CPU 0 stores to a line, and will store to so many others of the same set-up.
    pub fn set_up(&mut self, address: u64, after: usize) {
        let after = after as u64;
        if after < self.enough.near {
            self.store(0, 0, address);
        } else if after < self.enough.all {
            let line = self.line_of(address);
            self.caches.settle(0, line.physical);
            self.pass_overlapped(self.core.memory_ns);
        }
    }
}
