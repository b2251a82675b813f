//! Values on a grid: a clock that ticks, a counter divided by operations.

/// Values this near to each other, relative to their size, are one value with
/// rounding noise.
const SAME: f64 = 1e-9;
/// A sample with fewer different values than this share of its size is on a
/// grid; continuous samples hardly repeat a value.
const DISTINCT_SHARE: f64 = 0.8;

fn distinct(values: &[f64]) -> Vec<f64> {
    let mut found = values.to_vec();
    found.dedup_by(|b, a| (*b - *a).abs() <= SAME * a.abs().max(b.abs()));
    found
}

/// Step of the grid that sorted values lie on, 0 for none: the smallest
/// distance between different values, if values repeat.
pub(super) fn step_of(values: &[f64]) -> f64 {
    let different = distinct(values);
    if different.len() as f64 > DISTINCT_SHARE * values.len() as f64 {
        return 0.0;
    }
    let step = different
        .windows(2)
        .map(|w| w[1] - w[0])
        .fold(f64::INFINITY, f64::min);
    match different.as_slice() {
        // Two values are a grid only if both are whole numbers of its steps.
        [a, b] if !(whole(a / step) && whole(b / step)) => 0.0,
        [_] => 0.0,
        _ => step,
    }
}

fn whole(x: f64) -> bool {
    (x - x.round()).abs() < 0.05 && x.round() >= 1.0
}

/// Spreads equal values evenly over the cell of the grid that they stand for,
/// so that a tick of the clock is no cluster. Keeps the order.
pub(super) fn spread_ties(values: &[f64], step: f64) -> Vec<f64> {
    let mut spread = Vec::with_capacity(values.len());
    let mut rest = values;
    while let Some(first) = rest.first() {
        let near = |v: &f64| *v - *first <= SAME * first.abs().max(v.abs());
        let copies = rest.iter().take_while(|v| near(v)).count();
        for j in 0..copies {
            spread.push(first + step * ((j as f64 + 0.5) / copies as f64 - 0.5));
        }
        rest = &rest[copies..];
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps() {
        assert_eq!(step_of(&[20.0, 20.0, 30.0, 30.0, 50.0]), 10.0);
        assert_eq!(step_of(&[1.0, 1.1, 1.3, 1.7]), 0.0, "continuous");
        assert_eq!(step_of(&[5.0; 4]), 0.0, "one value");
        assert_eq!(
            step_of(&[25.0, 25.0, 120.0, 120.0]),
            0.0,
            "no clock ticks in 95"
        );
        assert_eq!(step_of(&[41.7, 41.7, 83.4, 83.4]), 41.7, "a 24 MHz clock");
    }

    #[test]
    fn ties_fill_their_cell() {
        assert_eq!(spread_ties(&[4.0, 4.0, 6.0], 2.0), [3.5, 4.5, 6.0]);
    }
}
