//! Ages of the lines of one set, from 0 to 3, two bits each in a word: all of them are looked
//! at, and all grow older, at once.

/// Lines that a word has room for.
pub const MOST_WAYS: usize = 32;
/// The greatest age.
pub const OLDEST: u8 = 3;

/// The low bit of each age.
const EACH: u64 = 0x5555_5555_5555_5555;

/// The ages of a set; what lies behind its last way stays 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ages(u64);

impl Ages {
    /// The age of one line.
    #[inline]
    fn of(self, way: usize) -> u8 {
        u8::from(self.0 >> (2 * way + 1) & 1 == 1) << 1 | u8::from(self.0 >> (2 * way) & 1 == 1)
    }

    /// Gives a line an age.
    #[inline]
    pub fn set(&mut self, way: usize, age: u8) {
        self.0 = self.0 & !(3 << (2 * way)) | u64::from(age) << (2 * way);
    }

    /// The first way of the greatest age, and that age.
    #[inline]
    pub fn first_greatest(self) -> (usize, u8) {
        let (low, high) = (self.0 & EACH, self.0 >> 1 & EACH);
        let (of_it, age) = match (high & low, high, low) {
            (0, 0, 0) => return (0, 0),
            (0, 0, ones) => (ones, 1),
            (0, twos, _) => (twos, 2),
            (threes, ..) => (threes, OLDEST),
        };
        (
            super::narrow::index(u64::from(of_it.trailing_zeros() / 2)),
            age,
        )
    }

    /// All of so many ways grow older alike until one is of the greatest age.
    #[inline]
    pub fn grow(&mut self, ways: usize) {
        let (_, greatest) = self.first_greatest();
        let all = EACH >> (2 * (MOST_WAYS - ways));
        self.0 += u64::from(OLDEST - greatest) * all;
    }

    /// All but one do.
    #[inline]
    pub fn grow_others(&mut self, ways: usize, way: usize) {
        let before = self.of(way);
        self.grow(ways);
        self.set(way, before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ages(of: &[u8]) -> Ages {
        let mut ages = Ages::default();
        for (way, age) in of.iter().enumerate() {
            ages.set(way, *age);
        }
        ages
    }

    #[test]
    fn the_first_of_the_greatest_is_found() {
        assert_eq!(ages(&[1, 3, 3]).first_greatest(), (1, 3));
        assert_eq!(ages(&[1, 2, 2]).first_greatest(), (1, 2));
        assert_eq!(ages(&[0, 0, 1, 0]).first_greatest(), (2, 1));
        assert_eq!(ages(&[0; 32]).first_greatest(), (0, 0));
        let mut last = [2; 32];
        last[31] = 3;
        assert_eq!(ages(&last).first_greatest(), (31, 3));
    }

    #[test]
    fn all_grow_older_until_one_is_oldest() {
        let mut three = ages(&[1, 0, 2]);
        three.grow(3);
        assert_eq!(three, ages(&[2, 1, 3]));
        three.grow(3);
        assert_eq!(three, ages(&[2, 1, 3]));
        let mut full = ages(&[1; 32]);
        full.grow(32);
        assert_eq!(full, ages(&[3; 32]));
    }

    #[test]
    fn all_but_the_line_used_grow_older() {
        let mut four = ages(&[1, 0, 2, 0]);
        four.grow_others(4, 3);
        assert_eq!(four, ages(&[2, 1, 3, 0]));
    }
}
