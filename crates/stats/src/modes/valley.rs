//! The search for valleys.

use super::{MOST_MODES, SMALLEST_GROUP, SMALLEST_SHARE};
use crate::whole::whole_index;

/// A valley must be at most this dense against both its peaks; shallower ones
/// are texture even where they are significant.
const DEEPEST_RATIO: f64 = 0.5;
/// Valleys narrower than this many grid steps are the grid's own gaps.
const GRID_STEPS: f64 = 2.5;

/// Critical value of the evidence for a sample of n. Of 4000 simulated uniform
/// samples each for n = 20, 30, 50, 100, 200, 400, 1000 the strongest 0.3 %
/// begin at 7.8, 8.7, 9.8, 11.6, 12.7, 14.6, 14.8; other shapes stay below.
fn critical(n: usize) -> f64 {
    1.0 + 2.3 * (n as f64).ln()
}

/// The best valley of a part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Valley {
    /// Evidence in nats, the weaker side's.
    pub evidence: f64,
    /// Last value before and first value after.
    pub from: usize,
    pub to: usize,
}

/// Places to cut sorted values at, at most `MOST_MODES - 1`, strongest first.
pub(super) fn cuts(values: &[f64], step: f64) -> Vec<f64> {
    let smallest = smallest_group(values.len());
    let mut parts = vec![(0, values.len())];
    let mut found: Vec<(f64, f64)> = Vec::new();
    while let Some((start, end)) = parts.pop() {
        let part = &values[start..end];
        let Some(valley) = best(part, smallest, step) else {
            continue;
        };
        if valley.evidence < critical(part.len()) {
            continue;
        }
        let gap = widest_gap(part, valley);
        found.push((valley.evidence, (part[gap] + part[gap + 1]) / 2.0));
        parts.push((start, start + gap + 1));
        parts.push((start + gap + 1, end));
    }
    found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MOST_MODES - 1);
    found.into_iter().map(|(_, cut)| cut).collect()
}

pub(super) fn smallest_group(n: usize) -> usize {
    whole_index((SMALLEST_SHARE * n as f64).ceil()).max(SMALLEST_GROUP)
}

fn widest_gap(values: &[f64], valley: Valley) -> usize {
    let gap = |i: &usize| values[i + 1] - values[*i];
    (valley.from..valley.to)
        .max_by(|a, b| gap(a).total_cmp(&gap(b)))
        .unwrap_or(valley.from)
}

/// Tightest windows of one size: by position, the width of the tightest that
/// ends at or before it, and of the tightest that starts at or after it.
struct Windows {
    spacings: f64,
    ending: Vec<f64>,
    starting: Vec<f64>,
}

impl Windows {
    fn new(values: &[f64], size: usize) -> Self {
        let n = values.len();
        let mut ending = vec![f64::INFINITY; n];
        let mut starting = vec![f64::INFINITY; n];
        for last in size - 1..n {
            let width = values[last] - values[last + 1 - size];
            ending[last] = ending[last - 1].min(width);
        }
        for first in (0..=n - size).rev() {
            let next = starting.get(first + 1).copied().unwrap_or(f64::INFINITY);
            starting[first] = next.min(values[first + size - 1] - values[first]);
        }
        Windows {
            spacings: (size - 1) as f64,
            ending,
            starting,
        }
    }
}

/// Counts growing by half from `from` on, up to `to`.
fn growing(from: usize, to: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(from), |k| Some(k + (k / 2).max(1))).take_while(move |k| *k <= to)
}

/// The valley with the strongest evidence, its groups no smaller than
/// `smallest`.
pub(super) fn best(values: &[f64], smallest: usize, step: f64) -> Option<Valley> {
    let n = values.len();
    if n < 2 * smallest {
        return None;
    }
    let windows: Vec<Windows> = growing(smallest, n / 2)
        .map(|size| Windows::new(values, size))
        .collect();
    let left_peaks = densest(&windows, n, |w| &w.ending);
    let right_peaks = densest(&windows, n, |w| &w.starting);
    let mut top: Option<Valley> = None;
    for inside in std::iter::once(0).chain(growing(1, n / 3)) {
        for from in smallest - 1..n {
            let to = from + inside + 1;
            if to + smallest > n {
                break;
            }
            let width = values[to] - values[from];
            // Most places fail here: no peak on one side is dense enough.
            let needed = (inside + 1) as f64 / (DEEPEST_RATIO * width);
            if width <= GRID_STEPS * step || left_peaks[from].min(right_peaks[to]) < needed {
                continue;
            }
            let floor = top.map_or(0.0, |t| t.evidence);
            let left = strongest(&windows, inside, width, |w| w.ending[from]);
            if left <= floor {
                continue;
            }
            let right = strongest(&windows, inside, width, |w| w.starting[to]);
            let evidence = left.min(right);
            if evidence > floor {
                top = Some(Valley { evidence, from, to });
            }
        }
    }
    top
}

/// Largest density of any window on one side of each position.
fn densest(windows: &[Windows], n: usize, side: impl Fn(&Windows) -> &Vec<f64>) -> Vec<f64> {
    let density = |w: &Windows, at: usize| w.spacings / side(w)[at];
    (0..n)
        .map(|at| windows.iter().map(|w| density(w, at)).fold(0.0, f64::max))
        .collect()
}

/// Evidence against one side, over all window sizes.
fn strongest(
    windows: &[Windows],
    inside: usize,
    width: f64,
    peak: impl Fn(&Windows) -> f64,
) -> f64 {
    let mut top = 0.0f64;
    for window in windows {
        let peak_width = peak(window);
        if peak_width.is_finite() {
            top = top.max(evidence(inside as f64, width, window.spacings, peak_width));
        }
    }
    top
}

/// Log-likelihood ratio, in nats, of `inside` values in a valley of `width`
/// next to `spacings` in a peak of `peak_width`, against equal densities; 0
/// where the valley is not clearly sparser.
fn evidence(inside: f64, width: f64, spacings: f64, peak_width: f64) -> f64 {
    if (inside + 1.0) * peak_width > DEEPEST_RATIO * spacings * width {
        return 0.0;
    }
    let total = inside + spacings;
    let expected = width / (width + peak_width);
    // A peak of zero width (equal values off any grid) is as dense as it gets.
    let expected_peak = (peak_width / (width + peak_width)).max(1e-12);
    let valley_term = if inside > 0.0 {
        inside * (inside / (total * expected)).ln()
    } else {
        0.0
    };
    valley_term + spacings * (spacings / (total * expected_peak)).ln()
}
