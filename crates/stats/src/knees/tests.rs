use super::*;

/// Sizes 1 B to 16 MiB, one an octave.
fn sizes() -> Vec<f64> {
    (0..25).map(|i| 2f64.powi(i)).collect()
}

fn curve(y: impl Fn(f64) -> f64, xs: &[f64], noise: f64, seed: u64) -> Vec<CurvePoint> {
    let mut rng = Rng::new(seed);
    let half = (SIGMAS_OF_95 * noise).exp();
    xs.iter()
        .map(|x| {
            let median = y(*x) * (noise * rng.normal()).exp();
            CurvePoint {
                x: *x,
                median,
                low: median / half,
                high: median * half,
            }
        })
        .collect()
}

fn found(y: impl Fn(f64) -> f64, noise: f64) -> Knees {
    log_log_knees(&curve(y, &sizes(), noise, 7), KneeOptions::default()).expect("a valid curve")
}

/// Rises in proportion up to 8 KiB, falls to a quarter from 64 KiB on.
fn pipe(x: f64) -> f64 {
    if x < 65536.0 { x.min(8192.0) } else { 2048.0 }
}

#[test]
fn a_bend_is_found_where_the_lines_cross() {
    for noise in [0.005, 0.02, 0.05] {
        let k = found(|x| x.min(5000.0), noise);
        let [knee] = k.breaks[..] else {
            panic!("{noise}: {k:?}");
        };
        assert!((knee.x / 5000.0).ln().abs() < 0.25, "{knee:?}");
        assert!(knee.low <= 5000.0 && 5000.0 <= knee.high, "{knee:?}");
        assert!((knee.slope_before - 1.0).abs() < 0.05, "{knee:?}");
        assert!(knee.slope_after.abs() < 0.05, "{knee:?}");
        assert!((knee.jump - 1.0).abs() < 1e-6, "{knee:?}");
        assert!(knee.confidence > 0.9, "{knee:?}");
    }
}

#[test]
fn a_cliff_is_a_knee_between_its_two_points() {
    for noise in [0.005, 0.02, 0.05] {
        let k = found(pipe, noise);
        let [bend, cliff] = k.breaks[..] else {
            panic!("{noise}: {k:?}");
        };
        assert!((bend.x / 8192.0).ln().abs() < 0.3, "{bend:?}");
        assert_eq!((cliff.before_x, cliff.after_x), (32768.0, 65536.0));
        assert!((cliff.jump * 4.0).ln().abs() < 0.2, "{cliff:?}");
        assert!(cliff.low <= 32768.0 && cliff.high >= 65536.0, "{cliff:?}");
        let last = k.segments[2];
        assert_eq!((last.from_x, last.to_x), (65536.0, 16_777_216.0));
        assert!((last.level / 2048.0).ln().abs() < 0.1, "{last:?}");
        assert!(last.slope_low <= 0.0 && 0.0 <= last.slope_high, "{last:?}");
    }
}

#[test]
fn a_steep_piece_between_plateaus_has_a_knee_at_each_end() {
    let k = found(|x| 1e4 / (x / 4096.0).clamp(1.0, 16.0), 0.01);
    let xs: Vec<f64> = k.breaks.iter().map(|b| b.x).collect();
    assert_eq!(xs.len(), 2, "{k:?}");
    assert!((xs[0] / 4096.0).ln().abs() < 0.2, "{xs:?}");
    assert!((xs[1] / 65536.0).ln().abs() < 0.2, "{xs:?}");
    assert!((k.segments[1].slope + 1.0).abs() < 0.1, "{k:?}");
}

#[test]
fn a_fixed_cost_plus_a_rate_is_one_bend() {
    for noise in [0.005, 0.02, 0.05] {
        let k = found(|x| x / (1.0 + x / 5000.0), noise);
        let [knee] = k.breaks[..] else {
            panic!("{noise}: {k:?}");
        };
        assert!((knee.x / 5000.0).ln().abs() < 0.4, "{knee:?}");
        assert!(knee.low <= 5000.0 && 5000.0 <= knee.high, "{knee:?}");
        assert!((knee.slope_before - 1.0).abs() < 0.1, "{knee:?}");
        assert!(knee.slope_after.abs() < 0.1, "{knee:?}");
        // As time: a constant, then in proportion.
        let time = found(|x| 1.0 + x / 5000.0, noise);
        assert_eq!(time.breaks.len(), 1, "{time:?}");
    }
}

#[test]
fn straight_curves_hardly_ever_have_a_knee() {
    let options = KneeOptions {
        redraws: 0,
        ..KneeOptions::default()
    };
    for slope in [0.0, 0.6, 1.0] {
        let claims = (0..200)
            .filter(|seed| {
                let points = curve(|x| x.powf(slope), &sizes(), 0.05, *seed);
                log_log_knees(&points, options).is_ok_and(|k| !k.breaks.is_empty())
            })
            .count();
        assert!(claims <= 4, "slope {slope}: {claims} of 200");
    }
}

#[test]
fn one_odd_point_is_no_knee() {
    let k = found(|x| if x == 4096.0 { 2.0 } else { 1.0 }, 0.01);
    assert_eq!(k.breaks.len(), 0, "{k:?}");
}

#[test]
fn unsure_points_make_an_unsure_knee() {
    let sure = found(|x| if x < 65536.0 { 1.0 } else { 0.7 }, 0.005);
    assert_eq!(sure.breaks.len(), 1, "{sure:?}");
    let mut points = curve(|x| if x < 65536.0 { 1.0 } else { 0.7 }, &sizes(), 0.005, 7);
    for p in &mut points {
        p.low /= 1.4;
        p.high *= 1.4;
    }
    let unsure = log_log_knees(&points, KneeOptions::default()).expect("a valid curve");
    let best = unsure.breaks.iter().map(|b| b.confidence);
    assert!(best.fold(0.0, f64::max) < sure.breaks[0].confidence);
}

#[test]
fn what_is_no_curve_is_refused() {
    let points = curve(|x| x, &sizes(), 0.01, 1);
    let options = KneeOptions::default();
    let refused = |points: &[CurvePoint]| log_log_knees(points, options).is_err();
    assert!(refused(&[]));
    assert!(refused(&points[..4]));
    let mut twice = points.clone();
    twice[3].x = twice[4].x;
    assert!(refused(&twice));
    let mut zero = points.clone();
    zero[0].low = 0.0;
    assert!(refused(&zero));
    let mut nan = points;
    nan[2].median = f64::NAN;
    assert!(refused(&nan));
}
