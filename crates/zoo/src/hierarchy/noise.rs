//! What loads take longer than their due, without a logarithm for each.

use super::narrow::index;
use stats::Rng;

/// Few, so that the table stays in the host's first level.
const VALUES: u32 = 512;

/// Exponential numbers of mean 1, at the middles of as many equal quantiles.
#[derive(Debug, Clone)]
pub struct Noise {
    values: Vec<f64>,
    rng: Rng,
}

impl Noise {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        let middle = |at: u32| (f64::from(at) + 0.5) / f64::from(VALUES);
        Noise {
            values: (0..VALUES).map(|at| -middle(at).ln()).collect(),
            rng: Rng::new(seed),
        }
    }

    /// The next one.
    #[inline]
    pub fn next(&mut self) -> f64 {
        let at = self.rng.next_u64() % u64::from(VALUES);
        self.values[index(at)]
    }
}
