//! Physical memory: which frames are taken, and free ones chosen at random.

use super::narrow::{index, number};
use stats::Rng;

/// 32 GiB: of the smallest lines still below 2^30.
const MEMORY_BYTES: u64 = 32 << 30;

/// The frames of physical memory, of the size of a base page.
#[derive(Debug, Clone)]
pub struct Frames {
    taken: Vec<bool>,
    rng: Rng,
}

impl Frames {
    /// All free.
    pub fn new(page_bytes: u64, seed: u64) -> Self {
        Frames {
            taken: vec![false; index(MEMORY_BYTES / page_bytes)],
            rng: Rng::new(seed),
        }
    }

    /// That many frames in a row, aligned to their number, which is a power of two; the
    /// first of them.
    ///
    /// # Panics
    /// If simulated memory is full.
    pub fn take(&mut self, frames: u64) -> u32 {
        let run = index(frames);
        let runs = self.taken.len() / run;
        let is_free = |taken: &[bool], at: usize| !taken[at * run..][..run].contains(&true);
        for _ in 0..1_000 {
            let at = self.rng.below(runs);
            if is_free(&self.taken, at) {
                return self.mark(at * run, run);
            }
        }
        let at = (0..runs).find(|at| is_free(&self.taken, *at));
        self.mark(at.expect("simulated memory is full") * run, run)
    }

    /// These frames and no others, whoever has them.
    pub fn take_at(&mut self, first: u32, frames: u64) {
        self.mark(index(u64::from(first)), index(frames));
    }

    /// Gives frames back.
    pub fn free(&mut self, first: u32, frames: u64) {
        self.taken[index(u64::from(first))..][..index(frames)].fill(false);
    }

    /// A share of one of `of`, by chance.
    pub fn one_in(&mut self, of: usize) -> bool {
        self.rng.below(of) == 0
    }

    fn mark(&mut self, first: usize, frames: usize) -> u32 {
        self.taken[first..][..frames].fill(true);
        number(first as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_in_a_row_are_aligned_and_not_given_twice() {
        let mut frames = Frames::new(4096, 9);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..5_000 {
            let first = frames.take(512);
            assert_eq!(first % 512, 0);
            assert!(seen.insert(first));
        }
        let first = frames.take(1);
        frames.free(first, 1);
        frames.take_at(first, 1);
    }
}
