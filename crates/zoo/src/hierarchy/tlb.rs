//! Translation lookaside buffers of one CPU, and the upper entries that its walks keep.

use super::narrow::index;
use super::paging::{Kind, Page};
use super::sets::{EMPTY, Sets};
use crate::cores::{Core, Policy, Tlb};

/// Places that tags share by their low bits: 2^9.
const PLACE_BITS: u32 = 9;

/// One translation lookaside buffer.
#[derive(Debug, Clone)]
struct Buffer {
    sets: Sets,
    /// By place of a tag: a search of 64 ways would cost more than all the rest.
    hints: Vec<Hint>,
}

/// What is known of the tags of one place.
#[derive(Debug, Clone, Copy, Default)]
struct Hint {
    /// How many are held.
    held: u16,
    /// Where the last of them was found.
    way: u8,
}

impl Buffer {
    fn new(entries: u32, ways: u32) -> Self {
        let (entries, ways) = (index(u64::from(entries)), index(u64::from(ways)));
        Buffer {
            sets: Sets::new((entries / ways).max(1), ways, Policy::Lru, 0),
            hints: vec![Hint::default(); 1 << PLACE_BITS],
        }
    }

    #[inline]
    fn hit(&mut self, number: u32, tag: u32) -> bool {
        let set = index(u64::from(number)) % self.sets.sets();
        let hint = self.hint(tag);
        if hint.held == 0 {
            return false;
        }
        let way = usize::from(hint.way);
        if self.sets.tags(set).get(way) == Some(&tag) {
            self.sets.touch(set, way);
            return true;
        }
        let Some(way) = self.sets.find(set, tag) else {
            return false;
        };
        self.sets.touch(set, way);
        self.hint(tag).way = u8::try_from(way).unwrap_or(0);
        true
    }

    fn insert(&mut self, number: u32, tag: u32) {
        let set = index(u64::from(number)) % self.sets.sets();
        let (way, left) = self.sets.insert(set, tag);
        if left != EMPTY {
            self.hint(left).held -= 1;
        }
        let hint = self.hint(tag);
        hint.held += 1;
        hint.way = u8::try_from(way).unwrap_or(0);
    }

    fn forget(&mut self) {
        self.sets.clear_all();
        self.hints.fill(Hint::default());
    }

    #[inline]
    fn hint(&mut self, tag: u32) -> &mut Hint {
        let spread = tag.wrapping_mul(0x9e37_79b1) >> (u32::BITS - PLACE_BITS);
        &mut self.hints[index(u64::from(spread))]
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
        all.for_each(Buffer::forget);
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
