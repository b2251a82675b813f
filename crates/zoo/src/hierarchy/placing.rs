//! Which set a line belongs to.

use super::narrow::{index, number};
use crate::cores::Level;

/// The sets of one level, in slices where there are any.
#[derive(Debug, Clone)]
pub struct Placing {
    slices: Number,
    sets_per_slice: Number,
}

impl Placing {
    /// As the level is described.
    pub fn new(level: &Level, line_bytes: u32) -> Self {
        let sets = number(level.sets_per_slice(line_bytes));
        Placing {
            slices: Number::new(level.slices),
            sets_per_slice: Number::new(sets),
        }
    }

    /// All of them.
    pub fn sets(&self) -> usize {
        index(u64::from(self.slices.value) * u64::from(self.sets_per_slice.value))
    }

    /// The set of a line's number.
    #[inline]
    pub fn set_of(&self, line: u32) -> usize {
        let within = self.sets_per_slice.remainder(line);
        if self.slices.value == 1 {
            return index(u64::from(within));
        }
        let slice = self.slices.remainder(hash(line));
        index(u64::from(slice) * u64::from(self.sets_per_slice.value) + u64::from(within))
    }
}

/// A divisor; powers of two need no division.
#[derive(Debug, Clone, Copy)]
struct Number {
    value: u32,
    mask: Option<u32>,
}

impl Number {
    fn new(value: u32) -> Self {
        Number {
            value,
            mask: value.is_power_of_two().then(|| value - 1),
        }
    }

    #[inline]
    fn remainder(self, of: u32) -> u32 {
        match self.mask {
            Some(mask) => of & mask,
            None => of % self.value,
        }
    }
}

/// Low bits, each the exclusive or of many bits of the line's number.
fn hash(line: u32) -> u32 {
    let mut bits = line;
    bits ^= bits >> 16;
    bits ^= bits >> 9;
    bits ^ bits >> 5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(bytes: u64, ways: u32, slices: u32) -> Level {
        let text = format!(
            "name = \"L3\"\nbytes = {bytes}\nways = {ways}\nlatency_cycles = 40\n\
             policy = \"lru\"\ninclusion = \"exclusive\"\nshared_cpus = 8\nslices = {slices}\n"
        );
        toml::from_str(&text).unwrap()
    }

    fn lines_by_set(placing: &Placing, lines: u32) -> Vec<u32> {
        let mut found = vec![0; placing.sets()];
        for line in 0..lines {
            found[placing.set_of(line)] += 1;
        }
        found
    }

    #[test]
    fn a_run_of_lines_fills_hashed_sets_evenly() {
        let placing = Placing::new(&level(8 << 20, 16, 8), 64);
        let found = lines_by_set(&placing, 8 << 20 >> 6);
        assert!(found.iter().all(|count| *count == 16));
    }

    #[test]
    fn slices_and_sets_that_are_no_power_of_two_are_filled_too() {
        // 20 slices of 1000 sets.
        let placing = Placing::new(&level(20 * 1000 * 11 * 64, 11, 20), 64);
        assert_eq!(placing.sets(), 20_000);
        let found = lines_by_set(&placing, 20_000 * 64);
        assert!(found.iter().all(|count| (20..180).contains(count)));
    }
}
