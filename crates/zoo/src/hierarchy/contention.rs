//! Atomic additions of two CPUs at the same time.

use crate::cores::Coherence;

/// Each of two CPUs that have the two lines of one pair slows the other by so much.
const PAIR_RATIO: f64 = 1.4;
/// An addition of a thread to a line that another thread of its core adds to takes so many
/// times one to a line of its own.
pub const THREADS: f64 = 2.0;
/// Size of such a pair, in bytes.
const PAIR_BYTES: u64 = 128;

/// How far apart two words are, as far as coherence goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nearness {
    /// In one line.
    Line,
    /// In the two lines of one aligned pair.
    Pair,
    /// Further.
    Apart,
}

/// Of two physical addresses.
pub fn nearness(ours: u64, theirs: u64, line_bytes: u64) -> Nearness {
    match () {
        () if ours / line_bytes == theirs / line_bytes => Nearness::Line,
        () if ours / PAIR_BYTES == theirs / PAIR_BYTES => Nearness::Pair,
        () => Nearness::Apart,
    }
}

/// One addition while the partner adds too, in ns.
pub fn addition_ns(coherence: &Coherence, nearness: Nearness) -> f64 {
    match nearness {
        Nearness::Line => coherence.transfer_ns,
        Nearness::Pair if coherence.pair_prefetch => PAIR_RATIO * coherence.local_ns,
        _ => coherence.local_ns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_aligned() {
        assert_eq!(nearness(0, 63, 64), Nearness::Line);
        assert_eq!(nearness(0, 64, 64), Nearness::Pair);
        assert_eq!(nearness(64, 128, 64), Nearness::Apart);
        assert_eq!(nearness(0, 64, 128), Nearness::Line);
    }
}
