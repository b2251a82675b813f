//! When a sample began, as two tallies behind the experiment's own parts, in the
//! form of `record::moment`.

use crate::Tally;
use record::{Unit, moment};

/// Of samples timed by CLOCK_MONOTONIC.
pub const OF_MONOTONIC: [Tally; 2] = [
    Tally::new(
        moment::START_SECONDS,
        Unit::ClockSeconds,
        "whole seconds of CLOCK_MONOTONIC when the sample began: a moment, never judged",
    ),
    Tally::new(
        moment::START_NANOSECONDS,
        Unit::ClockNanoseconds,
        "nanoseconds within the second of CLOCK_MONOTONIC when the sample began: a moment, \
         never judged",
    ),
];

/// Of samples timed by the wall clock.
pub const OF_WALL_CLOCK: [Tally; 2] = [
    Tally {
        doc: "whole seconds of CLOCK_REALTIME when the sample began: a moment, never judged",
        ..OF_MONOTONIC[0]
    },
    Tally {
        doc: "nanoseconds within the second of CLOCK_REALTIME when the sample began: a moment, \
              never judged",
        ..OF_MONOTONIC[1]
    },
];

/// The tallies of a sample of `ops` operations. Tallies are of the whole batch
/// and are divided by its operations; a moment is not to be divided, so it is
/// multiplied, which is exact: both numbers have fewer than 53 bits.
pub fn tallies(start_ns: u64, ops: u64) -> [f64; 2] {
    moment::parts(start_ns).map(|part| part * ops as f64)
}

#[cfg(test)]
mod tests {
    use super::tallies;
    use record::moment;

    #[test]
    fn a_moment_survives_being_divided_by_the_operations() {
        for start_ns in [
            1_700_000_000_987_654_321,
            3,
            u64::from(u32::MAX) * 1_000_000_000,
        ] {
            for ops in [1, 300, 300 * 64] {
                let [s, ns] = tallies(start_ns, ops).map(|t| t / ops as f64);
                assert_eq!(moment::joined(s, ns), Some(start_ns), "{ops}");
            }
        }
    }
}
