//! Places that are gone through round and round, in one random order or in a new one each round.

use super::PAGE;
use stats::Rng;

/// Places, each in a page of its own. So many misses a prefetcher that learns their order has to
/// remember.
pub const POOL: usize = 1024;

/// Offsets in the order of this round.
#[derive(Debug, Clone)]
pub struct Pool {
    places: Vec<usize>,
    next: usize,
    /// The order comes back.
    again: bool,
}

impl Pool {
    /// Each place lies anywhere in its page.
    pub fn new(again: bool, rng: &mut Rng) -> Pool {
        let place = |page| page * PAGE + rng.below(PAGE / 8) * 8;
        let mut pool = Pool {
            places: (0..POOL).map(place).collect(),
            next: 0,
            again,
        };
        pool.shuffle(rng);
        pool
    }

    fn shuffle(&mut self, rng: &mut Rng) {
        for last in (1..self.places.len()).rev() {
            self.places.swap(last, rng.below(last + 1));
        }
        self.next = 0;
    }

    /// The next so many places of a round; a round that has fewer left is over.
    pub fn take(&mut self, count: usize, rng: &mut Rng) -> &[usize] {
        if self.next + count > self.places.len() {
            match self.again {
                true => self.next = 0,
                false => self.shuffle(rng),
            }
        }
        let from = self.next;
        self.next += count;
        &self.places[from..self.next]
    }
}

#[cfg(test)]
mod tests {
    use super::{POOL, Pool};
    use crate::mem::prefetch::PAGE;
    use stats::Rng;
    use std::collections::BTreeSet;

    fn rounds(again: bool) -> [Vec<usize>; 2] {
        let mut rng = Rng::new(7);
        let mut pool = Pool::new(again, &mut rng);
        [0, 1].map(|_| {
            let runs = (0..POOL / 16).map(|_| pool.take(16, &mut rng).to_vec());
            runs.collect::<Vec<_>>().concat()
        })
    }

    #[test]
    fn each_place_has_a_page_to_itself_and_comes_once_a_round() {
        for again in [true, false] {
            for round in rounds(again) {
                let pages: BTreeSet<usize> = round.iter().map(|at| at / PAGE).collect();
                assert_eq!((round.len(), pages.len()), (POOL, POOL));
                assert!(round.iter().all(|at| at % 8 == 0));
            }
        }
    }

    #[test]
    fn one_order_comes_back_and_the_other_does_not() {
        let [first, second] = rounds(true);
        assert_eq!(first, second);
        let [first, second] = rounds(false);
        assert!(first != second);
        let sorted = |round: &[usize]| round.iter().copied().collect::<BTreeSet<_>>();
        assert_eq!(sorted(&first), sorted(&second));
    }
}
