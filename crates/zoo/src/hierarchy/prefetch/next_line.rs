//! The next line, into L1, on ascending accesses (Intel's "DCU prefetcher").

use super::trigger::{Trigger, Wanted};

/// The line before this one was the last to be loaded: the next one is fetched.
#[derive(Debug, Clone)]
pub struct NextLine {
    last: u32,
}

impl NextLine {
    /// Nothing seen.
    pub fn new() -> Self {
        NextLine { last: u32::MAX - 1 }
    }

    /// Any load.
    #[inline]
    pub fn see(&mut self, trigger: &Trigger, wanted: &mut Wanted) {
        let ascends = trigger.line == self.last.wrapping_add(1);
        self.last = trigger.line;
        if ascends && let Some(next) = trigger.neighbour(1) {
            wanted.add(next, 0);
        }
    }
}
