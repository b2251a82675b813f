//! Curves of a table, and the treads and risers on them.

use crate::view::{ExperimentTable, Summary};
use stats::{CurvePoint, Interval, Rng, TreadOptions, Treads, treads};

/// Curves redrawn inside their intervals to see how firm an answer stands.
const REDRAWS: u32 = 200;

/// Half the width of a 95 % interval of a normal, in standard deviations.
const SIGMAS_OF_95: f64 = 1.96;

/// The treads of a curve whose neighbours differ by at least `ratio`; `None`
/// where it has too few points or values that are no latencies.
pub fn staircase(points: &[CurvePoint], ratio: f64) -> Option<Treads> {
    let options = TreadOptions {
        smallest_ratio: ratio,
        redraws: REDRAWS,
    };
    let found = treads(points, options).ok()?;
    (!found.all.is_empty()).then_some(found)
}

/// The same treads with the levels of another reading of the same points.
pub fn releveled(mut stairs: Treads, points: &[CurvePoint]) -> Treads {
    for tread in &mut stairs.all {
        let on = points
            .iter()
            .filter(|p| (tread.from_x..=tread.to_x).contains(&p.x));
        let on: Vec<&CurvePoint> = on.collect();
        let middle = |of: fn(&CurvePoint) -> f64| {
            let values: Vec<f64> = on.iter().map(|p| of(p)).collect();
            stats::median(&values).ok()
        };
        let levels = (
            middle(|p| p.y.center),
            middle(|p| p.y.low),
            middle(|p| p.y.high),
        );
        if let (Some(center), Some(low), Some(high)) = levels {
            tread.level = Interval::resampled(center, low, high);
        }
    }
    stairs
}

/// Which figure of a point's samples a curve is drawn through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// What a program gets.
    Median,
    /// The fastest quarter, for what the hardware can do: whoever shares it
    /// only ever makes it slower.
    Quarter,
    /// The median between the nearer bounds of its interval and of the middle half of all
    /// samples: on which of two levels a point is. Few processes, each on a height of its
    /// own, leave an interval that is wider than all they measured.
    Middle,
    /// The least sample, where those who share the hardware are away less often than a quarter of
    /// the time. Nothing says how far it may be off: an interval of no width.
    Least,
    /// Where the slowest quarter begins, for what two CPUs cost each other: while one of them
    /// is away, many operations of the other cost next to nothing.
    SlowQuarter,
}

impl Reading {
    /// This figure of a summary at `x`.
    pub fn of(self, x: f64, s: &Summary) -> CurvePoint {
        match self {
            Reading::Median => CurvePoint { x, y: s.median },
            Reading::Quarter => quarter(x, s),
            Reading::Middle => middle(x, s),
            Reading::Least => CurvePoint::new(x, s.min, s.min, s.min),
            Reading::SlowQuarter => slow_quarter(x, s),
        }
    }
}

/// As far as it may be off by chance, upwards as far as downwards: the slowest samples are of
/// a CPU that was away itself.
fn slow_quarter(x: f64, s: &Summary) -> CurvePoint {
    let reach = SIGMAS_OF_95 * quarter_error(s);
    let off = (reach * (s.p75 - s.median.center).max(0.0)).min(s.p75 - s.min);
    CurvePoint::new(x, s.p75, s.p75 - off, s.p75 + off)
}

/// Standard deviation of the rank of a quartile, in quarters of all samples.
fn quarter_error(s: &Summary) -> f64 {
    (0.25f64 * 0.75 / s.effective.max(1.0)).sqrt() / 0.25
}

fn middle(x: f64, s: &Summary) -> CurvePoint {
    let (median, center) = (s.median, s.median.center);
    let low = median.low.max(s.p25).min(center);
    CurvePoint::new(x, center, low, median.high.min(s.p75).max(center))
}

