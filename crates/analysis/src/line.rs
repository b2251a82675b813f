//! Sums of medians and straight lines through them, with the intervals that theirs
//! make (G. Y. Zou and A. Donner, "Construction of confidence limits about effect
//! measures", Statistics in Medicine 27, 2008: MOVER).

use stats::{Interval, Method};

/// Fewer points say nothing about how far they lie off a line.
const ENOUGH_FOR_A_LINE: usize = 8;
/// 97.5 % quantile of Student's t with the six degrees of freedom of eight points and
/// a line; more points have a smaller one.
const T_OF_A_LINE: f64 = 2.45;

/// A sum of medians, each with its weight: the distances to the ends of their intervals
/// add as the sides of a right angle do. None where an end is not finite.
pub fn sum(terms: &[(f64, Interval)]) -> Option<Interval> {
    // What a negative term has too much, the sum has too little.
    let side = |above: bool| -> f64 {
        let distance = |w: f64, v: &Interval| match (w > 0.0) == above {
            true => v.high - v.center,
            false => v.center - v.low,
        };
        let squares = terms.iter().map(|(w, v)| (w * distance(*w, v)).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let center: f64 = terms.iter().map(|(w, v)| w * v.center).sum();
    let (low, high) = (center - side(false), center + side(true));
    let level = terms.iter().map(|(_, v)| v.level).fold(1.0, f64::min);
    (low.is_finite() && high.is_finite()).then_some(Interval {
        center,
        low,
        high,
        level,
        method: Method::Mover,
        degrees: None,
    })
}

/// Slope of the least squares line through (x, median). Where there are enough points,
/// its interval is at least as wide as they lie off the line. None for one x.
pub fn slope(points: &[(f64, Interval)]) -> Option<Interval> {
    let count = points.len() as f64;
    let mean = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let spread: f64 = points.iter().map(|(x, _)| (x - mean).powi(2)).sum();
    if points.is_empty() || spread <= 0.0 {
        return None;
    }
    let weighted = points.iter().map(|(x, v)| ((x - mean) / spread, *v));
    let mut line = sum(&weighted.collect::<Vec<_>>())?;
    let level = points.iter().map(|(_, v)| v.center).sum::<f64>() / count;
    let off = |(x, v): &(f64, Interval)| v.center - level - line.center * (x - mean);
    let misfit: f64 = points.iter().map(|p| off(p).powi(2)).sum();
    if points.len() >= ENOUGH_FOR_A_LINE {
        let error = (misfit / (count - 2.0) / spread).sqrt();
        line.low = line.low.min(line.center - T_OF_A_LINE * error);
        line.high = line.high.max(line.center + T_OF_A_LINE * error);
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::{slope, sum};
    use stats::{Interval, Method};

    fn about(center: f64, half: f64) -> Interval {
        Interval {
            center,
            low: center - half,
            high: center + half,
            level: 0.95,
            method: Method::OrderStatistic,
            degrees: None,
        }
    }

    #[test]
    fn distances_add_as_the_sides_of_a_right_angle() {
        let difference = sum(&[(1.0, about(10.0, 3.0)), (-1.0, about(4.0, 4.0))]).unwrap();
        assert_eq!(
            (difference.center, difference.low, difference.high),
            (6.0, 1.0, 11.0)
        );
    }

    #[test]
    fn the_slope_of_a_line_is_found_and_points_off_it_widen_it() {
        let on: Vec<_> = (0..8)
            .map(|x| (f64::from(x), about(2.0 * f64::from(x), 0.1)))
            .collect();
        let line = slope(&on).unwrap();
        assert!((line.center - 2.0).abs() < 1e-9, "{line:?}");
        let off: Vec<_> = on
            .iter()
            .map(|(x, v)| {
                (
                    *x,
                    about(v.center + if *x % 2.0 == 0.0 { 3.0 } else { -3.0 }, 0.1),
                )
            })
            .collect();
        let wide = slope(&off).unwrap();
        assert!(
            wide.high - wide.low > 5.0 * (line.high - line.low),
            "{wide:?}"
        );
        assert!(slope(&on[..1]).is_none() && slope(&[]).is_none());
    }
}
