//! Which CPU wrote a line last, of those that may still be in a cache of its own.

use super::narrow::index;
use super::sets::Sets;
use super::sharing::CPUS;
use crate::cores::{Core, Policy};

const WAYS: usize = 8;

/// For each CPU the lines that it has written and no other has read since.
#[derive(Debug, Clone)]
pub struct Owners {
    written: Vec<Sets>,
    has_written: [bool; CPUS],
}

impl Owners {
    /// Nothing is written yet. A CPU's lines are as many as its second level holds.
    pub fn new(core: &Core) -> Self {
        let private = core.levels[..2].iter().map(|level| level.bytes).max();
        let lines = private.unwrap_or(0) / u64::from(core.line_bytes);
        let sets = (index(lines) / WAYS).clamp(1, 1 << 15);
        Owners {
            written: vec![Sets::new(sets, WAYS, Policy::Lru, 0); CPUS],
            has_written: [false; CPUS],
        }
    }

    /// Whether the line is this CPU's.
    pub fn owns(&mut self, cpu: usize, line: u32) -> bool {
        let set = self.set_of(line);
        self.written[cpu].hit(set, line)
    }

    /// The line is this CPU's from now on; the caller has asked `owns` before.
    pub fn take(&mut self, cpu: usize, line: u32) {
        let set = self.set_of(line);
        self.has_written[cpu] = true;
        self.written[cpu].insert(set, line);
    }

    /// The line is no longer this CPU's; whether it was.
    pub fn give_up(&mut self, cpu: usize, line: u32) -> bool {
        let set = self.set_of(line);
        self.has_written[cpu] && self.written[cpu].remove(set, line)
    }

    fn set_of(&self, line: u32) -> usize {
        index(u64::from(line)) % self.written[0].sets()
    }
}
