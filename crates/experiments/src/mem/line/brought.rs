//! Two words that were dropped from the caches, and the time that the second takes once
//! the first was loaded.
//!
//! The step from the first to the second must be nothing that a prefetcher can learn. One that
//! keeps which lines of a region were used after the first brings the second at any step that
//! stays the same; one that keeps which miss followed another brings it where two lines belong
//! together. So each first word has a second one in any of several lines, another each time, and
//! pairs of the step of the point are timed among others of all steps.

use super::{ENTRY, LARGEST_PAIR_STEP, PAIR_STEPS, shuffled};
use crate::mem::dropping::{dropped_by, timed_way};
use engines::loops::writeback::{Writeback, full_fence};
use engines::memory::{Mapping, Pages};
use engines::reading::of_events;
use engines::verdict::must;
use harness::{Context, Fault, Reading, SetupError, Subject};
use stats::Rng;

/// First words; each is in a block of its own.
const BLOCKS: usize = 64;
/// One of so many pairs has the step of the point.
const EACH: usize = 4;
/// Space of a block, room for a step on either side of its first word: a base page of most
/// machines, so that first words look alike to what keeps places in pages or regions.
const BLOCK: usize = 4096;

/// A first word, and what was loaded after it the last time.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// Offset of the first word.
    first: usize,
    /// The second one lies before it: the first is then the last word of its line, else the
    /// first word.
    down: bool,
    /// Step of the last time; 0 before.
    last: usize,
}

impl Block {
    fn second(&self, step: usize) -> usize {
        match self.down {
            true => self.first - step,
            false => self.first + step,
        }
    }
}

/// Which pair comes next, at random: an order that came back could be learned too.
struct Draws {
    step: usize,
    /// Steps of pairs that are not timed.
    others: Vec<usize>,
    blocks: Vec<Block>,
    /// The last step up and down, in whatever block.
    last: [usize; 2],
    random: Rng,
}

impl Draws {
    fn new(step: usize, seed: u64) -> Draws {
        let all = PAIR_STEPS
            .iter()
            .filter_map(|other| usize::try_from(*other).ok());
        Draws {
            step,
            others: all.filter(|other| *other != step).collect(),
            blocks: blocks(seed),
            last: [0; 2],
            random: Rng::new(seed),
        }
    }

    /// A block and a step. The step of the point comes twice in a row neither in a block nor
    /// in a direction: what is expected after a first word is not what comes.
    fn draw(&mut self) -> (Block, usize) {
        let block = &mut self.blocks[self.random.below(BLOCKS)];
        let last = &mut self.last[usize::from(block.down)];
        let fresh = block.last != self.step && *last != self.step;
        let step = match self.random.below(EACH) == 0 && fresh {
            true => self.step,
            false => self.others[self.random.below(self.others.len())],
        };
        (block.last, *last) = (step, step);
        (*block, step)
    }
}

/// Pairs that are dropped and loaded.
pub struct Brought {
    mapping: Mapping,
    draws: Draws,
    /// None: a simulated machine does it.
    way: Option<Writeback>,
    tick_ns: f64,
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
        Ok(Brought {
            mapping: Mapping::new(BLOCKS * BLOCK, Pages::Base, context)?,
            draws: Draws::new(step, seed),
            tick_ns: way.map_or(0.0, |_| harness::loads::tick_ns()),
            way,
            elapsed_ns: 0.0,
            ops: 0,
        })
    }

    /// Drops both words, loads both, and returns what the second took, ns.
    fn once(&self, block: Block, step: usize) -> f64 {
        let word = |offset| self.mapping.base().as_ptr().wrapping_add(offset);
        let both = [word(block.first), word(block.second(step))];
        if let Some(machine) = self.mapping.simulated() {
            both.iter().for_each(|w| machine.flush(*w as usize));
            let time = |word: *mut u8| machine.time_load(0, word as usize);
            return both.map(time)[1];
        }
        link(both.map(<*mut u8>::cast));
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

/// Of half of them, drawn, the second word lies before the first. Units of the longest line
/// begin at multiples of its size.
fn blocks(seed: u64) -> Vec<Block> {
    let mut random = Rng::new(seed);
    let order = shuffled(BLOCKS, seed).into_iter();
    let block = |number: usize| {
        let (unit, down) = (number * BLOCK + LARGEST_PAIR_STEP, random.below(2) == 1);
        Block {
            first: match down {
                true => unit + ENTRY - size_of::<usize>(),
                false => unit,
            },
            down,
            last: 0,
        }
    };
    order.map(block).collect()
}

/// Each of the two words holds the address of the other.
fn link([first, second]: [*mut usize; 2]) {
    // SAFETY: inside the mapping, and aligned: steps are multiples of 8.
    unsafe {
        first.write(second as usize);
        second.write(first as usize);
    }
}

impl Subject for Brought {
    fn batch(&mut self, _part: u16, ops: u64) {
        (self.ops, self.elapsed_ns) = (ops, 0.0);
        let mut left = ops;
        while left > 0 {
            let (block, step) = self.draws.draw();
            let ns = self.once(block, step);
            if step == self.draws.step {
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
        // SAFETY: inside the mapping, aligned; steps that were loaded were written by `link`.
        let holds = |offset| unsafe { (at(offset) as *const usize).read() };
        let loaded = self
            .draws
            .blocks
            .iter()
            .filter(|b| b.last > 0 && self.way.is_some());
        let lost = loaded.filter(|b| holds(b.first) != at(b.second(b.last)));
        must(lost.count() == 0, "words do not hold what was written")
    }

    fn notes(&self) -> Vec<String> {
        let way = self.way.map(dropped_by);
        let timed = format!("one of {EACH} pairs has this step and is timed");
        let mapping = self.mapping.note().to_owned();
        way.into_iter().chain([timed, mapping]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, BLOCKS, Draws, EACH};

    #[test]
    fn what_came_last_in_a_block_or_a_direction_is_not_timed_next() {
        let mut draws = Draws::new(128, 7);
        let (mut in_block, mut in_direction) = (vec![0; BLOCKS], [0; 2]);
        let mut timed = 0;
        for _ in 0..100_000 {
            let (block, step) = draws.draw();
            let (at, way) = (block.first / BLOCK, usize::from(block.down));
            if step == 128 {
                assert!(in_block[at] != 128 && in_direction[way] != 128);
                timed += 1;
            }
            (in_block[at], in_direction[way]) = (step, step);
        }
        // Where it may come, it is one in EACH.
        assert!((13_000..100_000 / EACH).contains(&timed), "{timed}");
    }

    #[test]
    fn short_steps_stay_in_the_line_and_all_steps_in_the_block() {
        for block in Draws::new(64, 3).blocks {
            for step in [8, 16, 32, 64, 128, 256, 512, 1016] {
                let second = block.second(step);
                assert_eq!(second / BLOCK, block.first / BLOCK, "{block:?} {step}");
                for line in [32, 64, 128, 256] {
                    let same = second / line == block.first / line;
                    assert_eq!(same, step < line, "{block:?} {step} {line}");
                }
            }
        }
    }
}
