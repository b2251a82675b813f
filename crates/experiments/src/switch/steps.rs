//! Where a curve of costs steps up from one plateau to the next.

/// One step up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Last place on the lower plateau, first on the upper.
    pub before: f64,
    pub after: f64,
    /// Level of the two plateaus.
    pub low: f64,
    pub high: f64,
}

/// Plateaus must differ by this factor to be two: less is what an uneven curve
/// does by itself.
const RISE: f64 = 1.3;
/// Most steps looked for: three cache levels, and memory.
const MOST: usize = 4;

/// Steps of `curve` (place, cost), sorted by place, costs above zero.
///
/// The curve is cut into plateaus of equal cost on a logarithmic scale, where a
/// further cut must halve what is left unexplained and separate levels by
/// [`RISE`]. Two points are needed to see a plateau at all.
pub fn steps(curve: &[(f64, f64)]) -> Vec<Step> {
    let logs: Vec<f64> = curve.iter().map(|(_, cost)| cost.max(1e-9).ln()).collect();
    let mut cuts: Vec<usize> = Vec::new();
    let mut left = spread(&logs, &cuts);
    while cuts.len() < MOST {
        let Some((better, error)) = best_added(&logs, &cuts) else {
            break;
        };
        if error > left * 0.5 || !rises(&logs, &better) {
            break;
        }
        (cuts, left) = (better, error);
    }
    cuts.iter()
        .enumerate()
        .map(|(i, cut)| Step {
            before: curve[cut - 1].0,
            after: curve[*cut].0,
            low: level(&logs, &cuts, i).exp(),
            high: level(&logs, &cuts, i + 1).exp(),
        })
        .collect()
}

/// The cuts with the best one added, and what they leave unexplained.
fn best_added(logs: &[f64], cuts: &[usize]) -> Option<(Vec<usize>, f64)> {
    (1..logs.len())
        .filter(|at| !cuts.contains(at))
        .map(|at| {
            let mut more = cuts.to_vec();
            more.push(at);
            more.sort_unstable();
            let error = spread(logs, &more);
            (more, error)
        })
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Bounds of plateau `i`.
fn bounds(logs: &[f64], cuts: &[usize], i: usize) -> (usize, usize) {
    let from = if i == 0 { 0 } else { cuts[i - 1] };
    let to = cuts.get(i).copied().unwrap_or(logs.len());
    (from, to)
}

fn level(logs: &[f64], cuts: &[usize], i: usize) -> f64 {
    let (from, to) = bounds(logs, cuts, i);
    let plateau = &logs[from..to];
    plateau.iter().sum::<f64>() / plateau.len() as f64
}

/// Squared distance of the points from their plateaus.
fn spread(logs: &[f64], cuts: &[usize]) -> f64 {
    (0..=cuts.len())
        .map(|i| {
            let (from, to) = bounds(logs, cuts, i);
            let level = level(logs, cuts, i);
            logs[from..to].iter().map(|v| (v - level).powi(2)).sum::<f64>()
        })
        .sum()
}

fn rises(logs: &[f64], cuts: &[usize]) -> bool {
    let levels: Vec<f64> = (0..=cuts.len()).map(|i| level(logs, cuts, i)).collect();
    levels.windows(2).all(|pair| pair[1] - pair[0] > RISE.ln())
}

#[cfg(test)]
mod tests {
    use super::steps;

    fn places(costs: &[f64]) -> Vec<(f64, f64)> {
        (0..).map(|i| 2f64.powi(i)).zip(costs.iter().copied()).collect()
    }

    #[test]
    fn two_steps_are_found_where_they_are() {
        let found = steps(&places(&[5.0, 5.2, 4.9, 20.0, 21.0, 19.0, 90.0, 92.0]));
        let brackets: Vec<(f64, f64)> = found.iter().map(|s| (s.before, s.after)).collect();
        assert_eq!(brackets, [(4.0, 8.0), (32.0, 64.0)]);
        assert!((found[1].high - 91.0).abs() < 1.0, "{found:?}");
    }

    #[test]
    fn a_flat_curve_has_none() {
        assert_eq!(steps(&places(&[5.0, 5.4, 4.8, 5.1, 5.2, 4.9])), []);
    }

    #[test]
    fn a_drop_is_no_step_up() {
        assert_eq!(steps(&places(&[50.0, 51.0, 49.0, 5.0, 5.1, 4.9])), []);
    }

    #[test]
    fn too_few_points_have_none() {
        assert_eq!(steps(&[]), []);
        assert_eq!(steps(&[(1.0, 5.0)]), []);
    }
}
