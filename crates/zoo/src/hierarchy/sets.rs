//! Sets of a few ways each, as flat arrays: what caches and TLBs are made of.

use super::ages::Ages;
use super::replacement::{Kept, Replacement};
use super::search::position;
use crate::cores::Policy;
use harness::loads::ask_for;

/// The tag of a way that holds nothing.
pub const EMPTY: u32 = u32::MAX;

/// Tags of a line of the host's cache. Sets begin where one does: else most sets of 16 ways
/// would lie in two.
const HOST_LINE_TAGS: usize = 16;

/// A set-associative array of tags.
#[derive(Debug, Clone)]
pub struct Sets {
    ways: usize,
    /// The first tag of set 0.
    first: usize,
    tags: Vec<u32>,
    /// What the policy has of each set, `marks_each` of them.
    marks: Vec<u32>,
    marks_each: usize,
    states: Vec<State>,
    /// Tags in all sets.
    held: usize,
    /// Set and way of the last hit.
    last_hit: (usize, usize),
    replacement: Replacement,
}

/// What is kept of a set, its tags and marks aside: together, for a set is used after many
/// others, and each place it is kept in has then left the host's caches.
#[derive(Debug, Clone, Copy)]
struct State {
    ages: Ages,
    word: u32,
    /// Empty ways.
    empty: u8,
}

impl Sets {
    /// Empty sets, of 255 ways at most.
    pub fn new(sets: usize, ways: usize, policy: Policy, seed: u64) -> Self {
        let (marks, word) = Replacement::begin(policy, ways);
        let state = State {
            ages: Ages::default(),
            word,
            empty: u8::try_from(ways).unwrap_or(u8::MAX),
        };
        let tags = vec![EMPTY; sets * ways + HOST_LINE_TAGS];
        let aligned = tags.as_ptr().align_offset(HOST_LINE_TAGS * 4);
        Sets {
            ways,
            first: aligned.min(HOST_LINE_TAGS),
            tags,
            marks: marks.repeat(sets),
            marks_each: marks.len(),
            states: vec![state; sets],
            held: 0,
            last_hit: (0, 0),
            replacement: Replacement::new(policy, seed),
        }
    }

    /// How many there are.
    #[inline]
    pub fn sets(&self) -> usize {
        self.states.len()
    }

    /// Lines of one.
    pub fn ways(&self) -> usize {
        self.ways
    }

    /// The tags of one set.
    #[inline]
    pub fn tags(&self, set: usize) -> &[u32] {
        &self.tags[self.first + set * self.ways..][..self.ways]
    }

    /// The way that holds this tag.
    #[inline]
    pub fn find(&self, set: usize, tag: u32) -> Option<usize> {
        position(self.tags(set), tag)
    }

    /// A set is used soon: the host is asked for what is kept of it, which lies in as many
    /// places as it has parts.
    #[inline]
    pub fn expect(&self, set: usize) {
        if let Some(tags) = self.tags.get(self.first + set * self.ways) {
            ask_for(std::ptr::from_ref(tags).addr());
        }
        if let Some(state) = self.states.get(set) {
            ask_for(std::ptr::from_ref(state).addr());
        }
        if let Some(marks) = self.marks.get(set * self.marks_each) {
            ask_for(std::ptr::from_ref(marks).addr());
        }
    }

    /// A hit.
    #[inline]
    pub fn touch(&mut self, set: usize, way: usize) {
        let (replacement, kept) = self.kept(set);
        replacement.touch(kept, way);
    }

    /// Finds and touches. One that is asked for again and again is found without a search.
    #[inline]
    pub fn hit(&mut self, set: usize, tag: u32) -> bool {
        let (last_set, way) = self.last_hit;
        if last_set == set && self.tags(set)[way] == tag {
            self.touch(set, way);
            return true;
        }
        let Some(way) = self.find(set, tag) else {
            return false;
        };
        self.touch(set, way);
        self.last_hit = (set, way);
        true
    }

