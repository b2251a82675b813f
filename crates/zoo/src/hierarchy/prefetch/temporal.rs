//! The lines whose misses followed this one before, into L2 (Arm's correlated miss
//! caching). A chain walked twice in one order is foreseen, however random it is.

use super::trigger::{Trigger, Wanted};
use crate::hierarchy::narrow::index;

/// Misses that are foreseen at once.
const DEGREE: usize = 2;
const NONE: u32 = u32::MAX;

/// Of each miss, the one after it.
#[derive(Debug, Clone)]
pub struct Temporal {
    pairs: Vec<(u32, u32)>,
    last: u32,
}

impl Temporal {
    /// Remembers so many pairs.
    pub fn new(entries: u32) -> Self {
        Temporal {
            pairs: vec![(NONE, NONE); index(u64::from(entries.max(1)))],
            last: NONE,
        }
    }

    /// A load that missed the first level: what was foreseen has missed it too.
    pub fn see(&mut self, trigger: &Trigger, wanted: &mut Wanted) {
        if self.last != NONE {
            let place = self.place(self.last);
            self.pairs[place] = (self.last, trigger.line);
        }
        self.last = trigger.line;
        let mut line = trigger.line;
        for _ in 0..DEGREE {
            let (known, next) = self.pairs[self.place(line)];
            if known != line {
                return;
            }
            wanted.add(next, 1);
            line = next;
        }
    }

    fn place(&self, line: u32) -> usize {
        index(u64::from(line.wrapping_mul(0x9e37_79b1) >> 4)) % self.pairs.len()
    }
}
