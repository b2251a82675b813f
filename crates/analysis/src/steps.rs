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
/// Scatter (natural log) about a plateau that is never worth a step.
const UNEVEN: f64 = 0.1;
/// Most steps looked for: three cache levels, and memory.
const MOST: usize = 4;

/// Steps of `curve` (place, cost), sorted by place, costs above zero.
///
/// The curve is cut into plateaus of equal cost on a logarithmic scale. All
/// cuts are tried, exactly, for each number of steps; the number is the one
/// with the best Bayesian information criterion among those whose plateaus rise
/// by `RISE` each.
pub fn steps(curve: &[(f64, f64)]) -> Vec<Step> {
    let sums = Sums::of(curve);
    let plateaus = best_cuts(&sums)
        .into_iter()
        .filter(|cuts| sums.rises(cuts))
        .min_by(|a, b| sums.criterion(a).total_cmp(&sums.criterion(b)))
        .unwrap_or_default();
    let levels = sums.levels(&plateaus);
    plateaus
        .iter()
        .zip(levels.windows(2))
        .map(|(cut, level)| Step {
            before: curve[cut - 1].0,
            after: curve[*cut].0,
            low: level[0].exp(),
            high: level[1].exp(),
        })
        .collect()
}

/// For 0, 1, 2 .. cuts: where they leave the least spread.
fn best_cuts(sums: &Sums) -> Vec<Vec<usize>> {
    let places = sums.places();
    let most = MOST.min(places.saturating_sub(1));
    // best[end]: spread and cuts of the first `end` points with k cuts.
    let mut best: Vec<Option<(f64, Vec<usize>)>> = (0..=places)
        .map(|end| Some((sums.spread(0, end), Vec::new())))
        .collect();
    let mut found = vec![Vec::new()];
    for _ in 0..most {
        best = (0..=places)
            .map(|end| with_one_more(sums, &best, end))
            .collect();
        found.extend(best[places].iter().map(|(_, cuts)| cuts.clone()));
    }
    found
}

fn with_one_more(
    sums: &Sums,
    best: &[Option<(f64, Vec<usize>)>],
    end: usize,
) -> Option<(f64, Vec<usize>)> {
    let (at, spread) = (1..end)
        .filter_map(|at| {
            let (before, cuts) = best[at].as_ref()?;
            let room = cuts.last().is_none_or(|last| *last < at);
            room.then(|| (at, before + sums.spread(at, end)))
        })
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
    let mut cuts = best[at].as_ref()?.1.clone();
    cuts.push(at);
    Some((spread, cuts))
}

/// Running sums of the logarithms of the costs, and of their squares.
struct Sums(Vec<(f64, f64)>);

impl Sums {
    fn of(curve: &[(f64, f64)]) -> Sums {
        let mut running = (0.0, 0.0);
        let logs = curve.iter().map(|(_, cost)| cost.max(1e-9).ln());
        let after = logs.map(|v| {
            running = (running.0 + v, running.1 + v * v);
            running
        });
        Sums(std::iter::once((0.0, 0.0)).chain(after).collect())
    }

    fn places(&self) -> usize {
        self.0.len() - 1
    }

    fn level(&self, from: usize, to: usize) -> f64 {
        (self.0[to].0 - self.0[from].0) / (to - from) as f64
    }

    /// Squared distance of the points `from..to` from their mean.
    fn spread(&self, from: usize, to: usize) -> f64 {
        if to <= from {
            return 0.0;
        }
        let sum = self.0[to].0 - self.0[from].0;
        let squares = self.0[to].1 - self.0[from].1;
        (squares - sum * sum / (to - from) as f64).max(0.0)
    }

    /// The plateaus between `cuts`: first point and one past the last.
    fn pieces(&self, cuts: &[usize]) -> Vec<(usize, usize)> {
        let from = std::iter::once(0).chain(cuts.iter().copied());
        let to = cuts.iter().copied().chain([self.places()]);
        from.zip(to).collect()
    }

    fn levels(&self, cuts: &[usize]) -> Vec<f64> {
        let pieces = self.pieces(cuts);
        pieces
            .iter()
            .map(|(from, to)| self.level(*from, *to))
            .collect()
    }

    fn rises(&self, cuts: &[usize]) -> bool {
        let levels = self.levels(cuts);
        levels.windows(2).all(|pair| pair[1] - pair[0] > RISE.ln())
    }

    /// Two numbers describe each further plateau: its place and its level.
    fn criterion(&self, cuts: &[usize]) -> f64 {
        let places = self.places() as f64;
        let pieces = self.pieces(cuts);
        let spread: f64 = pieces
            .iter()
            .map(|(from, to)| self.spread(*from, *to))
            .sum();
        places * (spread / places + UNEVEN * UNEVEN).ln() + 2.0 * cuts.len() as f64 * places.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::steps;

    fn places(costs: &[f64]) -> Vec<(f64, f64)> {
        (0..)
            .map(|i| 2f64.powi(i))
            .zip(costs.iter().copied())
            .collect()
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
    fn many_uneven_points_show_the_two_steps_and_no_more() {
        let costs: Vec<f64> = (0..120)
            .map(|i| {
                let level = [6.0, 17.0, 60.0][(i / 40) as usize];
                level * (1.0 + 0.15 * f64::from((i * 7919) % 17 - 8) / 8.0)
            })
            .collect();
        let curve: Vec<(f64, f64)> = (1..).map(f64::from).zip(costs).collect();
        let found: Vec<f64> = steps(&curve).iter().map(|s| s.before).collect();
        assert_eq!(found, [40.0, 80.0]);
    }

    #[test]
    fn three_levels_close_together_are_found_at_once() {
        // No single cut explains half of this.
        let found = steps(&places(&[
            10.0, 10.5, 18.0, 17.0, 19.0, 17.5, 43.0, 45.0, 41.0,
        ]));
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn too_few_points_have_none() {
        assert_eq!(steps(&[]), []);
        assert_eq!(steps(&[(1.0, 5.0)]), []);
    }
}
