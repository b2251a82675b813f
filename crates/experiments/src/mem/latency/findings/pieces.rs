//! Huge pages that a host has in pieces: a translation buffer then holds one entry for each piece,
//! and its reach passes for the end of a cache over huge pages too.

use super::added::Added;
use analysis::staircase::interpolate;
use stats::{CurvePoint, Interval};

/// Whole pages are spared all that translation adds over base pages, pieces nothing.
const SPARED: f64 = 0.5;
/// So many standard errors below that it has to be.
const SURE: f64 = 2.0;
/// No difference of two points is better known than to this share of them.
const SUREST: f64 = 0.01;

/// Whether loads over huge pages pay what translation adds to loads over base pages, by the
/// curves of both. Where the two do not tell, they do not.
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
