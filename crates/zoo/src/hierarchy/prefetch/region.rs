//! The lines of a region that followed the same trigger before, into L1: spatial memory
//! streaming (Somogyi and others, 2006), which the region prefetchers of AMD resemble.

use super::trigger::{Trigger, Wanted};
use crate::hierarchy::narrow::index;

/// Regions that are watched at once; a region is over when another takes its place.
const WATCHED: usize = 32;
/// Patterns that are remembered.
const PATTERNS: usize = 1024;
/// How often in a row a pattern was seen before it is followed.
const SURE: u8 = 2;

#[derive(Debug, Clone, Copy, Default)]
struct Watched {
    region: Option<u32>,
    key: u32,
    /// A bit for each line that was loaded.
    lines: u128,
}

#[derive(Debug, Clone, Copy, Default)]
struct Pattern {
    key: u32,
    lines: u128,
    seen: u8,
}

/// Regions in use, and the patterns of those that are over, by instruction and offset of
/// their first load.
#[derive(Debug, Clone)]
pub struct Region {
    region_lines: u32,
    watched: [Watched; WATCHED],
    patterns: Vec<Pattern>,
}

impl Region {
    /// For regions of so many lines: at most 128, and no more than a block.
    pub fn new(region_lines: u32) -> Self {
        Region {
            region_lines: region_lines.clamp(1, 128),
            watched: [Watched::default(); WATCHED],
            patterns: vec![Pattern::default(); PATTERNS],
        }
    }

    /// Any load.
    #[inline]
    pub fn see(&mut self, trigger: &Trigger, wanted: &mut Wanted) {
        let region = trigger.line / self.region_lines;
        let offset = trigger.line % self.region_lines;
        let watched = &mut self.watched[spread(region) % WATCHED];
        if watched.region == Some(region) {
            watched.lines |= 1 << offset;
            return;
        }
        let begun = Watched {
            region: Some(region),
            key: key(trigger.code, offset),
            lines: 1 << offset,
        };
        let over = std::mem::replace(watched, begun);
        self.remember(over);
        self.replay(begun.key, trigger.line - offset, offset, wanted);
    }

    fn remember(&mut self, over: Watched) {
        // A region of one load teaches nothing.
        if over.region.is_none() || over.lines.count_ones() < 2 {
            return;
        }
        let pattern = &mut self.patterns[index(u64::from(over.key)) % PATTERNS];
        if pattern.key == over.key && pattern.lines == over.lines {
            pattern.seen = (pattern.seen + 1).min(SURE);
        } else {
            *pattern = Pattern {
                key: over.key,
                lines: over.lines,
                seen: 1,
            };
        }
    }

    fn replay(&self, key: u32, first: u32, offset: u32, wanted: &mut Wanted) {
        let pattern = &self.patterns[index(u64::from(key)) % PATTERNS];
        if pattern.key != key || pattern.seen < SURE {
            return;
        }
        let mut left = pattern.lines & !(1 << offset);
        while left != 0 {
            wanted.add(first + left.trailing_zeros(), 0);
            left &= left - 1;
        }
    }
}

fn key(code: u32, offset: u32) -> u32 {
    code.wrapping_mul(0x9e37_79b1) ^ offset
}

fn spread(region: u32) -> usize {
    index(u64::from(region.wrapping_mul(0x9e37_79b1) >> 16))
}
