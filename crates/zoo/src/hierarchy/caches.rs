//! The caches of all CPUs: who has a line, and what leaves where one comes in.

use super::narrow::{few, index};
use super::placing::Placing;
use super::sets::{EMPTY, Sets};
use super::sharing::{CPUS, Sharing};
use super::way_hash::WayHash;
use crate::cores::{Core, Inclusion};
use stats::Rng;

/// A line as the caches see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Physical address / size of a line.
    pub physical: u32,
    /// The same of the virtual address: it chooses the set of the first level.
    pub placed_by: u32,
    /// The way predictor's hash of the virtual address; 0 where there is none.
    pub hash: u8,
}

/// One cache.
#[derive(Debug, Clone)]
struct Bank {
    placing: Placing,
    sets: Sets,
}

/// One level: what it does with lines, and its caches.
#[derive(Debug, Clone)]
struct Floor {
    inclusion: Inclusion,
    banks: Vec<Bank>,
}

/// The caches of all CPUs.
#[derive(Debug, Clone)]
pub struct Caches {
    floors: Vec<Floor>,
    hashes: Vec<WayHash>,
    sharing: Sharing,
    /// Lines of a base page: sets of the first level that a physical line may be in are
    /// that far apart.
    page_lines: usize,
}

impl Caches {
    /// Empty ones.
    pub fn new(core: &Core, sharing: Sharing, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let floors: Vec<Floor> = core
            .levels
            .iter()
            .map(|level| {
                let placing = Placing::new(level, core.line_bytes);
                let ways = index(u64::from(level.ways - level.stolen_ways));
                let mut bank = || Bank {
                    sets: Sets::new(placing.sets(), ways, level.policy, rng.next_u64()),
                    placing: placing.clone(),
                };
                Floor {
                    inclusion: level.inclusion,
                    banks: (0..CPUS).map(|_| bank()).collect(),
                }
            })
            .collect();
        let first = &floors[0].banks[0].sets;
        let hash = WayHash::new(core.utag.is_some(), first.sets(), first.ways());
        Caches {
            hashes: vec![hash; CPUS],
            floors,
            sharing,
            page_lines: index(core.page_bytes / u64::from(core.line_bytes)),
        }
    }

    /// How many levels there are; the depth of memory.
    pub fn depth(&self) -> usize {
        self.floors.len()
    }

    /// A load in the first level: whether it hits.
    #[inline]
    pub fn first_hit(&mut self, cpu: usize, line: Line) -> bool {
        let at = self.sharing.bank(0, cpu);
        let bank = &mut self.floors[0].banks[at];
        bank.sets
            .hit(bank.placing.set_of(line.placed_by), line.physical)
    }

    /// A load that missed the first level: the level that has it, where it is now used, or
    /// the depth of memory. Then every level on the way has it.
    pub fn serve(&mut self, cpu: usize, line: Line) -> usize {
        self.expect(cpu, line.physical);
        let found = self.search(cpu, line.physical, 1);
        self.fill(cpu, line, found, 0);
        found
    }

    /// A prefetch into level `target`: where it came from; nothing where it was there.
    pub fn prefetch(&mut self, cpu: usize, line: Line, target: usize) -> Option<usize> {
        if self.holds(cpu, 0, line) || (target > 0 && self.holds(cpu, target, line)) {
            return None;
        }
        let found = self.search(cpu, line.physical, target + 1);
        self.fill(cpu, line, found, target);
        Some(found)
    }

    /// Whether a CPU's cache of that level has the line; nothing changes.
    pub fn holds(&self, cpu: usize, depth: usize, line: Line) -> bool {
        let bank = &self.floors[depth].banks[self.sharing.bank(depth, cpu)];
        let by = if depth == 0 {
            line.placed_by
        } else {
            line.physical
        };
        bank.sets
            .find(bank.placing.set_of(by), line.physical)
            .is_some()
    }

    /// Whether a cache of a CPU that the other does not share has the line; nothing changes.
    /// `line` may be placed by another address of the other CPU, so the first level is asked
    /// under this one only.
    pub fn has_private(&self, cpu: usize, line: Line) -> bool {
        let own = |depth: &usize| !self.sharing.is_shared(*depth);
        (0..self.depth())
            .filter(own)
            .any(|depth| self.holds(cpu, depth, line))
    }

    /// Takes a line out of every cache.
    pub fn flush(&mut self, physical: u32) {
        (0..CPUS).for_each(|cpu| self.expect(cpu, physical));
        for depth in 0..self.depth() {
            let banks = if self.sharing.is_shared(depth) {
                1
            } else {
                CPUS
            };
            for at in 0..banks {
                self.take(depth, at, physical);
            }
        }
    }

    /// A line is soon sought behind a CPU's first level.
    #[inline]
    pub fn expect(&self, cpu: usize, physical: u32) {
        for depth in 1..self.depth() {
            let bank = &self.floors[depth].banks[self.sharing.bank(depth, cpu)];
            bank.sets.expect(bank.placing.set_of(physical));
        }
    }

