//! How far samples that follow each other repeat each other.
//!
//! An interval of the median counts samples. Samples that lean on the one before them
//! (a slow neighbour, a frequency that wanders, a heating core) are worth fewer:
//! n / tau of them, where tau is the integrated autocorrelation time. It is estimated
//! on the ranks, so that one wild sample does not hide it, as the larger of
//!
//! - Geyer's initial monotone sequence: the sums of neighbouring pairs of
//!   autocorrelations while they stay positive (Geyer, "Practical Markov chain Monte
//!   Carlo", 1992), and
//! - that of a first-order autoregression with the same first autocorrelation, freed of
//!   the bias of a short series (Kendall 1954): (1 + r) / (1 - r).
//!
//! Few samples hardly know their own dependence: of ten independent ones a quarter
//! look worth fewer than six. So points that are measured alike borrow from each other
//! ([`DependencePrior`]), as their variances do (`moderated`).

use crate::error::{StatsError, check};
use crate::moderated::FEWEST_POINTS;
use crate::quantile::{mean, median, variance};

/// Fewer samples show no dependence.
pub const FEWEST: usize = 6;

/// A longer series is looked at in so many batches: a recording has a million samples,
/// and every lag costs a pass over all of them.
const MOST: usize = 8192;

/// Autocorrelation beyond which the samples are taken as worth one thousandth.
const STRONGEST: f64 = 0.999;

/// How far one series repeats itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dependence {
    pub samples: usize,
    /// First autocorrelation of the ranks, freed of the bias of a short series.
    lag1: f64,
    /// Autocorrelation time by this series alone, in samples: at least 1.
    pub time: f64,
}

/// Dependence of values in the order in which they were taken.
///
/// # Errors
/// Empty or non-finite values.
pub fn dependence(in_order: &[f64]) -> Result<Dependence, StatsError> {
    check("the dependence of samples", in_order)?;
    Ok(of_centred(&centred_ranks(in_order)))
}

/// Dependence of values whose mean is 0.
pub(crate) fn of_centred(values: &[f64]) -> Dependence {
    of_rest(values, 1.0)
}

/// Dependence of what is left of values when so many numbers were taken out of all of them, as
/// a mean or a slope: each takes as much of the first autocorrelation.
pub(crate) fn of_rest(values: &[f64], taken: f64) -> Dependence {
    let samples = values.len();
    let scale: f64 = values.iter().map(|v| v * v).sum();
    // Equal values say nothing of their order.
    if samples < FEWEST || scale == 0.0 {
        return Dependence {
            samples,
            lag1: 0.0,
            time: 1.0,
        };
    }
    let first = product(values, 1) / scale;
    let bias = taken * (1.0 + 3.0 * first) / samples as f64;
    let lag1 = (first + bias).min(STRONGEST);
    Dependence {
        samples,
        lag1,
        time: batched(values, scale).max(autoregression(lag1)),
    }
}

/// Autocorrelation time by the initial sequence. Of many values that of the sums of
/// batches: batches vary as their values do, times what these repeat inside them.
fn batched(values: &[f64], scale: f64) -> f64 {
    let of = |values: &[f64], scale: f64| {
        initial_sequence(values.len(), |lag| product(values, lag) / scale)
    };
    if values.len() <= MOST {
        return of(values, scale);
    }
    let sums = values.chunks_exact(values.len().div_ceil(MOST));
    let sums: Vec<f64> = sums.map(|batch| batch.iter().sum()).collect();
    let of_sums = product(&sums, 0);
    match of_sums > 0.0 {
        true => (of_sums / scale * of(&sums, of_sums)).max(1.0),
        false => 1.0,
    }
}

/// Sum of the products of values so far apart.
fn product(values: &[f64], lag: usize) -> f64 {
    let later = values.iter().skip(lag);
    values.iter().zip(later).map(|(a, b)| a * b).sum()
}

impl Dependence {
    /// How many independent samples these are worth, by themselves.
    pub fn effective(&self) -> f64 {
        self.samples as f64 / self.time
    }

    /// By how much the autocorrelation time exceeds that of an autoregression.
    fn shape(&self) -> f64 {
        (self.time / autoregression(self.lag1)).max(1.0)
    }
}

/// What the dependence of many points says about that of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DependencePrior {
    lag1: f64,
    /// Variance of the first autocorrelations beyond chance.
    between: f64,
    shape: f64,
}

impl DependencePrior {
    /// None of fewer than eight series of at least [`FEWEST`] samples.
    pub fn fit(series: &[Dependence]) -> Option<DependencePrior> {
        let series: Vec<&Dependence> = series.iter().filter(|d| d.samples >= FEWEST).collect();
        if series.len() < FEWEST_POINTS {
            return None;
        }
        let firsts: Vec<f64> = series.iter().map(|d| d.lag1).collect();
        let shapes: Vec<f64> = series.iter().map(|d| d.shape()).collect();
        let lag1 = mean(&firsts).ok()?;
        let prior = DependencePrior {
            lag1,
            between: 0.0,
            shape: median(&shapes).ok()?,
        };
        let by_chance: Vec<f64> = series.iter().map(|d| prior.chance(d.samples)).collect();
        Some(DependencePrior {
            between: (variance(&firsts).ok()? - mean(&by_chance).ok()?).max(0.0),
            ..prior
        })
    }

    /// Variance by chance of the first autocorrelation of so many samples, freed of its
    /// bias: (1 - r^2) / n of an autoregression (Bartlett 1946), times the square of what
    /// the correction multiplies it by.
    fn chance(&self, samples: usize) -> f64 {
        let n = samples as f64;
        let corrected = 1.0 + 3.0 / n;
        (1.0 - self.lag1 * self.lag1).max(0.05) / n * corrected * corrected
    }

