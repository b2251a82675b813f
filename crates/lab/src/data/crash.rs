//! Guests that are killed while they work.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The guest is killed so many times, each time at a moment drawn from the
/// seed, and booted anew with what its disks and NVDIMM then hold. The boot
/// after the last kill is the one whose tests are judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crash {
    pub times: u32,
    pub seed: u64,
    /// Longest time from the guest's word KILL to its end, milliseconds.
    pub within_ms: u64,
}

impl Crash {
    /// How long after KILL each of the guests lives.
    pub fn moments(&self) -> Vec<Duration> {
        let mut state = self.seed;
        let mut draw = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            Duration::from_millis((mixed ^ (mixed >> 31)) % self.within_ms.max(1))
        };
        (0..self.times).map(|_| draw()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Crash;

    #[test]
    fn moments_differ_and_come_again_with_the_seed() {
        let crash = |seed| Crash {
            times: 5,
            seed,
            within_ms: 3000,
        };
        let moments = crash(7).moments();
        assert_eq!(moments.len(), 5);
        assert!(moments.iter().all(|m| m.as_millis() < 3000));
        assert!(moments.windows(2).any(|w| w[0] != w[1]));
        assert_eq!(moments, crash(7).moments());
        assert_ne!(moments, crash(8).moments());
    }
}
