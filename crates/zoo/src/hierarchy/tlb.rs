//! Translation lookaside buffers of one CPU, and the upper entries that its walks keep.

use super::narrow::index;
use super::paging::{Kind, Page};
use super::sets::{EMPTY, Sets};
use crate::cores::{Core, Policy, Tlb};

const HINTS: usize = 512;

/// One translation lookaside buffer.
#[derive(Debug, Clone)]
struct Buffer {
    sets: Sets,
    /// Where a tag was last: a search of 64 ways would cost more than all the rest of a hit.
    hints: Vec<u8>,
}

impl Buffer {
    fn new(entries: u32, ways: u32) -> Self {
        let (entries, ways) = (index(u64::from(entries)), index(u64::from(ways)));
        Buffer {
            sets: Sets::new((entries / ways).max(1), ways, Policy::Lru, 0),
            hints: vec![0; HINTS],
        }
    }

    #[inline]
    fn hit(&mut self, number: u32, tag: u32) -> bool {
        let set = index(u64::from(number)) % self.sets.sets();
        let hint = usize::from(self.hints[index(u64::from(tag)) % HINTS]);
        if self.sets.tags(set).get(hint) == Some(&tag) {
            self.sets.touch(set, hint);
            return true;
        }
        let Some(way) = self.sets.find(set, tag) else {
            return false;
        };
        self.sets.touch(set, way);
        self.hint(tag, way);
        true
    }

    fn insert(&mut self, number: u32, tag: u32) {
        let set = index(u64::from(number)) % self.sets.sets();
        let (way, _) = self.sets.insert(set, tag);
        self.hint(tag, way);
    }

    fn hint(&mut self, tag: u32, way: usize) {
        self.hints[index(u64::from(tag)) % HINTS] = u8::try_from(way).unwrap_or(0);
    }
}

/// Where a translation was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// In the first TLB.
    First,
    /// In the second.
    Second,
    /// In neither: the page tables have it.
    Tables,
}

/// The translations that one CPU has at hand.
#[derive(Debug, Clone)]
pub struct Translations {
    first: Buffer,
    huge: Option<Buffer>,
    second: Option<Buffer>,
    /// Entries of upper tables, of the first level above base pages and the one above it.
    upper: [Buffer; 2],
}

impl Translations {
    /// None.
    pub fn new(core: &Core) -> Self {
        let buffer = |tlb: &Tlb| Buffer::new(tlb.entries, tlb.ways);
        let kept = core.walk.cache_entries.max(1);
        let huge = core.dtlb.huge_entries.filter(|entries| *entries > 0);
        Translations {
            first: buffer(&core.dtlb),
            huge: huge.map(|entries| Buffer::new(entries, entries)),
            second: core.stlb.as_ref().map(buffer),
            upper: [Buffer::new(kept, kept), Buffer::new(kept, kept)],
        }
    }

    /// Looks a page up, and has it at hand from then on.
    #[inline]
    pub fn look_up(&mut self, page: &Page) -> Found {
        let (number, tag) = (page.number, tag(page));
        let first = match (&mut self.huge, page.kind) {
            (Some(huge), Kind::Huge) => huge,
            _ => &mut self.first,
        };
        if first.hit(number, tag) {
            return Found::First;
        }
        first.insert(number, tag);
        let Some(second) = &mut self.second else {
            return Found::Tables;
        };
        if second.hit(number, tag) {
            return Found::Second;
        }
        second.insert(number, tag);
        Found::Tables
    }

    /// Whether a walk has the entry of level 1 or 2 for this number; from then on it does.
    pub fn keeps_upper(&mut self, level: usize, number: u32) -> bool {
        let Some(kept) = self.upper.get_mut(level - 1) else {
            return false;
        };
        let has = kept.hit(number, number);
        if !has {
            kept.insert(number, number);
        }
        has
    }

    /// Forgets everything, as a change of mappings demands.
    pub fn forget(&mut self) {
        let others = self.huge.iter_mut().chain(&mut self.second);
        let all = others.chain(&mut self.upper).chain([&mut self.first]);
        all.for_each(|buffer| buffer.sets.clear_all());
    }
}

/// The number with its kind; below `EMPTY` for addresses below 4 TiB.
fn tag(page: &Page) -> u32 {
    let kind = match page.kind {
        Kind::Base => 0,
        Kind::Huge => 1,
        Kind::Run => 2,
    };
    debug_assert!(page.number < EMPTY >> 2, "an address above 4 TiB");
    page.number << 2 | kind
}
