//! Words that an instruction drops from the caches, and loads of words near them.

use super::{LARGEST_PAIR_STEP, shuffled};
use crate::mem::dropping::{dropped_by, way};
use engines::loops::writeback::{Writeback, full_fence};
use engines::memory::{Mapping, Pages};
use harness::{Context, Fault, SetupError, Subject};
use stats::Rng;

/// Blocks that take turns. Their words fit the first cache, also where all of them are in an
/// eighth of its sets.
const BLOCKS: usize = 32;

/// The two words of each block, in random order.
pub struct Flushed {
    mapping: Mapping,
    /// Offsets of the words.
    pairs: Vec<[usize; 2]>,
    /// None: a simulated machine does it.
    way: Option<Writeback>,
    /// Which block comes next: an order that came back could be learned.
    order: Rng,
}

impl Flushed {
    /// Words `step` bytes apart.
    ///
    /// # Errors
    /// `Skip` where no instruction drops a line for user programs.
    pub fn new(step: usize, seed: u64, context: &Context) -> Result<Flushed, SetupError> {
        let way = way(context)?;
        let mapping = Mapping::new(BLOCKS * LARGEST_PAIR_STEP, Pages::Base, context)?;
        let words = |block: usize, number: usize| {
            let first = block * LARGEST_PAIR_STEP;
            let mut pair = [first, first + step];
            // Upwards and downwards: neither direction is foreseen.
            if number % 2 == 1 {
                pair.reverse();
            }
            pair
        };
        let blocks = shuffled(BLOCKS, seed).into_iter().enumerate();
        Ok(Flushed {
            mapping,
            pairs: blocks.map(|(number, block)| words(block, number)).collect(),
            way,
            order: Rng::new(seed),
        })
    }

    fn drop_word(&self, offset: usize) {
        let word = self.mapping.base().as_ptr().wrapping_add(offset);
        match (self.way, self.mapping.simulated()) {
            (_, Some(machine)) => machine.flush(word as usize),
            // SAFETY: inside the mapping.
            (Some(way), None) => unsafe { way.push(word, size_of::<u64>()) },
            (None, None) => {}
        }
    }

    fn load(&self, offset: usize) {
        let word = self.mapping.base().as_ptr().wrapping_add(offset);
        match self.mapping.simulated() {
            Some(machine) => {
                machine.follow(word as usize, 1, 1, &mut |at| at);
            }
            // SAFETY: inside the mapping, and aligned: steps are multiples of 8.
            None => unsafe {
                word.cast::<u64>().read_volatile();
            },
        }
    }

    /// Waits for what came before, on a real machine; a simulated one does so by itself.
    fn fence(&self) {
        if self.way.is_some() {
            full_fence();
        }
    }
}

impl Subject for Flushed {
    fn batch(&mut self, _part: u16, ops: u64) {
        for _ in 0..ops {
            let [first, second] = self.pairs[self.order.below(BLOCKS)];
            self.drop_word(first);
            self.fence();
            self.load(second);
        }
        self.fence();
    }

    fn verify(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        let way = self.way.map(dropped_by);
        let mapping = self.mapping.note().to_owned();
        way.into_iter().chain([mapping]).collect()
    }
}