    /// How many independent samples `one` is worth, itself and its like together. Where
    /// all of them are worth too few, one that looks better looks so by chance.
    pub fn effective(&self, one: &Dependence) -> f64 {
        let samples = one.samples as f64;
        let chance = self.chance(one.samples);
        let of_all = chance / (chance + self.between);
        let lag1 = of_all * self.lag1 + (1.0 - of_all) * one.lag1;
        let shape = of_all * self.shape.ln() + (1.0 - of_all) * one.shape().ln();
        let own = samples / (autoregression(lag1) * shape.exp());
        let typical = samples / (autoregression(self.lag1) * self.shape);
        match typical < FEWEST as f64 {
            true => own.min(typical),
            false => own,
        }
    }
}

/// Ranks from the mean one on, equal values sharing theirs.
pub(crate) fn centred_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
    let middle = (values.len() as f64 - 1.0) / 2.0;
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    while first < order.len() {
        let value = values[order[first]];
        let ties = order[first..].iter().take_while(|i| values[**i] == value);
        let next = first + ties.count();
        let shared = (first + next - 1) as f64 / 2.0 - middle;
        order[first..next].iter().for_each(|i| ranks[*i] = shared);
        first = next;
    }
    ranks
}

/// 1 and twice the autocorrelations, in pairs that stay positive and do not rise.
fn initial_sequence(samples: usize, at: impl Fn(usize) -> f64) -> f64 {
    let (mut sum, mut least) = (0.0, f64::INFINITY);
    for lag in (0..samples.saturating_sub(1)).step_by(2) {
        let pair = at(lag) + at(lag + 1);
        if pair <= 0.0 {
            break;
        }
        least = least.min(pair);
        sum += least;
    }
    (2.0 * sum - 1.0).max(1.0)
}

fn autoregression(lag1: f64) -> f64 {
    let r = lag1.clamp(0.0, STRONGEST);
    (1.0 + r) / (1.0 - r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn autoregressive(rng: &mut Rng, phi: f64, n: usize) -> Vec<f64> {
        let mut x = rng.normal();
        let step = (1.0 - phi * phi).sqrt();
        (0..n)
            .map(|_| {
                x = phi * x + step * rng.normal();
                x.exp()
            })
            .collect()
    }

    fn series(phi: f64, n: usize, count: usize) -> Vec<Dependence> {
        let mut rng = Rng::new(5);
        let one = |_| dependence(&autoregressive(&mut rng, phi, n)).expect("finite values");
        (0..count).map(one).collect()
    }

    fn mean_time(of: &[Dependence]) -> f64 {
        of.iter().map(|d| d.time).sum::<f64>() / of.len() as f64
    }

    #[test]
    fn ties_share_their_rank_and_the_ranks_their_mean() {
        let ranks = centred_ranks(&[3.0, 1.0, 3.0, 7.0]);
        assert_eq!(ranks, [0.0, -1.5, 0.0, 1.5]);
    }

    #[test]
    fn a_long_series_shows_its_autocorrelation_time() {
        for (phi, time) in [(0.0, 1.0), (0.5, 3.0), (0.9, 19.0)] {
            let found = mean_time(&series(phi, 4000, 20));
            assert!((found / time - 1.0).abs() < 0.15, "{phi}: {found}");
        }
    }

    #[test]
    fn a_million_samples_take_no_longer_than_their_number() {
        // A line: every lag up to a third of it is positive.
        let line: Vec<f64> = (0..1_000_000).map(f64::from).collect();
        assert!(dependence(&line).expect("finite values").effective() < 6.0);
        for (phi, time) in [(0.0, 1.0), (0.9, 19.0), (0.99, 199.0)] {
            let found = mean_time(&series(phi, 100_000, 4));
            assert!((found / time - 1.0).abs() < 0.3, "{phi}: {found}");
        }
    }

    #[test]
    fn what_says_nothing_is_independent() {
        for values in [&[1.0, 2.0, 3.0][..], &[4.0; 50], &[1.0]] {
            let found = dependence(values).expect("finite values");
            assert_eq!((found.time, found.effective()), (1.0, values.len() as f64));
        }
        assert!(dependence(&[]).is_err());
        assert!(dependence(&[1.0, f64::NAN]).is_err());
    }

    #[test]
    fn ten_independent_samples_borrow_that_they_are() {
        let alone = series(0.0, 10, 40);
        let too_few = |worth: &dyn Fn(&Dependence) -> f64| {
            alone.iter().filter(|d| worth(d) < FEWEST as f64).count()
        };
        let prior = DependencePrior::fit(&alone).expect("forty points");
        let (by_itself, together) = (
            too_few(&Dependence::effective),
            too_few(&|d| prior.effective(d)),
        );
        assert!(by_itself >= 6 && together <= 3, "{by_itself} {together}");
    }

    #[test]
    fn where_all_are_worth_too_few_none_is_believed() {
        let all = series(0.95, 30, 40);
        assert!(all.iter().any(|d| d.effective() >= FEWEST as f64));
        let prior = DependencePrior::fit(&all).expect("forty points");
        assert!(all.iter().all(|d| prior.effective(d) < FEWEST as f64));
    }

    #[test]
    fn one_that_differs_keeps_its_own() {
        let mut all = series(0.0, 300, 12);
        all.extend(series(0.9, 300, 4));
        let prior = DependencePrior::fit(&all).expect("sixteen points");
        for (at, one) in all.iter().enumerate() {
            let worth = prior.effective(one);
            assert_eq!(worth > 150.0, at < 12, "{at}: {worth}");
        }
        assert_eq!(DependencePrior::fit(&all[..7]), None);
    }
}
