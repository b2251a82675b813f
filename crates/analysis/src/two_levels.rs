//! Where a curve passes from one level to another, where it has just two.

use stats::CurvePoint;

/// Which of the two levels comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Rises,
    Falls,
}

/// What a curve of two levels must be like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoLevels {
    pub way: Way,
    /// Points up to here are on the first level, ...
    pub first_to: f64,
    /// ... points from here on are on the second.
    pub second_from: f64,
    /// The higher level is so many times the lower one at least.
    pub contrast: f64,
    /// Of what the levels are, for a sentence.
    pub unit: &'static str,
}

/// Half the width of a 95 % interval of a normal, in standard deviations.
const SIGMAS_OF_95: f64 = 1.96;
/// The levels are so many standard deviations of a point apart at least.
const TIMES_NOISE: f64 = 5.0;

impl TwoLevels {
    /// The first x of the second level.
    ///
    /// # Errors
    /// Why there is none: a clause.
    pub fn border(&self, points: &[CurvePoint]) -> Result<f64, String> {
        let level = |on: &dyn Fn(f64) -> bool| {
            let there: Vec<f64> = points
                .iter()
                .filter(|p| on(p.x))
                .map(|p| p.y.center)
                .collect();
            stats::median(&there).ok()
        };
        let first = level(&|x| x <= self.first_to);
        let second = level(&|x| x >= self.second_from);
        let (Some(first), Some(second)) = (first, second) else {
            return Err("its points were not measured".to_owned());
        };
        let (low, high) = match self.way {
            Way::Rises => (first, second),
            Way::Falls => (second, first),
        };
        if high < self.contrast * low {
            return Err(format!(
                "its two levels are too close, {low:.1} and {high:.1} {}",
                self.unit
            ));
        }
        if (high / low).ln() < TIMES_NOISE * noise(points) {
            return Err(format!(
                "its noise is too large for two levels of {low:.1} and {high:.1} {}",
                self.unit
            ));
        }
        self.between(points, (low * high).sqrt())
    }

    /// The first x of the second level of points whose error is not known: none lies as far from
    /// another of its own level as the two levels lie from each other.
    ///
    /// # Errors
    /// Why there is none: a clause.
    pub fn apart(&self, points: &[CurvePoint]) -> Result<f64, String> {
        let border = self.border(points)?;
        let ends = |on: &dyn Fn(f64) -> bool| {
            let there = points.iter().filter(|p| on(p.x)).map(|p| p.y.center);
            there.fold((f64::INFINITY, 0.0), |(low, high), y| {
                (y.min(low), y.max(high))
            })
        };
        let (first, second) = (ends(&|x| x < border), ends(&|x| x >= border));
        let (lower, upper) = match self.way {
            Way::Rises => (first, second),
            Way::Falls => (second, first),
        };
        let gap = upper.0 / lower.1;
        let widest = (lower.1 / lower.0).max(upper.1 / upper.0);
        match gap > widest {
            true => Ok(border),
            false => Err(format!(
                "points of one level differ by {widest:.2} times, and the two levels by {gap:.2}"
            )),
        }
    }

    fn between(&self, points: &[CurvePoint], border: f64) -> Result<f64, String> {
        let second = |p: &CurvePoint| match self.way {
            Way::Rises => p.y.center > border,
            Way::Falls => p.y.center < border,
        };
        let unclear = points
            .iter()
            .find(|p| p.y.low < border && p.y.high > border);
        if let Some(p) = unclear {
            return Err(format!(
                "the point at {:.0} lies between its two levels",
                p.x
            ));
        }
        let first = points.iter().find(|p| second(p));
        let Some(first) = first else {
            return Err("it has one level".to_owned());
        };
        let once = points.iter().filter(|p| p.x > first.x).all(second);
        match once {
            true if first.x > self.first_to => Ok(first.x),
            true => Err(format!(
                "the point at {:.0} belongs to the first of its two levels and lies on the second",
                first.x
            )),
            false => Err("it passes between its levels more than once".to_owned()),
        }
    }
}

/// Standard deviation of a point on the logarithmic scale: the middle one of all.
fn noise(points: &[CurvePoint]) -> f64 {
    let of = |p: &CurvePoint| (p.y.high / p.y.low).ln() / (2.0 * SIGMAS_OF_95);
    let all: Vec<f64> = points.iter().map(of).collect();
    stats::median(&all).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::{TwoLevels, Way};
    use stats::CurvePoint;

    const FALLS: TwoLevels = TwoLevels {
        way: Way::Falls,
        first_to: 16.0,
        second_from: 256.0,
        contrast: 3.0,
        unit: "ns",
    };

    fn curve(values: &[f64], spread: f64) -> Vec<CurvePoint> {
        let x = (0..).map(|i| 8.0 * 2f64.powi(i));
        x.zip(values)
            .map(|(x, v)| CurvePoint::new(x, *v, v / spread, v * spread))
            .collect()
    }

    #[test]
    fn the_border_is_where_the_second_level_begins() {
        let points = curve(&[100.0, 101.0, 99.0, 7.0, 5.0, 5.1, 5.0], 1.02);
        assert_eq!(FALLS.border(&points), Ok(64.0));
        let rises = TwoLevels {
            way: Way::Rises,
            contrast: 1.15,
            ..FALLS
        };
        let points = curve(&[4.6, 4.6, 4.7, 4.6, 6.5, 6.6, 6.5], 1.01);
        assert_eq!(rises.border(&points), Ok(128.0));
    }

    #[test]
    fn points_of_unknown_error_are_nearer_to_their_level_than_the_levels_to_each_other() {
        let rises = TwoLevels {
            way: Way::Rises,
            contrast: 1.15,
            ..FALLS
        };
        let least = |values: &[f64]| rises.apart(&curve(values, 1.0));
        assert_eq!(least(&[36.0, 36.3, 52.7, 52.5, 52.6, 64.0, 60.0]), Ok(32.0));
        let away = FALLS.apart(&curve(&[100.0, 90.0, 99.0, 7.0, 5.0, 5.1, 5.0], 1.0));
        assert_eq!(away, Ok(64.0));
        // A neighbour that never left the third point, or the second.
        let stayed = least(&[36.0, 36.3, 60.0, 52.5, 52.6, 79.0, 60.0]);
        assert!(stayed.is_err_and(|why| why.contains("differ by 1.50 times")));
        let stayed = least(&[36.0, 46.0, 36.1, 52.5, 52.6, 52.7, 52.4]);
        assert!(stayed.is_err(), "{stayed:?}");
    }

    #[test]
    fn what_is_not_clear_is_not_answered() {
        let says = |values: &[f64], spread| FALLS.border(&curve(values, spread)).unwrap_err();
        let flat = [5.0; 7];
        assert!(says(&flat, 1.01).contains("too close"));
        let good = [100.0, 101.0, 99.0, 5.0, 5.0, 5.1, 5.0];
        assert!(says(&good, 4.0).contains("noise"));
        let between = [100.0, 101.0, 99.0, 22.0, 5.0, 5.1, 5.0];
        assert!(says(&between, 1.1).contains("at 64 lies between"));
        let twice = [100.0, 101.0, 5.0, 99.0, 5.0, 5.1, 5.0];
        assert!(says(&twice, 1.1).contains("more than once"));
        let early = [100.0, 7.0, 5.0, 5.0, 5.0, 5.1, 5.0];
        assert!(says(&early, 1.1).contains("at 16 belongs to the first"));
        assert!(says(&good[..3], 1.1).contains("not measured"));
    }
}