    /// Takes a line out of those caches of a CPU that the other does not share; whether it
    /// was in one.
    pub fn take_private(&mut self, cpu: usize, physical: u32) -> bool {
        let mut taken = false;
        for depth in 0..self.depth() {
            if !self.sharing.is_shared(depth) {
                taken |= self.take(depth, self.sharing.bank(depth, cpu), physical);
            }
        }
        taken
    }

    /// A line of another task comes into the last level of CPU 0.
    pub fn intrude(&mut self, physical: u32) {
        let last = self.depth() - 1;
        let at = self.sharing.bank(last, 0);
        let bank = &self.floors[last].banks[at];
        let set = bank.placing.set_of(physical);
        if bank.sets.find(set, physical).is_none() {
            self.enter(last, at, physical);
        }
    }

    /// A line of a CPU comes into the last level, whatever the levels before it have.
    pub fn settle(&mut self, cpu: usize, physical: u32) {
        let last = self.depth() - 1;
        if self.search(cpu, physical, last) > last {
            self.enter(last, self.sharing.bank(last, cpu), physical);
        }
    }

    /// Empties that many ways of a CPU's first level, any.
    pub fn disturb_first(&mut self, cpu: usize, lines: usize, rng: &mut Rng) {
        let at = self.sharing.bank(0, cpu);
        let sets = &mut self.floors[0].banks[at].sets;
        for _ in 0..lines {
            let set = rng.below(sets.sets());
            sets.clear(set, rng.below(sets.ways()));
        }
    }

    fn search(&mut self, cpu: usize, physical: u32, from: usize) -> usize {
        for depth in from..self.depth() {
            let at = self.sharing.bank(depth, cpu);
            let bank = &mut self.floors[depth].banks[at];
            let set = bank.placing.set_of(physical);
            if bank.sets.hit(set, physical) {
                return depth;
            }
        }
        self.depth()
    }

    /// Brings a line from level `found` up to `target`. The outer levels come first: what
    /// they throw out may free a way further in.
    fn fill(&mut self, cpu: usize, line: Line, found: usize, target: usize) {
        if found < self.depth() && self.floors[found].inclusion == Inclusion::Exclusive {
            self.take(found, self.sharing.bank(found, cpu), line.physical);
        }
        for depth in (target.max(1)..found).rev() {
            if depth == target || self.floors[depth].inclusion != Inclusion::Exclusive {
                self.enter(depth, self.sharing.bank(depth, cpu), line.physical);
            }
        }
        if target == 0 {
            self.enter_first(self.sharing.bank(0, cpu), line);
        }
    }

    fn enter_first(&mut self, at: usize, line: Line) {
        let bank = &mut self.floors[0].banks[at];
        let set = bank.placing.set_of(line.placed_by);
        let hashes = &mut self.hashes[at];
        let left = match hashes.same(set, line.hash, bank.sets.tags(set)) {
            Some(way) => {
                let left = bank.sets.put(set, way, line.physical);
                hashes.keep(set, way, line.hash);
                left
            }
            None => {
                let (way, left) = bank.sets.insert(set, line.physical);
                hashes.keep(set, way, line.hash);
                left
            }
        };
        self.give_down(0, at, left);
    }

    fn enter(&mut self, depth: usize, at: usize, physical: u32) {
        let bank = &mut self.floors[depth].banks[at];
        let set = bank.placing.set_of(physical);
        let (_, left) = bank.sets.insert(set, physical);
        if left != EMPTY && self.floors[depth].inclusion == Inclusion::Inclusive {
            self.leave_above(depth, at, left);
        }
        self.give_down(depth, at, left);
    }

    /// What left a level goes to the next one, if that takes victims.
    fn give_down(&mut self, depth: usize, at: usize, left: u32) {
        let next = depth + 1;
        if left == EMPTY || next == self.depth() {
            return;
        }
        if self.floors[next].inclusion != Inclusion::Exclusive {
            return;
        }
        let to = self.sharing.below(depth, at);
        let bank = &self.floors[next].banks[to];
        let set = bank.placing.set_of(left);
        if bank.sets.find(set, left).is_none() {
            self.enter(next, to, left);
        }
    }

    fn leave_above(&mut self, depth: usize, at: usize, physical: u32) {
        for upper in 0..depth {
            for cpu in 0..CPUS {
                if self.sharing.bank(depth, cpu) == at {
                    self.take(upper, self.sharing.bank(upper, cpu), physical);
                }
            }
        }
    }

    fn take(&mut self, depth: usize, at: usize, physical: u32) -> bool {
        let bank = &mut self.floors[depth].banks[at];
        if depth > 0 {
            let set = bank.placing.set_of(physical);
            return bank.sets.remove(set, physical);
        }
        // The virtual address is not known here: only the bits within a page are.
        let first = bank.placing.set_of(physical % few(self.page_lines));
        let mut places = (first..bank.sets.sets()).step_by(self.page_lines);
        places.any(|set| bank.sets.remove(set, physical))
    }
}
