//! What translation adds to loads of lines in random order.
//!
//! A walk over one line a page, round and round in one order, misses a buffer that is one page
//! too small with every load. Loads of lines in random order hit it with the share of all pages
//! that it holds: just beyond its reach hardly any load pays.

use super::translation::SMALLEST_STEP;
use analysis::staircase::staircase;
use stats::CurvePoint;

/// What lies behind so many buffers is no buffer: page tables leave the near caches, which one
/// line a page does much earlier than lines that lie densely.
const BUFFERS: usize = 2;

/// How far each buffer reaches, bytes, and what a miss of it adds to a load, ns.
pub struct Added {
    steps: Vec<(f64, f64)>,
}

impl Added {
    /// By the curve of translation [`alone`](super::translation::alone).
    pub fn of(alone: &[CurvePoint]) -> Added {
        let treads = staircase(alone, SMALLEST_STEP).map_or_else(Vec::new, |stairs| stairs.all);
        let pairs = treads.windows(2).take(BUFFERS);
        // Buffers hold powers of two or half as many more: the last size that fits is theirs, or
        // 6 % less.
        let steps = pairs.map(|t| (t[0].to_x, t[1].level.center - t[0].level.center));
        Added {
            steps: steps.filter(|(_, ns)| *ns > 0.0).collect(),
        }
    }

    /// To a load in a set of `x` bytes, ns.
    pub fn at(&self, x: f64) -> f64 {
        let overflown = self.steps.iter().filter(|(reach, _)| *reach < x);
        overflown.map(|(reach, ns)| ns * (1.0 - reach / x)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f64, ns: f64) -> CurvePoint {
        CurvePoint::new(x, ns, 0.99 * ns, 1.01 * ns)
    }

    #[test]
    fn a_buffer_that_holds_half_of_the_pages_spares_half_of_the_loads() {
        let sizes = [1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0, 22.0, 32.0];
        let curve = sizes.map(|x| at(x, if x > 4.0 { 3.0 } else { 1.0 }));
        let added = Added::of(&curve);
        assert_eq!(added.at(4.0), 0.0);
        assert!((added.at(8.0) - 1.0).abs() < 0.01, "{}", added.at(8.0));
        assert!((added.at(400.0) - 1.98).abs() < 0.02);
        assert_eq!(Added::of(&[]).at(5.0), 0.0);
    }
}
