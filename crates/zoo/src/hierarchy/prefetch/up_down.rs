//! The line above or below, into L2, as recent misses went ("up/down prefetcher").

use super::trigger::{Trigger, Wanted};
use crate::hierarchy::narrow::index;

/// Misses that are remembered.
const RECENT: usize = 64;
/// A neighbour that followed counts so much, one that did not takes one off.
const FOLLOWED: i32 = 4;
const LIMIT: i32 = 16;
/// From here on neighbours are fetched.
const ENOUGH: i32 = 8;

/// How often the line above or below a miss was missed soon after.
#[derive(Debug, Clone)]
pub struct UpDown {
    /// By their low bits.
    recent: [u32; RECENT],
    up: i32,
    down: i32,
}

impl UpDown {
    /// Nothing seen.
    pub fn new() -> Self {
        UpDown {
            recent: [u32::MAX; RECENT],
            up: 0,
            down: 0,
        }
    }

    /// A load that missed the first level.
    pub fn see(&mut self, trigger: &Trigger, wanted: &mut Wanted) {
        let is_recent = |line: u32| self.recent[place(line)] == line;
        let was_missed = |line: Option<u32>| line.is_some_and(is_recent);
        let (above, below) = (trigger.neighbour(1), trigger.neighbour(-1));
        let (up, down) = (was_missed(below), was_missed(above));
        learn(&mut self.up, up);
        learn(&mut self.down, down);
        self.recent[place(trigger.line)] = trigger.line;
        if trigger.depth < 2 {
            return;
        }
        let wish = match () {
            () if self.up >= ENOUGH && self.up >= self.down => above,
            () if self.down >= ENOUGH => below,
            () => None,
        };
        if let Some(line) = wish {
            wanted.add(line, 1);
        }
    }
}

fn learn(count: &mut i32, followed: bool) {
    let change = if followed { FOLLOWED } else { -1 };
    *count = (*count + change).clamp(0, LIMIT);
}

fn place(line: u32) -> usize {
    index(u64::from(line)) % RECENT
}
