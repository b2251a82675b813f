//! The rising curve that is nearest to measured points.
//!
//! Pooling adjacent violators (Ayer and others, 1955; Barlow and others, 1972): values that
//! fall where they should rise are replaced by their common mean, weighted by what is known of
//! each, until none falls.

use crate::curve::CurvePoint;

/// Points are no surer than this, natural logarithm: an interval of no width says that a
/// point repeats itself, not that its neighbours have no say.
const SUREST: f64 = 0.002;

/// Values at the points, none below the one before, nearest to them on the log scale.
/// `points` are sorted by x, their values positive.
pub(crate) fn rising(points: &[CurvePoint], values: &[f64]) -> Vec<f64> {
    // Mean logarithm, weight, and how many points have it.
    let mut pooled: Vec<(f64, f64, usize)> = Vec::new();
    for (point, value) in points.iter().zip(values) {
        let sigma = point.log_sigma().max(SUREST);
        let mut last = (value.ln(), 1.0 / (sigma * sigma), 1);
        while let Some(before) = pooled.pop_if(|before| before.0 > last.0) {
            let weight = before.1 + last.1;
            let mean = (before.0 * before.1 + last.0 * last.1) / weight;
            last = (mean, weight, before.2 + last.2);
        }
        pooled.push(last);
    }
    let values = pooled.iter().map(|(mean, _, many)| (mean.exp(), *many));
    values
        .flat_map(|(value, many)| std::iter::repeat_n(value, many))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::rising;
    use crate::curve::CurvePoint;

    fn fitted(values: &[f64], spreads: &[f64]) -> Vec<f64> {
        let points: Vec<CurvePoint> = values
            .iter()
            .zip(spreads)
            .zip(1..)
            .map(|((v, s), x)| CurvePoint::new(f64::from(x), *v, v / s, v * s))
            .collect();
        rising(&points, values)
    }

    fn is_near(fitted: &[f64], wanted: &[f64]) {
        assert_eq!(fitted.len(), wanted.len());
        let near = |(a, b): (&f64, &f64)| (a / b - 1.0).abs() < 1e-9;
        assert!(fitted.iter().zip(wanted).all(near), "{fitted:?}");
    }

    #[test]
    fn what_rises_stays() {
        is_near(
            &fitted(&[1.0, 1.0, 2.0, 5.0], &[1.1; 4]),
            &[1.0, 1.0, 2.0, 5.0],
        );
    }

    #[test]
    fn what_falls_is_shared_by_how_sure_each_is() {
        is_near(
            &fitted(&[1.0, 4.0, 1.0, 8.0], &[1.1; 4]),
            &[1.0, 2.0, 2.0, 8.0],
        );
        let unsure = fitted(&[1.0, 4.0, 1.0, 8.0], &[1.01, 3.0, 1.01, 1.01]);
        assert!(unsure[1] < 1.01 && unsure[1] == unsure[2], "{unsure:?}");
        // A fall may reach back over several.
        is_near(&fitted(&[2.0, 4.0, 1.0], &[1.1; 3]), &[2.0; 3]);
    }
}
