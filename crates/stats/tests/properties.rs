//! What must hold for any numbers.

use proptest::prelude::*;
use stats::{
    CurvePoint, Deviation, KneeOptions, PlateauOptions, TimedMultiple, between, common_period,
    crossover, flips, holm, log_log_knees, log_ratio, median, median_interval, modes, plateaus,
    process_interval, quantile, ratio_interval,
};

/// Any float, NaN and infinities included; or any finite one; or positive ones
/// of any size.
fn wild() -> impl Strategy<Value = Vec<f64>> {
    use prop::num::f64::{ANY, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![
        prop::collection::vec(ANY, 0..60),
        prop::collection::vec(NORMAL | SUBNORMAL | ZERO, 0..60),
        prop::collection::vec(POSITIVE | NORMAL, 0..60),
    ]
}

fn tame() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0.1f64..1e6, 1..80)
}

fn curve_of(values: &[f64]) -> Vec<CurvePoint> {
    values
        .chunks_exact(2)
        .map(|c| CurvePoint::new(c[0], c[1], c[1] * 0.98, c[1] * 1.02))
        .collect()
}

fn quick() -> PlateauOptions {
    PlateauOptions {
        redraws: 3,
        ..PlateauOptions::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(values in wild(), p in prop::num::f64::ANY) {
        let _ = quantile(&values, p);
        let _ = median_interval(&values, p);
        let _ = process_interval(&[values.clone(), Vec::new(), values.clone()], 0.95);
        let _ = modes(&values);
        let few: Vec<f64> = values.iter().copied().take(10).collect();
        let _ = flips(&[few.clone(), few], p, 1);
        let _ = holm(&values);
        let known: Vec<(f64, Deviation)> = values.iter().map(|v| (*v, Deviation::known(p))).collect();
        let _ = between(&known);
        let curve = curve_of(&values);
        let _ = plateaus(&curve, quick());
        let _ = crossover(&curve, &curve);
        let times: Vec<TimedMultiple> = curve
            .iter()
            .map(|c| TimedMultiple { time: c.y, multiple: None })
            .collect();
        let _ = common_period(&times);
    }

    #[test]
    fn any_finite_values_have_a_median_with_an_interval_around_it(values in tame()) {
        let interval = median_interval(&values, 0.95).expect("finite values");
        prop_assert!(interval.low <= interval.center && interval.center <= interval.high);
        prop_assert_eq!(Ok(interval.center), median(&values));
        prop_assert!((0.0..1.0).contains(&interval.level));
        prop_assert!(values.len() < 6 || interval.level >= 0.95);
    }

    #[test]
    fn several_processes_as_well(processes in prop::collection::vec(tame(), 1..9)) {
        let interval = process_interval(&processes, 0.95).expect("finite values");
        prop_assert!(interval.low <= interval.center && interval.center <= interval.high);
    }

    #[test]
    fn order_does_not_matter(values in tame(), seed in any::<u64>()) {
        let mut shuffled = values.clone();
        let mut rng = stats::Rng::new(seed);
        for i in (1..shuffled.len()).rev() {
            shuffled.swap(i, rng.below(i + 1));
        }
        prop_assert_eq!(median_interval(&values, 0.95), median_interval(&shuffled, 0.95));
        prop_assert_eq!(modes(&values), modes(&shuffled));
    }

    #[test]
    fn the_unit_does_not_matter(values in tame(), power in -20i32..20) {
        // Powers of two scale floats exactly.
        let scale = 2f64.powi(power);
        let scaled: Vec<f64> = values.iter().map(|v| v * scale).collect();
        let (a, b) = (median_interval(&values, 0.95), median_interval(&scaled, 0.95));
        let (a, b) = (a.expect("finite values"), b.expect("finite values"));
        prop_assert_eq!((a.low * scale, a.center * scale, a.high * scale), (b.low, b.center, b.high));
        let (a, b) = (modes(&values).expect("finite"), modes(&scaled).expect("finite"));
        prop_assert_eq!(a.len(), b.len());
        prop_assert!(a.iter().zip(&b).all(|(a, b)| a.center * scale == b.center && a.share == b.share));
    }

    #[test]
    fn shares_of_modes_sum_to_one_and_ascend(values in tame()) {
        let found = modes(&values).expect("finite values");
        prop_assert!((1..=4).contains(&found.len()));
        prop_assert!((found.iter().map(|m| m.share).sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(found.windows(2).all(|w| w[0].center < w[1].center));
    }

    #[test]
    fn a_ratio_with_itself_is_one(values in prop::collection::vec(0.1f64..1e6, 6..40)) {
        let interval = median_interval(&values, 0.95).expect("finite values");
        let ratio = ratio_interval(&interval, &interval).expect("positive values");
        prop_assert!(ratio.contains(1.0));
        let log = log_ratio(&interval, &interval).expect("positive values");
        prop_assert_eq!((log.log, log.below), (0.0, log.above));
    }

    #[test]
    fn p_values_are_probabilities(values in prop::collection::vec(-1e6f64..1e6, 2..12)) {
        for one in flips(&[values.clone(), values], 0.05, 1).expect("two blocks and more") {
            prop_assert!((0.0..=1.0).contains(&one.p), "{one:?}");
            prop_assert!(one.effect.low <= one.effect.high, "{one:?}");
        }
    }

    #[test]
    fn adjusted_probabilities_keep_their_order(values in prop::collection::vec(0f64..1.0, 1..40)) {
        let adjusted = holm(&values);
        for (at, p) in values.iter().enumerate() {
            prop_assert!(*p <= adjusted[at] && adjusted[at] <= 1.0);
            let keeps = |(q, a): (&f64, &f64)| (p <= q) == (adjusted[at] <= *a) || adjusted[at] == *a;
            prop_assert!(values.iter().zip(&adjusted).all(keeps));
        }
    }

    #[test]
    fn plateaus_are_ordered_and_rise(ys in prop::collection::vec(1f64..1000.0, 6..40)) {
        let points: Vec<CurvePoint> = ys
            .iter()
            .enumerate()
            .map(|(i, y)| CurvePoint::new(1.5f64.powi(i as i32), *y, y * 0.97, y * 1.03))
            .collect();
        let found = plateaus(&points, quick()).expect("valid curve");
        prop_assert!((0.0..=1.0).contains(&found.confidence));
        for w in found.levels.windows(2) {
            prop_assert!(w[1].value.center >= w[0].value.center * 1.29, "{found:?}");
            let edge = w[0].capacity.expect("an inner level");
            prop_assert!(edge.at.low <= edge.at.center && edge.at.center < edge.next_x && edge.next_x <= edge.at.high);
            prop_assert!(edge.next_x <= edge.transition_end_x, "{found:?}");
        }
    }

    #[test]
    fn knees_never_panic_and_keep_their_order(
        raw in prop::collection::vec((any::<f64>(), any::<f64>(), 1f64..1e6), 0..30),
        tidy in any::<bool>()
    ) {
        // Half of the curves are any bits at all, half are valid and wild.
        let points: Vec<CurvePoint> = raw
            .iter()
            .enumerate()
            .map(|(i, (x, y, width))| {
                let x = if tidy { 1.7f64.powi(i as i32) } else { *x };
                let y = if tidy { y.abs().clamp(1e-200, 1e200) } else { *y };
                CurvePoint::new(x, y, y / width, y * width)
            })
            .collect();
        let options = KneeOptions { redraws: 10, ..KneeOptions::default() };
        if let Ok(found) = log_log_knees(&points, options) {
            prop_assert_eq!(found.segments.len(), found.breaks.len() + 1);
            prop_assert!((0.0..=1.0).contains(&found.confidence));
            for k in &found.breaks {
                prop_assert!(k.at.low <= k.at.center && k.at.center <= k.at.high, "{k:?}");
                prop_assert!(k.before_x < k.after_x && (0.0..=1.0).contains(&k.confidence));
            }
            prop_assert!(found.segments.windows(2).all(|w| w[0].to_x < w[1].from_x));
        }
    }
}
