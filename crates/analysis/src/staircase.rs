//! Curves of a table, and the treads and risers on them.

use crate::view::{ExperimentTable, Summary};
use stats::{Capacity, CurvePoint, Interval, PlateauOptions, Rng, plateaus};

/// Curves redrawn inside their intervals to see how firm an answer stands.
const REDRAWS: u32 = 200;

/// Half the width of a 95 % interval of a normal, in standard deviations.
const SIGMAS_OF_95: f64 = 1.96;

/// A flat part of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tread {
    /// First x on it.
    pub start: f64,
    pub level: Interval,
    pub riser: Option<Riser>,
    /// Share of the redrawn curves with as many treads.
    pub share: f64,
}

/// Where a tread ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Riser {
    /// Last measured x on the tread, with the interval of the edge over the redrawn
    /// curves.
    pub last_on: Interval,
    /// First measured x beyond it.
    pub first_off: f64,
    /// Where the curve is half-way up to the next tread: for a cache, where
    /// half of the loads miss it.
    pub half: f64,
    /// First measured x that has arrived on the next tread.
    pub arrived: f64,
    /// Share of the redrawn curves with this riser within one measured x.
    pub share: f64,
}

impl Riser {
    /// Where the curve is half-way up, with the interval of the edge.
    pub fn halfway(&self) -> Interval {
        Interval {
            center: self.half,
            ..self.last_on
        }
    }
}

/// All treads, lowest x first.
#[derive(Debug, Clone, PartialEq)]
pub struct Staircase {
    pub treads: Vec<Tread>,
    /// Share of the redrawn curves with as many treads.
    pub share: f64,
}

/// The treads of a curve whose neighbours differ by at least `ratio`; `None`
/// where it has too few points or values that are no latencies.
pub fn staircase(points: &[CurvePoint], ratio: f64) -> Option<Staircase> {
    let options = PlateauOptions {
        smallest_ratio: ratio,
        redraws: REDRAWS,
    };
    let found = plateaus(points, options).ok()?;
    let share = found.confidence;
    let treads: Vec<Tread> = (0..found.levels.len())
        .map(|i| {
            let level = &found.levels[i];
            let next = found
                .levels
                .get(i + 1)
                .map_or(level.value.center, |n| n.value.center);
            Tread {
                start: level.from_x,
                level: level.value,
                riser: level
                    .capacity
                    .map(|c| riser(points, &c, (level.value.center + next) / 2.0)),
                share,
            }
        })
        .collect();
    (!treads.is_empty()).then_some(Staircase { treads, share })
}

fn riser(points: &[CurvePoint], edge: &Capacity, halfway: f64) -> Riser {
    let half = points
        .windows(2)
        .filter(|w| w[0].x >= edge.at.center && w[1].x <= edge.transition_end_x)
        .find(|w| w[1].y.center >= halfway)
        .map_or((edge.at.center * edge.next_x).sqrt(), |w| {
            crossing(w, halfway)
        });
    Riser {
        last_on: Interval {
            high: edge.at.high.max(edge.transition_end_x),
            ..edge.at
        },
        first_off: edge.next_x,
        half,
        arrived: edge.transition_end_x,
        share: edge.confidence,
    }
}

/// Where the line between two points, straight on log x, passes `height`.
fn crossing(pair: &[CurvePoint], height: f64) -> f64 {
    let (left, right) = (pair[0], pair[1]);
    let climb = right.y.center - left.y.center;
    let part = match climb > 0.0 {
        true => ((height - left.y.center) / climb).clamp(0.0, 1.0),
        false => 1.0,
    };
    left.x * (right.x / left.x).powf(part)
}

impl Staircase {
    /// The same treads with the levels of another reading of the same points.
    #[must_use]
    pub fn releveled(mut self, points: &[CurvePoint]) -> Self {
        for tread in &mut self.treads {
            let end = tread.riser.map_or(f64::INFINITY, |r| r.last_on.center);
            let on: Vec<&CurvePoint> = points
                .iter()
                .filter(|p| (tread.start..=end).contains(&p.x))
                .collect();
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
                tread.level = Interval {
                    center,
                    low,
                    high,
                    ..tread.level
                };
            }
        }
        self
    }
}

/// Which figure of a point's samples a curve is drawn through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// What a program gets.
    Median,
    /// The fastest quarter, for what the hardware can do: whoever shares it
    /// only ever makes it slower.
    Quarter,
}

impl Reading {
    /// This figure of a summary at `x`.
    pub fn of(self, x: f64, s: &Summary) -> CurvePoint {
        match self {
            Reading::Median => CurvePoint { x, y: s.median },
            Reading::Quarter => quarter(x, s),
        }
    }
}

/// Lower quartile with its interval from the neighbouring quantiles: its
/// standard error is sqrt(p (1 - p) / n) over the density, and the density is
/// a quarter of the samples over the distance to the minimum and the median.
fn quarter(x: f64, s: &Summary) -> CurvePoint {
    let error = (0.25f64 * 0.75 / f64::from(s.samples.max(1))).sqrt() / 0.25;
    let reach = SIGMAS_OF_95 * error;
    CurvePoint::new(
        x,
        s.p25,
        (s.p25 - reach * (s.p25 - s.min)).max(s.min),
        s.p25 + reach * (s.median.center - s.p25),
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
    let mut points: Vec<CurvePoint> = table
        .select(only)
        .filter_map(|p| Some(reading.of(p.int(axis)? as f64, p.primary()?)))
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
