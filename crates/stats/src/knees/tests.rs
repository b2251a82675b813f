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
            CurvePoint::new(*x, median, median / half, median * half)
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
        assert!((knee.at.center / 5000.0).ln().abs() < 0.25, "{knee:?}");
        assert!(knee.at.low <= 5000.0 && 5000.0 <= knee.at.high, "{knee:?}");
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
        assert!((bend.at.center / 8192.0).ln().abs() < 0.3, "{bend:?}");
        assert_eq!((cliff.before_x, cliff.after_x), (32768.0, 65536.0));
        assert!((cliff.jump * 4.0).ln().abs() < 0.2, "{cliff:?}");
        assert!(
            cliff.at.low <= 32768.0 && cliff.at.high >= 65536.0,
            "{cliff:?}"
        );
        let last = k.segments[2];
        assert_eq!((last.from_x, last.to_x), (65536.0, 16_777_216.0));
        assert!((last.level / 2048.0).ln().abs() < 0.1, "{last:?}");
        assert!(last.slope.low <= 0.0 && 0.0 <= last.slope.high, "{last:?}");
    }
}

#[test]
fn a_steep_piece_between_plateaus_has_a_knee_at_each_end() {
    let k = found(|x| 1e4 / (x / 4096.0).clamp(1.0, 16.0), 0.01);
    let xs: Vec<f64> = k.breaks.iter().map(|b| b.at.center).collect();
    assert_eq!(xs.len(), 2, "{k:?}");
    assert!((xs[0] / 4096.0).ln().abs() < 0.2, "{xs:?}");
    assert!((xs[1] / 65536.0).ln().abs() < 0.2, "{xs:?}");
    assert!((k.segments[1].slope.center + 1.0).abs() < 0.1, "{k:?}");
}

