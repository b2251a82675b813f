//! Wilcoxon's signed-rank test for many points that were measured in the same blocks.
//!
//! Which side of a block came first was drawn, so under "no difference" all of its differences
//! might as well have the other sign, those of all points at once. The largest statistic over the
//! points, over all ways to flip whole blocks, gives the chance that any point of a family of
//! unchanged ones looks so different, whatever points have in common and whatever the shape of
//! their noise (max-T: Westfall and Young 1993; the interval is the set of ratios that the test
//! does not reject).

use crate::abba::{Walsh, mean_difference};
use crate::error::{StatsError, check};
use crate::interval::Interval;
use crate::rank::doubled_ranks;
use crate::rng::Rng;
use crate::whole::whole_index;

/// Blocks of which all flips are tried: 2^13 = 8192.
const ALL_FLIPS: usize = 14;
/// Of more, so many flips are drawn, the blocks as they are among them.
const DRAWN: usize = 20_000;
/// Statistics that differ by less are one.
const TIE: f64 = 1e-9;

/// What the blocks say of one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paired {
    /// The centre of the differences. Its interval holds for all points at once where it is one
    /// by ranks; of blocks too few for that, it is Student's t at the level asked for divided
    /// among the points.
    pub effect: Interval,
    /// The chance that any point of the family differs so much.
    pub p: f64,
}

/// Judges points by their differences, a list for each with one difference a block, so that all
/// intervals together hold with 1 - `alpha`.
///
/// # Errors
/// No points, points with different numbers of blocks, fewer than two blocks, differences that
/// are not finite.
pub fn flips(points: &[Vec<f64>], alpha: f64, seed: u64) -> Result<Vec<Paired>, StatsError> {
    let blocks = points.first().map_or(0, Vec::len);
    for differences in points {
        check("paired differences", differences)?;
        if differences.len() != blocks {
            return Err(StatsError::OutOfRange {
                what: "the number of blocks of a point",
                value: differences.len() as f64,
            });
        }
    }
    if !(alpha > 0.0 && alpha < 1.0) {
        return Err(StatsError::OutOfRange {
            what: "an error",
            value: alpha,
        });
    }
    if blocks < 2 {
        return Err(StatsError::TooFew {
            what: "blocks",
            need: 2,
            have: blocks,
        });
    }
    let scores: Vec<Score> = points.iter().map(|d| Score::of(d)).collect();
    let mut largest = all_largest(&scores, blocks, seed);
    largest.sort_unstable_by(f64::total_cmp);
    let critical = critical(&largest, alpha);
    let one = |(differences, score): (&Vec<f64>, &Score)| {
        let seen = score.statistic(|_| 1.0);
        let by_ranks = critical.and_then(|c| score.interval(differences, c, 1.0 - alpha));
        let effect = match by_ranks {
            Some(interval) => interval,
            None => mean_difference(differences, 1.0 - alpha / points.len() as f64)?,
        };
        Ok(Paired {
            effect,
            p: tail(&largest, seen),
        })
    };
    points.iter().zip(&scores).map(one).collect()
}

/// Signed ranks of the differences of a point, as long as a vector of length 1.
struct Score {
    signed: Vec<f64>,
    /// Length before that, of doubled ranks.
    length: f64,
}

impl Score {
    fn of(differences: &[f64]) -> Score {
        let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
        let ranks = doubled_ranks(&sizes);
        // A difference of 0 says nothing of the sign.
        let signed = differences.iter().zip(ranks).map(|(d, rank)| match *d {
            0.0 => 0.0,
            d => d.signum() * rank as f64,
        });
        let signed: Vec<f64> = signed.collect();
        let length = signed.iter().map(|s| s * s).sum::<f64>().sqrt();
        let scale = if length > 0.0 { length } else { 1.0 };
        Score {
            signed: signed.iter().map(|s| s / scale).collect(),
            length,
        }
    }

    fn statistic(&self, sign: impl Fn(usize) -> f64) -> f64 {
        let blocks = self.signed.iter().enumerate();
        blocks
            .map(|(at, score)| sign(at) * score)
            .sum::<f64>()
            .abs()
    }

    /// The centres that a statistic below `critical` does not reject.
    fn interval(&self, differences: &[f64], critical: f64, level: f64) -> Option<Interval> {
        let walsh = Walsh::of(differences).ok()?;
        // The doubled statistic is twice the averages on one side less twice those on the other.
        let apart = critical * self.length / 2.0;
        let fewest = (walsh.len() as f64 - apart) / 2.0;
        (fewest >= -TIE).then(|| walsh.between(whole_index(fewest + TIE), level))?
    }
}

/// The largest statistic of every flip.
fn all_largest(scores: &[Score], blocks: usize, seed: u64) -> Vec<f64> {
    let mut signs = vec![1.0; blocks];
    let largest = |signs: &[f64]| {
        let each = scores.iter().map(|score| score.statistic(|at| signs[at]));
        each.fold(0.0, f64::max)
    };
    if blocks <= ALL_FLIPS {
        // To flip all blocks changes no statistic: the first keeps its sign.
        let all = 0..1u32 << (blocks - 1);
        return all
            .map(|flip| {
                for (bit, sign) in signs[1..].iter_mut().enumerate() {
                    *sign = if flip >> bit & 1 == 1 { -1.0 } else { 1.0 };
                }
                largest(&signs)
            })
            .collect();
    }
    let mut rng = Rng::new(seed);
    let mut all = vec![largest(&signs)];
    all.extend((1..DRAWN).map(|_| {
        for sign in &mut signs {
            *sign = if rng.next_u64() >> 63 == 1 { -1.0 } else { 1.0 };
        }
        largest(&signs)
    }));
    all
}

