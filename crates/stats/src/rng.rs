//! The random numbers of resampling.
//!
//! SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), written out rather than
//! taken from a crate: a stored confidence must come out the same with every
//! later version of every dependency.

/// A deterministic generator.
#[derive(Debug, Clone)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Rng { state: seed }
    }

    /// The next number, uniform over all 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform on the open interval (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Uniform on 0..bound; 0 for an empty range. The bias of the product
    /// method is below bound / 2^64.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the quotient is below the bound"
    )]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Standard normal, by Box and Muller; one of the pair is thrown away to
    /// keep the generator without hidden state.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_published_sequence() {
        // First outputs of SplitMix64 for seed 1234567 (Rosetta Code).
        let mut rng = Rng::new(1_234_567);
        assert_eq!(rng.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(rng.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn moments_of_the_normal() {
        let mut rng = Rng::new(1);
        let values: Vec<f64> = (0..20_000).map(|_| rng.normal()).collect();
        let mean = values.iter().sum::<f64>() / 20_000.0;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 19_999.0;
        assert!(mean.abs() < 0.03, "{mean}");
        assert!((variance - 1.0).abs() < 0.04, "{variance}");
    }
}
