//! The step of a counter, from its readings.
//!
//! A counter whose ticks are those of 2 GHz need not advance by one: a guest's time stamp
//! counter may be scaled from a slower one, and then all its differences are multiples of,
//! say, 22.5 ticks, rounded. The smallest difference seen is not that step but what a
//! reading costs.

use std::f64::consts::TAU;

/// Mean cosine of the differences, as angles of a step, from which they are multiples of
/// it. Rounding to whole ticks leaves 0.99 at 22.5 ticks and 0.9 at 6.
const COHERENT: f64 = 0.85;
/// Differences that reach so many steps further than others can tell a step from their
/// own spread.
const SPREAD_STEPS: f64 = 3.0;
/// Longer differences than so many of the smallest were interrupted.
const LONGEST: f64 = 8.0;
/// Share of a turn by which neighbouring candidates differ at the longest difference.
const FINENESS: f64 = 0.05;

/// Share of readings that show the same time, from which a clock stands between them.
const STANDS: f64 = 0.05;

/// The largest step of which all these differences of whole ticks are multiples, in
/// ticks; 1 where there is none. They should differ among themselves by some steps:
/// readings with work of many lengths between them. Where some are 0, the clock stands
/// between readings, and the shortest of the others are one step.
pub fn step_of_differences(ticks: &[u64]) -> f64 {
    let mut sorted: Vec<f64> = ticks
        .iter()
        .filter(|d| **d > 0)
        .map(|d| *d as f64)
        .collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(least) = sorted.first().copied().filter(|least| *least > 1.0) else {
        return 1.0;
    };
    if (ticks.len() - sorted.len()) as f64 > STANDS * ticks.len() as f64 {
        // A reading costs less than a step: the shortest differences are one.
        let single: Vec<f64> = sorted.into_iter().filter(|d| *d < 1.5 * least).collect();
        return crate::mean(&single).unwrap_or(1.0);
    }
    sorted.retain(|d| *d <= LONGEST * least);
    let at = |share: f64| sorted[crate::whole_index(share * (sorted.len() - 1) as f64)];
    let (spread, longest) = (at(0.9) - at(0.1), at(1.0));
    let score = |step: f64| {
        let sum: f64 = sorted.iter().map(|d| (TAU * d / step).cos()).sum();
        sum / sorted.len() as f64
    };
    let mut step = (least * 1.02).min(spread / SPREAD_STEPS);
    let mut best = (1.0, COHERENT);
    while step > 1.5 {
        let found = score(step);
        if found > best.1 {
            best = (step, found);
        } else if best.0 > 1.0 {
            // Past the top of the largest.
            break;
        }
        step *= 1.0 - FINENESS * step / longest;
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::step_of_differences;
    use crate::rng::Rng;

    /// Readings of a counter that advances by `step` ticks, with work between them.
    fn differences(step: f64, reading: f64, work: f64) -> Vec<u64> {
        let mut rng = Rng::new(3);
        let mut now = 0.0;
        let stamps: Vec<u64> = (0..400)
            .map(|i| {
                now += reading + work * rng.uniform() + if i % 97 == 0 { 1e5 } else { 0.0 };
                crate::whole((now / step).floor() * step)
            })
            .collect();
        stamps.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    #[test]
    fn the_step_is_found_below_the_cost_of_a_reading() {
        for (step, reading) in [(22.5, 90.0), (30.0, 90.0), (10.0, 70.0), (100.0, 60.0)] {
            let found = step_of_differences(&differences(step, reading, 600.0));
            assert!((found / step - 1.0).abs() < 0.02, "{step}: {found}");
        }
    }

    #[test]
    fn a_fine_counter_has_a_step_of_one_tick() {
        for reading in [20.0, 90.0, 400.0] {
            assert_eq!(step_of_differences(&differences(1.0, reading, 600.0)), 1.0);
        }
        // A slow one: a reading takes less than a tick.
        assert_eq!(step_of_differences(&differences(1.0, 0.3, 3.0)), 1.0);
    }

    #[test]
    fn equal_differences_tell_no_step() {
        assert_eq!(step_of_differences(&[90; 300]), 1.0);
        assert_eq!(step_of_differences(&[90, 91, 92, 90, 91]), 1.0);
        assert_eq!(step_of_differences(&[]), 1.0);
        assert_eq!(step_of_differences(&[0, 0]), 1.0);
    }

    #[test]
    fn a_clock_that_stands_between_readings_has_its_shortest_advance_as_step() {
        // Readings take 5 ticks, the work between them up to 40.
        for step in [1000.0, 222.5] {
            let mut rng = Rng::new(3);
            let (mut now, mut last) = (0.0, 0u64);
            let differences: Vec<u64> = (0..400)
                .map(|_| {
                    now += 5.0 + 40.0 * rng.uniform();
                    let reading = crate::whole((f64::floor(now / step) * step).round());
                    let passed = reading - last;
                    last = reading;
                    passed
                })
                .collect();
            let found = step_of_differences(&differences);
            assert!(f64::abs(found / step - 1.0) < 0.005, "{step}: {found}");
        }
    }
}
