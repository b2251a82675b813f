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
        // As the hashes that were read off machines do (Maurice and others, 2015; McCalpin,
        // 2021): lines of one number in a run go to one slice after the other, from run to run
        // in another order.
        let turn = self.sets_per_slice.quotient(line);
        let slice = self
            .slices
            .remainder(mixed(turn / RUN, within) ^ (turn % RUN));
        index(u64::from(slice) * u64::from(self.sets_per_slice.value) + u64::from(within))
    }
}

/// Lines of one number of a set that follow each other: those of a huge page, where sets have
/// eleven bits.
const RUN: u32 = 16;

/// A divisor; powers of two need no division.
#[derive(Debug, Clone, Copy)]
struct Number {
    value: u32,
    bits: Option<u32>,
}

impl Number {
    fn new(value: u32) -> Self {
        Number {
            value,
            bits: value.is_power_of_two().then(|| value.trailing_zeros()),
        }
    }

    #[inline]
    fn remainder(self, of: u32) -> u32 {
        match self.bits {
            Some(_) => of & (self.value - 1),
            None => of % self.value,
        }
    }

    #[inline]
    fn quotient(self, of: u32) -> u32 {
        match self.bits {
            Some(bits) => of >> bits,
            None => of / self.value,
        }
    }
}

/// A number that all bits of both have a part in.
fn mixed(run: u32, within: u32) -> u32 {
    let bits = run.wrapping_mul(0x9e37_79b1) ^ within.wrapping_mul(0x85eb_ca6b);
    let bits = (bits ^ bits >> 15).wrapping_mul(0xc2b2_ae35);
    bits ^ bits >> 13
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
    fn a_huge_page_fills_hashed_sets_evenly_and_two_of_them_differ() {
        let placing = Placing::new(&level(32 << 20, 16, 8), 64);
        let page =
            |number: u32| (number << 15..(number + 1) << 15).map(|line| placing.set_of(line));
        let mut found = vec![0; placing.sets()];
        page(5).for_each(|set| found[set] += 1);
        assert!(found.iter().all(|count| *count == 1));
        let same = page(5).zip(page(6)).filter(|(a, b)| a == b).count();
        assert!(
            (3000..5200).contains(&same),
            "{same} of 32768 in the same set"
        );
    }

    #[test]
    fn slices_and_sets_that_are_no_power_of_two_are_filled_too() {
        // 20 slices of 1000 sets.
        let placing = Placing::new(&level(20 * 1000 * 11 * 64, 11, 20), 64);
        assert_eq!(placing.sets(), 20_000);
        let found = lines_by_set(&placing, 20_000 * 64);
        let (least, most) = (found.iter().min().unwrap(), found.iter().max().unwrap());
        assert!(
            *least >= 40 && *most <= 90,
            "{least} to {most}, 64 on average"
        );
    }
}