/// Share of the sorted statistics that are at least `seen`.
fn tail(largest: &[f64], seen: f64) -> f64 {
    let below = largest.partition_point(|l| *l < seen - TIE);
    (largest.len() - below) as f64 / largest.len() as f64
}

/// The smallest statistic that at most `alpha` of them reach; None where even the largest is
/// reached by more.
fn critical(largest: &[f64], alpha: f64) -> Option<f64> {
    let mut found = None;
    for statistic in largest.iter().rev() {
        if tail(largest, *statistic) > alpha {
            break;
        }
        found = Some(*statistic);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval::Method;

    fn normal(rng: &mut Rng, n: usize, effect: f64) -> Vec<f64> {
        (0..n).map(|_| effect + 0.02 * rng.normal()).collect()
    }

    #[test]
    fn drawn_flips_come_near_all_of_them() {
        let mut rng = Rng::new(1);
        let blocks = normal(&mut rng, 14, 0.012);
        let all = flips(std::slice::from_ref(&blocks), 0.05, 1).expect("blocks")[0].p;
        let drawn = Score::of(&blocks);
        let mut largest = vec![drawn.statistic(|_| 1.0)];
        largest.extend((1..DRAWN).map(|_| {
            let signs: Vec<f64> = (0..14).map(|_| (rng.uniform() - 0.5).signum()).collect();
            drawn.statistic(|at| signs[at])
        }));
        largest.sort_unstable_by(f64::total_cmp);
        let near = tail(&largest, drawn.statistic(|_| 1.0));
        assert!((near - all).abs() < 0.01, "{near} {all}");
    }

    /// Tables of the signed-rank test: of 6 pairs no Walsh average is left out, of 10 eight.
    #[test]
    fn the_interval_is_what_the_test_does_not_reject() {
        let blocks: Vec<f64> = (1..=10).map(f64::from).collect();
        let walsh = Walsh::of(&blocks).expect("ten");
        let ten = flips(std::slice::from_ref(&blocks), 0.05, 1).expect("ten")[0].effect;
        let table = walsh.between(8, 0.95).expect("many left");
        assert_eq!((ten.low, ten.high), (table.low, table.high));
        let six = flips(&[blocks[..6].to_vec()], 0.05, 1).expect("six")[0].effect;
        assert_eq!((six.low, six.high), (1.0, 6.0));
        let five = flips(&[blocks[..5].to_vec()], 0.05, 1).expect("five")[0].effect;
        assert_eq!(five.method, Method::PairedT, "2 / 2^5 is more than 5 %");
    }

    #[test]
    fn the_interval_excludes_zero_where_the_chance_is_small() {
        let mut rng = Rng::new(2);
        for trial in 0..200 {
            let effect = 0.002 * f64::from(trial % 20);
            let points: Vec<Vec<f64>> = (0..3).map(|_| normal(&mut rng, 9, effect)).collect();
            for one in flips(&points, 0.05, 1).expect("blocks") {
                let excluded = !one.effect.contains(0.0);
                assert_eq!(excluded, one.p <= 0.05, "{one:?}");
            }
        }
    }

    #[test]
    fn a_family_of_points_that_move_together_keeps_its_error() {
        let mut rng = Rng::new(3);
        for (common, heavy) in [(0.0, false), (0.05, false), (0.02, true)] {
            let mut wrong = 0;
            for _ in 0..400 {
                let together: Vec<f64> = (0..10).map(|_| common * rng.normal()).collect();
                let points: Vec<Vec<f64>> = (0..12)
                    .map(|_| {
                        let one = |shared: &f64| {
                            let tail = if heavy { rng.uniform().powf(-0.7) } else { 1.0 };
                            shared + 0.02 * tail * rng.normal()
                        };
                        together.iter().map(one).collect()
                    })
                    .collect();
                let judged = flips(&points, 0.05, 1).expect("blocks");
                wrong += u32::from(judged.iter().any(|one| one.p <= 0.05));
            }
            assert!(wrong <= 32, "{common} {heavy}: {wrong} of 400");
        }
    }

    #[test]
    fn what_cannot_be_judged_is_refused() {
        assert!(flips(&[], 0.05, 1).is_err());
        assert!(flips(&[vec![1.0]], 0.05, 1).is_err());
        assert!(flips(&[vec![1.0, 2.0], vec![1.0]], 0.05, 1).is_err());
        assert!(flips(&[vec![1.0, f64::NAN]], 0.05, 1).is_err());
        let none = flips(&[vec![0.0; 8]], 0.05, 1).expect("zeros")[0];
        assert_eq!((none.p, none.effect.center), (1.0, 0.0));
    }
}