#[test]
fn a_fixed_cost_plus_a_rate_is_one_bend() {
    for noise in [0.005, 0.02, 0.05] {
        let k = found(|x| x / (1.0 + x / 5000.0), noise);
        let [knee] = k.breaks[..] else {
            panic!("{noise}: {k:?}");
        };
        assert!((knee.at.center / 5000.0).ln().abs() < 0.4, "{knee:?}");
        assert!(knee.at.low <= 5000.0 && 5000.0 <= knee.at.high, "{knee:?}");
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
        p.y.low /= 1.4;
        p.y.high *= 1.4;
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
    zero[0].y.low = 0.0;
    assert!(refused(&zero));
    let mut nan = points;
    nan[2].y.center = f64::NAN;
    assert!(refused(&nan));
}

/// Known to a hundred-thousandth; misfits of 2 % are straight all the same.
fn exact(y: impl Fn(f64) -> f64) -> Knees {
    let points = curve(y, &sizes(), 0.0, 1);
    log_log_knees(&points, KneeOptions::default()).expect("a valid curve")
}

fn near(found: f64, truth: f64) {
    assert!((found / truth - 1.0).abs() < 1e-9, "{found} is not {truth}");
}

#[test]
fn a_bend_without_noise_is_known_exactly() {
    let k = exact(|x| 3.0 * x.min(5000.0));
    let [knee] = k.breaks[..] else {
        panic!("{k:?}");
    };
    near(knee.at.center, 5000.0);
    near(knee.jump, 1.0);
    near(knee.slope_before, 1.0);
    assert!(knee.slope_after.abs() < 1e-9);
    assert_eq!((knee.before_x, knee.after_x), (4096.0, 8192.0));
    assert_eq!((knee.at.low, knee.at.high), (4096.0, 8192.0));
    assert_eq!((knee.confidence, k.confidence), (1.0, 1.0));
    let [rising, flat] = k.segments[..] else {
        panic!("{k:?}");
    };
    assert_eq!((rising.from_x, rising.to_x), (1.0, 4096.0));
    assert_eq!((flat.from_x, flat.to_x), (8192.0, 16_777_216.0));
    near(rising.level, 3.0 * 64.0);
    near(flat.level, 15000.0);
    // Thirteen points an octave apart, each known to 2 %: sum of squares 182.
    let half = 1.96 * 0.02 / (182f64.sqrt() * 2f64.ln());
    near(rising.slope.low, 1.0 - half);
    near(rising.slope.high, 1.0 + half);
}

#[test]
fn a_cliff_without_noise_is_known_exactly() {
    let k = exact(|x| if x < 65536.0 { 8.0 * x } else { 2.0 * x });
    let [knee] = k.breaks[..] else {
        panic!("{k:?}");
    };
    near(knee.at.center, (32768.0f64 * 65536.0).sqrt());
    near(knee.jump, 0.25);
    assert_eq!((knee.at.low, knee.at.high), (32768.0, 65536.0));
    near(knee.slope_before, 1.0);
    near(knee.slope_after, 1.0);
}

#[test]
fn a_bend_must_be_a_fifth() {
    let with = |slope: f64| {
        exact(|x: f64| {
            if x < 4096.0 {
                x
            } else {
                4096.0 * (x / 4096.0).powf(slope)
            }
        })
    };
    assert_eq!(with(0.81).breaks.len(), 0);
    let found = with(0.79);
    assert_eq!(found.breaks.len(), 1, "{found:?}");
    near(found.breaks[0].at.center, 4096.0);
    assert_eq!(with(1.19).breaks.len(), 0);
    assert_eq!(with(1.21).breaks.len(), 1);
}

#[test]
fn a_jump_must_be_a_factor_of_one_and_a_fifth() {
    for slope in [-1.0, 0.0, 1.0] {
        let with = |jump: f64| {
            let y = |x: f64| x.powf(slope) * if x < 4096.0 { 1.0 } else { jump };
            exact(y).breaks
        };
        for none in [1.19, 1.0 / 1.19] {
            assert_eq!(with(none), [], "slope {slope}");
        }
        for jump in [1.21, 1.0 / 1.21] {
            let [knee] = with(jump)[..] else {
                panic!("slope {slope}: no jump by {jump}");
            };
            near(knee.jump, jump);
            near(knee.at.center, (2048.0f64 * 4096.0).sqrt());
        }
    }
}

/// What is asked for may be more or less.
#[test]
fn options_say_what_a_knee_is() {
    let bent = curve(|x| x.min(4096.0), &sizes(), 0.0, 1);
    let found = |options| log_log_knees(&bent, options).expect("a valid curve");
    let strict = KneeOptions {
        smallest_bend: 1.01,
        ..KneeOptions::default()
    };
    assert_eq!(found(strict).breaks.len(), 0);
    let none = KneeOptions {
        redraws: 0,
        ..KneeOptions::default()
    };
    let k = found(none);
    assert_eq!(
        (k.breaks.len(), k.confidence, k.breaks[0].confidence),
        (1, 1.0, 1.0)
    );
}

/// The interval ends at measured sizes on both sides of where the redrawn curves
/// bend, and holds the truth nearly always.
#[test]
fn the_interval_of_a_knee_holds_the_truth() {
    let (mut held, mut wide) = (0, 0);
    for seed in 0..60 {
        let points = curve(|x| x.min(5000.0), &sizes(), 0.05, seed);
        let k = log_log_knees(&points, KneeOptions::default()).expect("a valid curve");
        let [knee] = k.breaks[..] else { continue };
        let measured = |x: f64| sizes().contains(&x);
        assert!(
            knee.at.low <= knee.before_x.min(knee.at.center)
                && knee.after_x.max(knee.at.center) <= knee.at.high
        );
        assert!(measured(knee.at.low) && measured(knee.at.high), "{knee:?}");
        assert!(knee.confidence > 0.5 && knee.confidence <= 1.0, "{knee:?}");
        held += u32::from((knee.at.low..=knee.at.high).contains(&5000.0));
        wide += u32::from(knee.at.high / knee.at.low > 16.0);
    }
    assert!(
        held >= 57 && wide <= 3,
        "{held} of 60 hold it, {wide} say nothing"
    );
}

/// A step that noise often hides is believed as seldom as it is seen again.
#[test]
fn a_step_within_the_noise_is_believed_less() {
    let believed = |step: f64| -> Vec<f64> {
        let stair = |x: f64| if x < 3e5 { 1.0 } else { step };
        let of = |seed| {
            let curve = curve(stair, &sizes(), 0.1, seed);
            log_log_knees(&curve, KneeOptions::default()).expect("a valid curve")
        };
        let knees = (0..20).map(of).flat_map(|k| k.breaks);
        knees.map(|b| b.confidence).collect()
    };
    let (weak, strong) = (believed(1.8), believed(4.0));
    assert!(weak.len() > 10 && strong.len() > 15);
    assert!(weak.iter().all(|c| 0.05 < *c && *c < 0.9), "{weak:?}");
    assert!(strong.iter().all(|c| *c > 0.9), "{strong:?}");
}
