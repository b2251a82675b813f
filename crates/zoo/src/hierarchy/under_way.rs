//! Prefetched lines that have not arrived yet.

use super::narrow::index;

/// More than any core has under way.
const PLACES: usize = 256;

/// When each line that was prefetched arrives. A line takes the place of another with the
/// same low bits, which then counts as arrived.
#[derive(Debug, Clone)]
pub struct UnderWay {
    arrivals: Vec<(u32, f64)>,
    last_ns: f64,
}

impl UnderWay {
    /// Nothing is.
    pub fn new() -> Self {
        UnderWay {
            arrivals: vec![(u32::MAX, 0.0); PLACES],
            last_ns: 0.0,
        }
    }

    /// A line will arrive.
    pub fn expect(&mut self, line: u32, arrival_ns: f64) {
        self.arrivals[index(u64::from(line)) % PLACES] = (line, arrival_ns);
        self.last_ns = self.last_ns.max(arrival_ns);
    }

    /// What is left of a line's way, in ns.
    #[inline]
    pub fn remaining_ns(&self, line: u32, now_ns: f64) -> f64 {
        if now_ns >= self.last_ns {
            return 0.0;
        }
        match self.arrivals[index(u64::from(line)) % PLACES] {
            (expected, arrival_ns) if expected == line => (arrival_ns - now_ns).max(0.0),
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_shrinks_and_ends() {
        let mut under_way = UnderWay::new();
        under_way.expect(7, 100.0);
        assert_eq!(under_way.remaining_ns(7, 40.0), 60.0);
        assert_eq!(under_way.remaining_ns(8, 40.0), 0.0);
        assert_eq!(under_way.remaining_ns(7, 100.0), 0.0);
    }
}