/// Lower quartile with its interval from the neighbouring quantiles: its
/// standard error is sqrt(p (1 - p) / n) over the density, and the density is
/// a quarter of the samples over the distance to the minimum and the median. Samples that
/// lean on each other count as those that they are worth.
fn quarter(x: f64, s: &Summary) -> CurvePoint {
    let reach = SIGMAS_OF_95 * quarter_error(s);
    // The median of several processes may lie below the quartile of all samples.
    let above = (s.median.center - s.p25).max(s.p25 - s.min).max(0.0);
    CurvePoint::new(
        x,
        s.p25,
        (s.p25 - reach * (s.p25 - s.min)).clamp(s.min, s.p25),
        s.p25 + reach * above,
    )
}

/// The primary metric over `axis` at the points with the settings `only`, in
/// ascending order; values that are not above zero are no latencies and are
/// left out of the reading (not of the record).
pub fn curve(
    table: &ExperimentTable,
    axis: &str,
    only: &[(&str, &str)],
    reading: Reading,
) -> Vec<CurvePoint> {
    curve_of(table, 0, axis, only, reading)
}

/// As [`curve`], of another metric.
pub fn curve_of(
    table: &ExperimentTable,
    metric: u16,
    axis: &str,
    only: &[(&str, &str)],
    reading: Reading,
) -> Vec<CurvePoint> {
    let mut points: Vec<CurvePoint> = table
        .select(only)
        .filter_map(|p| Some(reading.of(p.int(axis)? as f64, p.summary(metric)?)))
        .filter(|p| p.y.low > 0.0 && p.y.center.is_finite() && p.y.high.is_finite())
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points.dedup_by(|a, b| a.x == b.x);
    points
}

/// The curve's median at `x`, between its points by a straight line on log x.
/// `None` outside the curve.
pub fn interpolate(points: &[CurvePoint], x: f64) -> Option<f64> {
    let above = points.iter().position(|p| p.x >= x)?;
    let right = points[above];
    if right.x == x {
        return Some(right.y.center);
    }
    let left = *points.get(above.checked_sub(1)?)?;
    let part = (x / left.x).ln() / (right.x / left.x).ln();
    Some(left.y.center + part * (right.y.center - left.y.center))
}

/// The answer that `ask` gives to the curve, and the share of redrawn curves
/// to which it gives the same.
pub fn agreement<T: PartialEq>(
    points: &[CurvePoint],
    ask: impl Fn(&[CurvePoint]) -> T,
) -> (T, f64) {
    let answer = ask(points);
    let mut random = Rng::new(0x4147_5245);
    let same = (0..REDRAWS)
        .filter(|_| ask(&redrawn(points, &mut random)) == answer)
        .count();
    (answer, same as f64 / f64::from(REDRAWS))
}

/// Every point moved inside its own interval, on the log scale.
fn redrawn(points: &[CurvePoint], random: &mut Rng) -> Vec<CurvePoint> {
    points
        .iter()
        .map(|p| {
            let sigma = (p.y.high / p.y.low).ln() / (2.0 * SIGMAS_OF_95);
            let factor = (sigma * random.normal()).exp();
            p.map(|v| v * factor)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{agreement, interpolate};
    use stats::CurvePoint;

    fn point(x: f64, median: f64, spread: f64) -> CurvePoint {
        CurvePoint::new(x, median, median / spread, median * spread)
    }

    #[test]
    fn interpolation_is_straight_on_log_x_and_stays_inside() {
        let curve = [point(1.0, 1.0, 1.01), point(4.0, 3.0, 1.01)];
        assert_eq!(interpolate(&curve, 2.0), Some(2.0));
        assert_eq!(interpolate(&curve, 1.0), Some(1.0));
        assert_eq!(interpolate(&curve, 0.5), None);
        assert_eq!(interpolate(&curve, 8.0), None);
    }

    #[test]
    fn agreement_falls_with_the_width_of_the_intervals() {
        let larger = |c: &[CurvePoint]| c[1].y.center > c[0].y.center;
        let (answer, sure) = agreement(&[point(1.0, 1.0, 1.01), point(2.0, 1.2, 1.01)], larger);
        assert!(answer && sure > 0.99, "{sure}");
        let (answer, unsure) = agreement(&[point(1.0, 1.0, 3.0), point(2.0, 1.01, 3.0)], larger);
        assert!(answer && unsure < 0.7, "{unsure}");
    }
}