    /// Puts a tag in that is not there; the way it got, and what left it.
    pub fn insert(&mut self, set: usize, tag: u32) -> (usize, u32) {
        let empty = match self.states[set].empty {
            0 => None,
            _ => self.tags(set).iter().position(|held| *held == EMPTY),
        };
        let way = empty.unwrap_or_else(|| {
            let (replacement, kept) = self.kept(set);
            replacement.victim(kept)
        });
        (way, self.put(set, way, tag))
    }

    /// Puts a tag into a way; what left it.
    pub fn put(&mut self, set: usize, way: usize, tag: u32) -> u32 {
        let place = &mut self.tags[self.first + set * self.ways + way];
        let left = std::mem::replace(place, tag);
        self.states[set].empty -= u8::from(left == EMPTY);
        self.held += usize::from(left == EMPTY);
        let (replacement, kept) = self.kept(set);
        replacement.filled(kept, way);
        left
    }

    /// Takes a tag out; whether it was there.
    pub fn remove(&mut self, set: usize, tag: u32) -> bool {
        if self.held == 0 {
            return false;
        }
        let found = self.find(set, tag);
        if let Some(way) = found {
            self.clear(set, way);
        }
        found.is_some()
    }

    /// Empties a way. What its policy keeps of it does not matter: it is filled first.
    pub fn clear(&mut self, set: usize, way: usize) {
        let place = &mut self.tags[self.first + set * self.ways + way];
        let left = std::mem::replace(place, EMPTY);
        self.states[set].empty += u8::from(left != EMPTY);
        self.held -= usize::from(left != EMPTY);
    }

    /// Empties every way.
    pub fn clear_all(&mut self) {
        for set in 0..self.sets() {
            (0..self.ways).for_each(|way| self.clear(set, way));
        }
    }

    #[inline]
    fn kept(&mut self, set: usize) -> (&mut Replacement, Kept<'_>) {
        let from = set * self.marks_each;
        let state = &mut self.states[set];
        let kept = Kept {
            set,
            ways: self.ways,
            marks: &mut self.marks[from..from + self.marks_each],
            ages: &mut state.ages,
            word: &mut state.word,
        };
        (&mut self.replacement, kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of `rounds` walks over `tags` tags hit, walks in the same order.
    fn hits(policy: Policy, ways: usize, tags: u32, rounds: usize) -> usize {
        let mut sets = Sets::new(1, ways, policy, 7);
        let mut hits = 0;
        for tag in (0..rounds).flat_map(|_| 0..tags) {
            if sets.hit(0, tag) {
                hits += 1;
            } else {
                sets.insert(0, tag);
            }
        }
        hits
    }

    const ALL: [Policy; 6] = [
        Policy::Lru,
        Policy::TreePlru,
        Policy::Lru3Plru4,
        Policy::Qlru,
        Policy::Rrip,
        Policy::Random,
    ];

    #[test]
    fn what_fits_stays_under_every_policy() {
        for policy in ALL {
            assert_eq!(hits(policy, 12, 12, 5), 4 * 12, "{policy:?}");
        }
    }

    #[test]
    fn one_too_many_misses_always_under_lru_and_partly_under_random() {
        assert_eq!(hits(Policy::Lru, 8, 9, 100), 0);
        let random = hits(Policy::Random, 8, 9, 100);
        assert!((200..850).contains(&random), "{random}");
    }

    #[test]
    fn what_is_removed_makes_room() {
        let mut sets = Sets::new(2, 2, Policy::Lru, 1);
        sets.insert(1, 5);
        sets.insert(1, 6);
        assert!(sets.remove(1, 5) && !sets.remove(1, 5));
        assert_eq!(sets.insert(1, 7), (0, EMPTY));
        assert_eq!(sets.insert(1, 8), (1, 6));
        sets.clear_all();
        assert_eq!(sets.find(1, 8), None);
    }
}
