//! Two words that were dropped from the caches, and the time that the second takes once
//! the first was loaded.
//!
//! The step from the first to the second must be nothing that a prefetcher can learn: one
//! that keeps which lines of a region were used after the first brings the second at any
//! step that stays the same. So pairs of the step of the point are timed among others of
//! all steps, and their first words lie at several places of their pages.

use super::{LARGEST_PAIR_STEP, PAIR_STEPS, shuffled};
use crate::mem::dropping::{dropped_by, timed_way};
use engines::loops::writeback::{Writeback, full_fence};
use engines::memory::{Mapping, Pages};
use engines::reading::of_events;
use engines::verdict::must;
use harness::{Context, Fault, Reading, SetupError, Subject};
use stats::Rng;

/// Pairs in all; one of `EACH` has the step of the point.
const PAIRS: usize = 64;
const EACH: usize = 4;

/// Offsets of the two words, and whether the second is timed.
#[derive(Debug, Clone, Copy)]
struct Pair {
    first: usize,
    second: usize,
    timed: bool,
}

/// The pairs in random order.
pub struct Brought {
    mapping: Mapping,
    pairs: Vec<Pair>,
    /// None: a simulated machine does it.
    way: Option<Writeback>,
    tick_ns: f64,
    /// Which pair comes next: an order that came back could be learned too.
    order: Rng,
    /// Of the last batch.
    elapsed_ns: f64,
    ops: u64,
}

impl Brought {
    /// Words `step` bytes apart.
    ///
    /// # Errors
    /// `Skip` where no instruction drops a line, or single loads cannot be timed.
    pub fn new(step: usize, seed: u64, context: &Context) -> Result<Brought, SetupError> {
        let way = timed_way(context)?;
        let mapping = Mapping::new(PAIRS * LARGEST_PAIR_STEP, Pages::Base, context)?;
        let pairs = pairs(step, seed);
        for pair in &pairs {
            link(&mapping, *pair);
        }
        Ok(Brought {
            mapping,
            pairs,
            tick_ns: way.map_or(0.0, |_| harness::loads::tick_ns()),
            way,
            order: Rng::new(seed),
            elapsed_ns: 0.0,
            ops: 0,
        })
    }

    /// Drops both words, loads both, and returns what the second took, ns.
    fn once(&self, pair: Pair) -> f64 {
        let word = |offset| self.mapping.base().as_ptr().wrapping_add(offset);
        let both = [word(pair.first), word(pair.second)];
        if let Some(machine) = self.mapping.simulated() {
            both.iter().for_each(|w| machine.flush(*w as usize));
            let time = |word: *mut u8| machine.time_load(0, word as usize);
            return both.map(time)[1];
        }
        let mut ticks = [0; 2];
        if let Some(way) = self.way {
            // SAFETY: inside the mapping; the first word holds the address of the second,
            // which holds that of the first.
            unsafe {
                both.iter().for_each(|w| way.push(*w, size_of::<usize>()));
                full_fence();
                harness::loads::time_each(both[0].cast::<usize>(), &mut ticks);
            }
        }
        f64::from(ticks[1]) * self.tick_ns
    }
}

fn pairs(step: usize, seed: u64) -> Vec<Pair> {
    let mut random = Rng::new(seed);
    let order = shuffled(PAIRS, seed).into_iter().enumerate();
    let pair = |(number, block): (usize, usize)| {
        let timed = number % EACH == 0;
        let other = PAIR_STEPS[random.below(PAIR_STEPS.len())];
        let step = match timed {
            true => step,
            false => usize::try_from(other).unwrap_or(step),
        };
        let from = block * LARGEST_PAIR_STEP;
        let (first, second) = match random.below(2) {
            0 => (from, from + step),
            _ => (from + step, from),
        };
        Pair {
            first,
            second,
            timed,
        }
    };
    order.map(pair).collect()
}

/// Each of the two words holds the address of the other.
fn link(mapping: &Mapping, pair: Pair) {
    let word = |offset| mapping.base().as_ptr().wrapping_add(offset).cast::<usize>();
    // SAFETY: inside the mapping, and aligned: steps are multiples of 8.
    unsafe {
        word(pair.first).write(word(pair.second) as usize);
        word(pair.second).write(word(pair.first) as usize);
    }
}

impl Subject for Brought {
    fn batch(&mut self, _part: u16, ops: u64) {
        (self.ops, self.elapsed_ns) = (ops, 0.0);
        let mut left = ops;
        while left > 0 {
            let pair = self.pairs[self.order.below(PAIRS)];
            let ns = self.once(pair);
            if pair.timed {
                self.elapsed_ns += ns;
                left -= 1;
            }
        }
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        Some(of_events(self.ops, self.elapsed_ns, None))
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let at = |offset| self.mapping.base().as_ptr().wrapping_add(offset) as usize;
        // SAFETY: inside the mapping, aligned, and written by `link`.
        let holds = |offset| unsafe { (at(offset) as *const usize).read() };
        let lost = self.pairs.iter().filter(|p| holds(p.first) != at(p.second));
        must(lost.count() == 0, "words do not hold what was written")
    }

    fn notes(&self) -> Vec<String> {
        let way = self.way.map(dropped_by);
        let timed = format!("one of {EACH} pairs has this step and is timed");
        let mapping = self.mapping.note().to_owned();
        way.into_iter().chain([timed, mapping]).collect()
    }
}
