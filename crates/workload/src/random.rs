//! Numbers that look random and are the same on every machine, so that inputs need
//! no file and results are known.

/// `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of 0 to `limit` - 1. In one place, for generators of inputs are many and
    /// need not be fast.
    #[inline(never)]
    pub fn below(&mut self, limit: u32) -> u32 {
        (((self.draw() >> 32) * u64::from(limit)) >> 32) as u32
    }

    /// 0 to `count` - 1 in disorder (Fisher and Yates).
    pub fn shuffled(&mut self, count: u32) -> Box<[u32]> {
        let mut all: Box<[u32]> = (0..count).collect();
        for i in (1..count).rev() {
            all.swap(i as usize, self.below(i + 1) as usize);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_numbers_are_the_published_ones() {
        let mut random = Random::new(1_234_567);
        let drawn = [random.draw(), random.draw(), random.draw()];
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn a_shuffle_loses_nothing() {
        let mut all = Random::new(7).shuffled(100);
        assert!(all.windows(2).any(|pair| pair[0] > pair[1]));
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..100));
    }
}
