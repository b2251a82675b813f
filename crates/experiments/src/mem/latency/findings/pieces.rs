//! Huge pages that a host has in pieces: a translation buffer then holds one entry for each piece,
//! and its reach passes for the end of a cache over huge pages too.

use super::added::Added;
use analysis::staircase::interpolate;
use stats::{CurvePoint, Interval};

/// Why the difference of loads over base pages and over huge pages is then no page walk.
pub const WALK_TOO: &str = "loads over huge pages walk too: the host has these in pieces";

/// Whole pages are spared all that translation adds over base pages, pieces nothing.
const SPARED: f64 = 0.5;
/// So many standard errors below that it has to be.
const SURE: f64 = 2.0;
/// No difference of two points is better known than to this share of them.
const SUREST: f64 = 0.01;

/// Whether loads over huge pages pay what translation adds to loads over base pages, by the
/// curves of both. Where these leave it open: no.
pub fn pay(huge: &[CurvePoint], base: &[CurvePoint], added: &Added) -> bool {
    // The share that is spared, by least squares over all sizes.
    let (mut weights, mut sum) = (0.0, 0.0);
    for point in base {
        let next = huge.iter().find(|p| p.x >= point.x);
        let Some((huge_ns, next)) = interpolate(huge, point.x).zip(next) else {
            continue;
        };
        let sigma = |y: Interval| (y.high - y.low) / 4.0;
        let error = sigma(point.y).hypot(sigma(next.y));
        let error = error.max(SUREST * point.y.center);
        let added_ns = added.at(point.x) / error;
        weights += added_ns * added_ns;
        sum += added_ns * (point.y.center - huge_ns) / error;
    }
    let spared = sum / weights;
    weights > 0.0 && spared + SURE / weights.sqrt() < SPARED
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A level of 4 ns, to which this share of 2 ns is added as loads in random order pay it
    /// beyond 16, known to this share.
    fn curve(share: f64, known: f64) -> Vec<CurvePoint> {
        let ns = |x: f64| 4.0 + share * 2.0 * (1.0 - 16.0 / x).max(0.0);
        let at = |x: f64| CurvePoint::new(x, ns(x), ns(x) * (1.0 - known), ns(x) * (1.0 + known));
        (0..16).map(|i| at(2f64.powf(f64::from(i) / 2.0))).collect()
    }

    #[test]
    fn whole_pages_pay_nothing_pieces_all_and_noise_leaves_it_open() {
        let sizes = (0..16).map(|i| 2f64.powf(f64::from(i) / 2.0));
        let alone = sizes.map(|x| {
            let ns = if x > 16.0 { 3.0 } else { 1.0 };
            CurvePoint::new(x, ns, 0.99 * ns, 1.01 * ns)
        });
        let added = Added::of(&alone.collect::<Vec<_>>());
        let base = curve(1.0, 0.02);
        assert!(!pay(&curve(0.0, 0.02), &base, &added));
        assert!(pay(&curve(1.0, 0.02), &base, &added));
        assert!(!pay(&curve(1.0, 1.0), &curve(1.0, 1.0), &added));
        assert!(!pay(&curve(1.0, 0.02), &base, &Added::of(&[])));
    }
}
