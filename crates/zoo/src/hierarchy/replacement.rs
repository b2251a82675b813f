//! Which line of a full set leaves.
//!
//! A policy keeps a mark or an age for each way and a word for each set, as it needs.

use super::ages::{Ages, MOST_WAYS, OLDEST};
use super::narrow::{few, index};
use super::recency::{self, Recency};
use super::search::longest_ago;
use crate::cores::Policy;
use stats::Rng;

/// RRIP: the age of a line that was just filled.
const LONG: u8 = 2;
/// One set in this many leads for each of the two ways to fill.
const LEADERS: usize = 32;
const DUEL_LIMIT: i32 = 512;

/// A policy with what it remembers of all sets together.
#[derive(Debug, Clone)]
pub struct Replacement {
    policy: Policy,
    /// Counts touches; marks of groups are readings of it. It wraps: a group untouched for 2^32
    /// touches looks young.
    touches: u32,
    rng: Rng,
    /// Above 0: lines enter old, which serves sets that are too small for what is used.
    duel: i32,
}

/// What a policy keeps of one set.
pub struct Kept<'a> {
    /// Its number.
    pub set: usize,
    /// How many ways it has.
    pub ways: usize,
    /// When ways were used last, where the policy goes by that.
    pub marks: &'a mut [u32],
    /// The age of each way, where the policy goes by that.
    pub ages: &'a mut Ages,
    /// One for the set.
    pub word: &'a mut u32,
}

impl Replacement {
    /// Nothing seen yet.
    pub fn new(policy: Policy, seed: u64) -> Self {
        Replacement {
            policy,
            touches: 0,
            rng: Rng::new(seed),
            duel: 0,
        }
    }

    /// What a policy keeps of so many ways before they are used: marks, and the word.
    pub fn begin(policy: Policy, ways: usize) -> (Vec<u32>, u32) {
        match policy {
            Policy::Lru => {
                let (links, ends) = recency::begin(few(ways));
                (links.collect(), ends)
            }
            Policy::Lru3Plru4 => (vec![0; ways / 4], 0),
            Policy::Qlru | Policy::Rrip => {
                assert!(ways <= MOST_WAYS, "ages of {ways} ways");
                (Vec::new(), 0)
            }
            Policy::TreePlru | Policy::Random => (Vec::new(), 0),
        }
    }

    /// A hit.
    #[inline]
    pub fn touch(&mut self, kept: Kept, way: usize) {
        match self.policy {
            Policy::Lru => recency(kept).used(few(way)),
            Policy::TreePlru => point_away(kept.word, way, kept.ways),
            Policy::Lru3Plru4 => self.touch_group(kept, way),
            Policy::Qlru => {
                kept.ages.set(way, 0);
                kept.ages.grow_others(kept.ways, way);
            }
            Policy::Rrip => kept.ages.set(way, 0),
            Policy::Random => {}
        }
    }

    /// A line has come into this way.
    pub fn filled(&mut self, kept: Kept, way: usize) {
        match self.policy {
            Policy::Qlru => {
                kept.ages.set(way, self.age_of_a_fill(kept.set));
                kept.ages.grow_others(kept.ways, way);
            }
            Policy::Rrip => kept.ages.set(way, LONG),
            _ => self.touch(kept, way),
        }
    }

    /// The way whose line leaves; every way holds one.
    pub fn victim(&mut self, kept: Kept) -> usize {
        match self.policy {
            Policy::Lru => index(u64::from(recency(kept).oldest())),
            Policy::TreePlru => pointed_to(*kept.word, kept.ways),
            Policy::Lru3Plru4 => {
                let group = longest_ago(kept.marks, self.touches);
                group * 4 + pointed_to(*kept.word >> (4 * group), 4)
            }
            Policy::Qlru => kept.ages.first_greatest().0,
            Policy::Rrip => {
                let (way, _) = kept.ages.first_greatest();
                kept.ages.grow(kept.ways);
                way
            }
            Policy::Random => self.rng.below(kept.ways),
        }
    }

    fn stamp(&mut self, marks: &mut [u32], at: usize) {
        self.touches = self.touches.wrapping_add(1);
        marks[at] = self.touches;
    }

    /// Each group of four has four bits of the word, its last use stands in a mark.
    fn touch_group(&mut self, kept: Kept, way: usize) {
        let group = way / 4;
        let mut bits = *kept.word >> (4 * group) & 15;
        point_away(&mut bits, way % 4, 4);
        *kept.word = *kept.word & !(15 << (4 * group)) | bits << (4 * group);
        self.stamp(kept.marks, group);
    }

    /// Leaders of either kind fill their own way and count their misses against it; all
    /// other sets follow those that miss less (Qureshi and others, 2007).
    fn age_of_a_fill(&mut self, set: usize) -> u8 {
        let old = match set % LEADERS {
            0 => {
                self.duel = (self.duel + 1).min(DUEL_LIMIT);
                false
            }
            leader if leader == LEADERS / 2 => {
                self.duel = (self.duel - 1).max(-DUEL_LIMIT);
                true
            }
            _ => self.duel > 0,
        };
        // One in sixteen enters young all the same, or nothing new could ever stay.
        if old && self.rng.below(16) != 0 {
            OLDEST
        } else {
            1
        }
    }
}

fn recency(kept: Kept<'_>) -> Recency<'_> {
    Recency {
        links: kept.marks,
        ends: kept.word,
    }
}

/// The bits of the tree on the way to `way` point to the other side. Node n has the
/// children 2n and 2n + 1, and bit n of the word.
fn point_away(word: &mut u32, way: usize, ways: usize) {
    let mut node = few(way + ways.next_power_of_two());
    while node > 1 {
        let right = node & 1;
        node >>= 1;
        *word = *word & !(1 << node) | (1 - right) << node;
    }
}

/// The leaf that the bits lead to; where ways are no power of two, the missing leaves on
/// the right are passed over.
fn pointed_to(word: u32, ways: usize) -> usize {
    let leaves = ways.next_power_of_two();
    let mut node = 1;
    let mut first = 0;
    let mut width = leaves;
    while node < leaves {
        width /= 2;
        // Without a branch: which side it is, is chance.
        let right = usize::from(word >> node & 1 == 1) & usize::from(first + width < ways);
        node = 2 * node + right;
        first += right * width;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept<'a>(marks: &'a mut [u32; 3], ages: &'a mut Ages, word: &'a mut u32) -> Kept<'a> {
        Kept {
            set: 0,
            ways: 12,
            marks,
            ages,
            word,
        }
    }

    #[test]
    fn the_tree_leads_away_from_what_was_used() {
        let mut word = 0;
        for way in [0, 1, 2, 3] {
            point_away(&mut word, way, 4);
        }
        assert_eq!(pointed_to(word, 4), 0);
        point_away(&mut word, 0, 4);
        assert_eq!(pointed_to(word, 4), 2);
    }

    #[test]
    fn a_tree_with_missing_leaves_names_a_way_that_exists() {
        for word in 0..256 {
            assert!(pointed_to(word, 6) < 6);
        }
    }

    #[test]
    fn of_three_groups_the_longest_unused_gives_up_a_line() {
        let mut replacement = Replacement::new(Policy::Lru3Plru4, 1);
        let (mut marks, mut ages, mut word) = ([0; 3], Ages::default(), 0);
        for way in (0..12).chain([0, 5]) {
            replacement.touch(kept(&mut marks, &mut ages, &mut word), way);
        }
        let kept = kept(&mut marks, &mut ages, &mut word);
        assert_eq!(replacement.victim(kept), 8);
    }
}
