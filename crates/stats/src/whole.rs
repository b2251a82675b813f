//! Whole numbers from floating ones.

/// `x` toward zero; 0 where it is below or no number, `u64::MAX` where it is beyond.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a cast from a float saturates"
)]
#[inline]
pub fn whole(x: f64) -> u64 {
    x as u64
}

/// The same as an index or a count.
#[inline]
pub fn whole_index(x: f64) -> usize {
    usize::try_from(whole(x)).unwrap_or(usize::MAX)
}

/// With its sign, for exponents and pixels.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a cast from a float saturates"
)]
pub fn whole_signed(x: f64) -> i32 {
    x as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_whole_number_is_becomes_the_nearest() {
        for (x, n) in [(2.9, 2), (-1.0, 0), (f64::NAN, 0), (1e30, u64::MAX)] {
            assert_eq!(whole(x), n, "{x}");
        }
        assert_eq!(whole_index(7.5), 7);
        assert_eq!([-2.9, -1e12].map(whole_signed), [-2, i32::MIN]);
    }
}
