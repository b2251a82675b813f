//! What one CPU has of its own, caches aside.

use super::bandwidth::Bandwidth;
use super::paging::Page;
use super::prefetch::{Engines, Wanted};
use super::tlb::Translations;
use super::under_way::UnderWay;
use crate::cores::Core;

/// One CPU, caches aside.
#[derive(Debug, Clone)]
pub struct Cpu {
    /// Its TLBs.
    pub translations: Translations,
    /// Its prefetchers.
    pub engines: Engines,
    /// What they ask for after the load in progress.
    pub wanted: Wanted,
    /// What they have asked for before.
    pub under_way: UnderWay,
    /// What memory has for it.
    pub bandwidth: Bandwidth,
    last: Last,
}

/// The physical piece of the last load, whose translation is the last used.
#[derive(Debug, Clone, Copy)]
struct Last {
    start: u64,
    bytes: u64,
    to_physical: u64,
}

impl Cpu {
    /// Has seen nothing.
    pub fn new(core: &Core) -> Self {
        Cpu {
            translations: Translations::new(core),
            engines: Engines::new(&core.prefetchers, core.line_bytes),
            wanted: Wanted::new(),
            under_way: UnderWay::new(),
            bandwidth: Bandwidth::new(core.memory_ns),
            last: Last {
                start: 0,
                bytes: 0,
                to_physical: 0,
            },
        }
    }

    /// The physical address, where it lies in the piece of the last load.
    #[inline]
    pub fn again(&self, address: u64) -> Option<u64> {
        let is_same = address.wrapping_sub(self.last.start) < self.last.bytes;
        is_same.then(|| address.wrapping_add(self.last.to_physical))
    }

    /// A load went to this page.
    #[inline]
    pub fn went_to(&mut self, page: &Page, address: u64) {
        self.last = Last {
            start: page.start,
            bytes: page.bytes,
            to_physical: page.physical.wrapping_sub(address),
        };
    }

    /// Mappings have changed.
    pub fn forget(&mut self) {
        self.translations.forget();
        self.last.bytes = 0;
    }
}
