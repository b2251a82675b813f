//! Log-linear buckets: values below 16 have their own, above there are eight an
//! octave.

const OWN: u64 = 16;
const LOG2_STEPS: u32 = 3;
const STEPS: u64 = 1 << LOG2_STEPS;

/// Every u64 falls into one of them.
pub const BUCKETS: u16 = bucket_of(u64::MAX) + 1;

/// The bucket of a value.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a value of 64 bits has fewer than 2^16 buckets"
)]
pub const fn bucket_of(value: u64) -> u16 {
    if value < OWN {
        return value as u16;
    }
    let shift = value.ilog2() - LOG2_STEPS;
    (STEPS * shift as u64 + (value >> shift & (STEPS - 1)) + STEPS) as u16
}

/// The smallest value of a bucket; `None` beyond the last one.
pub const fn bucket_floor(bucket: u16) -> Option<u64> {
    let bucket_number = bucket as u64;
    if bucket_number < OWN {
        return Some(bucket_number);
    }
    if bucket >= BUCKETS {
        return None;
    }
    let shift = bucket_number / STEPS - 1;
    Some((STEPS + bucket_number % STEPS) << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_the_first_values_of_their_buckets() {
        for bucket in 0..BUCKETS {
            let floor = bucket_floor(bucket).unwrap();
            assert_eq!(bucket_of(floor), bucket);
            if bucket > 0 {
                assert_eq!(bucket_of(floor - 1), bucket - 1, "below {floor}");
            }
        }
        assert_eq!(bucket_floor(BUCKETS), None);
    }

    #[test]
    fn the_headers_formula_gives_the_same() {
        for value in [16_u64, 17, 31, 32, 63, 64, 4095, 4096, 1 << 20, u64::MAX] {
            let log = u64::from(value.ilog2());
            let formula = 8 * (log - 3) + (value >> (log - 3) & 7) + 8;
            assert_eq!(u64::from(bucket_of(value)), formula, "{value}");
        }
    }
}
