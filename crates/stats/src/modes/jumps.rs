//! Does a sample jump between two modes, or wander through what lies between?
//!
//! The evidence of a valley counts independent samples. A slow wave lingers at its turning
//! points and hurries through the middle: its distribution has two peaks, and no operation
//! ever had two speeds. Where the order is known, a valley of modes is one that samples
//! jump across.

use crate::quantile::median;

/// Crossings of a valley, over those of independent samples, from which the order has
/// nothing to say.
const OFTEN: f64 = 0.5;
/// Half-way jumps land in the valley: this share of the distance is one across it.
const ACROSS: f64 = 0.5;

/// Of sorted `cuts` those that `values`, in the order in which they were taken, jump
/// across.
pub(super) fn jumped(values: &[f64], cuts: &[f64]) -> Vec<f64> {
    let ends = |at: usize| {
        let before = at.checked_sub(1).map_or(f64::NEG_INFINITY, |at| cuts[at]);
        (before, cuts.get(at + 1).copied().unwrap_or(f64::INFINITY))
    };
    let kept = (0..cuts.len()).filter(|at| jumps_across(values, cuts[*at], ends(*at)));
    kept.map(|at| cuts[at]).collect()
}

/// Whether they jump across `cut`, between the modes on its two sides, which end at
/// `ends`.
fn jumps_across(values: &[f64], cut: f64, ends: (f64, f64)) -> bool {
    let within = |from: f64, to: f64| -> Vec<f64> {
        let inside = values.iter().filter(|v| from <= **v && **v < to);
        inside.copied().collect()
    };
    let (Ok(low), Ok(high)) = (median(&within(ends.0, cut)), median(&within(cut, ends.1))) else {
        return false;
    };
    let crossing = |pair: &&[f64]| (pair[0] < cut) != (pair[1] < cut);
    let jumps: Vec<f64> = values
        .windows(2)
        .filter(crossing)
        .map(|pair| (pair[1] - pair[0]).abs())
        .collect();
    let below = values.iter().filter(|v| **v < cut).count();
    let share = below as f64 / values.len() as f64;
    let expected = 2.0 * share * (1.0 - share) * (values.len() - 1) as f64;
    jumps.len() as f64 >= OFTEN * expected
        || median(&jumps).is_ok_and(|jump| jump >= ACROSS * (high - low))
}

#[cfg(test)]
mod tests {
    use super::jumped;

    #[test]
    fn a_wave_wanders_and_a_switch_jumps() {
        let wave: Vec<f64> = (0..300).map(|i| (f64::from(i) / 20.0).sin()).collect();
        assert!(jumped(&wave, &[0.0]).is_empty());
        let switch: Vec<f64> = wave.iter().map(|v| v.signum()).collect();
        assert_eq!(jumped(&switch, &[0.0]), [0.0]);
        let mixed: Vec<f64> = (0..300).map(|i| f64::from((i * 37) % 101)).collect();
        assert_eq!(jumped(&mixed, &[50.0]), [50.0]);
        assert!(jumped(&wave, &[2.0]).is_empty(), "nothing is above");
        // One level after the other: each jump is one between neighbours.
        let levels: Vec<f64> = (0..80).map(|i| f64::from(i / 20)).collect();
        assert_eq!(jumped(&levels, &[0.5, 1.5, 2.5]), [0.5, 1.5, 2.5]);
    }
}
