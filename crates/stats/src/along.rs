//! What else was different from visit to visit, taken off the blocks of a comparison.
//!
//! How much of it shows in the values is found from the two visits to the same side of each block.
//! Neither a difference between the sides nor the order that was drawn for a block enters it, so
//! the test that flips whole blocks (`flips`) holds as before, and nothing of the difference is
//! taken for the other cause (a covariate fitted within treatments).

use crate::abba::Abba;

/// Pairs of visits to one side that differ in it, for a slope that is more than chance.
const FEWEST_PAIRS: usize = 6;
/// More of a visit than this is not known well enough to be taken off.
const LARGEST_SHARE: f64 = 0.95;

/// Logarithm of what a visit took, over what it would have taken with the rest of its time.
fn lost(share: f64) -> f64 {
    -(1.0 - share.clamp(0.0, LARGEST_SHARE)).ln()
}

/// How much of the lost shares shows in the logarithms of the values, 0 and more: 1 where all of a
/// lost share comes on top. `lost_shares`: of the same visits as `blocks`, 0..=1.
pub fn slope(blocks: &[Abba], lost_shares: &[Abba]) -> f64 {
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for (block, shares) in blocks.iter().zip(lost_shares) {
        for (value, share) in [(block.a, shares.a), (block.b, shares.b)] {
            let (x, y) = (
                lost(share[1]) - lost(share[0]),
                value[1].ln() - value[0].ln(),
            );
            if x != 0.0 && x.is_finite() && y.is_finite() {
                pairs.push((y / x, x.abs()));
            }
        }
    }
    match pairs.len() >= FEWEST_PAIRS {
        true => weighted_median(&mut pairs).max(0.0),
        false => 0.0,
    }
}

/// ln(B / A) of each block, less what the lost shares account for.
pub fn log_ratios(blocks: &[Abba], lost_shares: &[Abba], slope: f64) -> Option<Vec<f64>> {
    let mean = |side: [f64; 2]| f64::midpoint(lost(side[0]), lost(side[1]));
    let one = |(at, block): (usize, &Abba)| {
        let shares = lost_shares.get(at).filter(|_| slope > 0.0);
        let off = shares.map_or(0.0, |s| slope * (mean(s.b) - mean(s.a)));
        Some(block.log_ratio()? - off)
    };
    blocks.iter().enumerate().map(one).collect()
}

/// The slope of the line through the origin with the least sum of absolute distances.
fn weighted_median(pairs: &mut [(f64, f64)]) -> f64 {
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let half = pairs.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    for (slope, weight) in pairs.iter() {
        sum += weight;
        if sum >= half {
            return *slope;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Visits of 100 ms of which so much was taken; B is `effect` times as long.
    fn made(rng: &mut Rng, effect: f64, counts: f64) -> (Vec<Abba>, Vec<Abba>) {
        let mut shares = || -> [f64; 2] { [0; 2].map(|_| 0.3 * rng.uniform()) };
        let shares: Vec<Abba> = (0..40)
            .map(|_| Abba {
                a: shares(),
                b: shares(),
            })
            .collect();
        let mut value = |share: f64, factor: f64| {
            let noise = (0.01 * rng.normal()).exp();
            100.0 * factor * noise * (1.0 - share).powf(-counts)
        };
        let blocks = shares.iter().map(|s| Abba {
            a: s.a.map(|share| value(share, 1.0)),
            b: s.b.map(|share| value(share, effect)),
        });
        (blocks.collect(), shares)
    }

    fn spread(logs: &[f64]) -> f64 {
        crate::variance(logs).unwrap().sqrt()
    }

    #[test]
    fn what_was_stolen_is_taken_off_and_the_difference_stays() {
        let mut rng = Rng::new(1);
        for counts in [1.0, 0.5] {
            let (blocks, shares) = made(&mut rng, 1.05, counts);
            let found = slope(&blocks, &shares);
            assert!((found - counts).abs() < 0.1, "{found} for {counts}");
            let plain = log_ratios(&blocks, &[], 0.0).unwrap();
            let without = log_ratios(&blocks, &shares, found).unwrap();
            assert!(spread(&without) < spread(&plain) / 3.0);
            let middle = crate::median(&without).unwrap();
            assert!((middle - 1.05f64.ln()).abs() < 0.006, "{middle}");
        }
    }

    #[test]
    fn a_side_that_loses_more_does_not_hide_what_it_costs() {
        // B always loses more, and nothing of what is lost shows in a visit: a slope that was fitted
        // between the sides would take its 10 % for it.
        let mut rng = Rng::new(2);
        let (blocks, mut shares) = made(&mut rng, 1.10, 0.0);
        for share in &mut shares {
            share.b = share.b.map(|s| s + 0.2);
        }
        let found = slope(&blocks, &shares);
        assert!(found < 0.05, "{found}");
        let left = log_ratios(&blocks, &shares, found).unwrap();
        let middle = crate::median(&left).unwrap();
        assert!((middle - 1.10f64.ln()).abs() < 0.015, "{middle}");
    }

    #[test]
    fn whole_blocks_that_are_flipped_have_the_same_slope() {
        let mut rng = Rng::new(3);
        let (blocks, shares) = made(&mut rng, 1.05, 1.0);
        let flip = |all: &[Abba]| -> Vec<Abba> {
            let flipped = all.iter().enumerate().map(|(at, block)| match at % 3 {
                0 => Abba {
                    a: block.b,
                    b: block.a,
                },
                _ => *block,
            });
            flipped.collect()
        };
        let (one, other) = (
            slope(&blocks, &shares),
            slope(&flip(&blocks), &flip(&shares)),
        );
        assert!((one - other).abs() < 1e-12);
    }

    #[test]
    fn a_calm_machine_has_none() {
        let mut rng = Rng::new(4);
        let (blocks, shares) = made(&mut rng, 1.05, 0.0);
        let calm: Vec<Abba> = shares
            .iter()
            .map(|_| Abba {
                a: [0.0; 2],
                b: [0.0; 2],
            })
            .collect();
        assert_eq!(slope(&blocks, &calm), 0.0);
        assert_eq!(slope(&blocks, &[]), 0.0);
        assert_eq!(
            log_ratios(&blocks, &calm, 0.0),
            log_ratios(&blocks, &[], 0.0)
        );
    }
}
