//! A random order that goes round: made at random, and read off in the order in which it is
//! walked.

use stats::Rng;

/// A random permutation of `0..count` that is one single cycle (Sattolo's
/// variant of the Fisher-Yates shuffle): entry i is the successor of i.
pub fn single_cycle(count: u32, seed: u64) -> Vec<u32> {
    let mut next: Vec<u32> = (0..count).collect();
    let mut random = Rng::new(seed);
    for last in (1..next.len()).rev() {
        next.swap(last, random.below(last));
    }
    next
}

/// Walks that go on side by side: as many misses as a core has under way.
const SIDE_BY_SIDE: usize = 16;

/// Shorter cycles lie in near caches, where one walk is as fast.
const WORTH_IT: usize = 1 << 14;

/// The elements of a single cycle in the order of its walk from element 0.
///
/// One walk waits for a load at every step. So walks begin at several elements, go on side by
/// side, and end where another began; put together by where each ended they are the whole.
pub fn in_order(next: &[u32]) -> Vec<u32> {
    let walks = match next.len() {
        short if short < WORTH_IT => 1,
        _ => SIDE_BY_SIDE,
    };
    let apart = next.len().div_ceil(walks).next_power_of_two();
    let count = u32::try_from(next.len()).unwrap_or(u32::MAX);
    let begins = (0..count).step_by(apart);
    let mut parts: Vec<Vec<u32>> = begins.map(|begin| vec![begin]).collect();
    let mut under_way: Vec<usize> = (0..parts.len()).collect();
    while !under_way.is_empty() {
        under_way.retain(|&walk| {
            let at = parts[walk].last().copied().unwrap_or(0);
            let after = next[at as usize];
            let begins_another = after as usize & (apart - 1) == 0;
            if !begins_another {
                parts[walk].push(after);
            }
            !begins_another
        });
    }
    put_together(next, parts, apart)
}

fn put_together(next: &[u32], parts: Vec<Vec<u32>>, apart: usize) -> Vec<u32> {
    let mut order = Vec::with_capacity(next.len());
    let mut walk = 0;
    for _ in 0..parts.len() {
        order.extend_from_slice(&parts[walk]);
        let end = parts[walk].last().copied().unwrap_or(0);
        walk = next[end as usize] as usize / apart;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::{WORTH_IT, in_order, single_cycle};
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// One step after the other.
    fn plainly(next: &[u32]) -> Vec<u32> {
        let steps = std::iter::successors(Some(0), |at| Some(next[*at as usize]));
        steps.take(next.len()).collect()
    }

    proptest! {
        #[test]
        fn a_shuffle_is_one_cycle(count in 1u32..3000, seed: u64) {
            let next = single_cycle(count, seed);
            let mut met = HashSet::new();
            let mut at = 0u32;
            while met.insert(at) {
                at = next[at as usize];
            }
            prop_assert_eq!(met.len(), count as usize);
            prop_assert_eq!(at, 0);
        }

        #[test]
        fn walks_side_by_side_read_the_order_of_one(
            count in prop_oneof![1u32..200, WORTH_IT as u32 - 2..3 * WORTH_IT as u32],
            seed: u64,
        ) {
            let next = single_cycle(count, seed);
            prop_assert_eq!(in_order(&next), plainly(&next));
        }
    }
}
