//! Judgements at their limits and on both sides of them, on numbers whose truth
//! is known.

use stats::interval::{Interval, Method};
use stats::{
    SpreadPrior, TimedMultiple, common_period, flips, moderated_interval, process_interval,
    ratio_interval, tail_interval,
};

fn near(found: f64, truth: f64) {
    let off = (found - truth).abs() / truth.abs().max(1e-300);
    assert!(off < 1e-9 || found == truth, "{found} is not {truth}");
}

fn close(found: f64, truth: f64, within: f64) {
    assert!((found - truth).abs() <= within, "{found} is not {truth}");
}

// Periods.

fn timed(time: f64) -> TimedMultiple {
    TimedMultiple {
        time: Interval::resampled(time, time, time),
        multiple: None,
    }
}

#[test]
fn times_of_two_three_and_five_periods() {
    let found = common_period(&[20.0, 30.0, 50.0].map(timed)).expect("three times");
    let found = found.expect("a period");
    near(found.period.center, 10.0);
    assert_eq!(
        (found.multiples.as_slice(), found.misfits.len()),
        (&[2, 3, 5][..], 0)
    );
    // Each is known to 0.3 %, whatever its multiple: the t of 2 degrees.
    let half = 4.302_652_729_911_275 * 0.03 / 3f64.sqrt();
    close(found.period.high - 10.0, half, 1e-9);
    close(10.0 - found.period.low, half, 1e-9);
    // By chance the two times that fit more easily do so with 6 % and 9 %; eight periods of
    // 10 or more were tried.
    close(found.confidence, 1.0 - 0.06 * 0.09 * 8.0, 1e-9);
}

#[test]
fn one_time_in_five_may_misfit() {
    let fitting = [20.0, 30.0, 50.0, 20.0, 30.0, 50.0, 20.0, 30.0];
    let with = |odd: &[f64]| {
        let times = [&fitting, odd].concat();
        let timed: Vec<TimedMultiple> = times.into_iter().map(timed).collect();
        common_period(&timed).expect("enough times")
    };
    let found = with(&[44.0, 37.0]).expect("a period");
    near(found.period.center, 10.0);
    assert_eq!(found.misfits, [8, 9]);
    let three = with(&[44.0, 37.0, 26.0]);
    assert!(
        three.is_none_or(|p| p.period.center < 9.0),
        "three of eleven"
    );
}

#[test]
fn a_time_fits_within_three_sigmas_or_three_percent_of_the_period() {
    let with = |odd: f64| {
        let known = [
            (20.0, 2),
            (30.0, 3),
            (50.0, 5),
            (70.0, 7),
            (90.0, 9),
            (odd, 1),
        ];
        let times = known.map(|(time, multiple)| TimedMultiple {
            multiple: Some(multiple),
            ..timed(time)
        });
        common_period(&times)
            .expect("six times")
            .expect("a period")
            .misfits
    };
    assert!(with(10.29).is_empty());
    assert_eq!(with(10.32), [5]);
}

#[test]
fn unfit_times_are_refused() {
    let refused = |odd: TimedMultiple| common_period(&[timed(20.0), timed(30.0), odd]).is_err();
    assert!(common_period(&[timed(20.0), timed(30.0)]).is_err());
    assert!(refused(timed(0.0)) && refused(timed(-1.0)) && refused(timed(f64::NAN)));
    assert!(refused(TimedMultiple {
        time: Interval::resampled(50.0, 51.0, 50.0),
        multiple: None,
    }));
    assert!(refused(TimedMultiple {
        time: Interval::resampled(50.0, 50.0, 49.0),
        multiple: None,
    }));
    assert!(refused(TimedMultiple {
        multiple: Some(0),
        ..timed(50.0)
    }));
    assert!(!refused(timed(50.0)));
}

// Intervals.

fn interval(low: f64, center: f64, high: f64, level: f64) -> Interval {
    Interval {
        center,
        low,
        high,
        level,
        method: Method::OrderStatistic,
        degrees: None,
    }
}

#[test]
fn an_interval_of_another_level_is_brought_to_the_nominal_one() {
    let exact = interval(50.0, 50.0, 50.0, 0.95);
    let ratio = ratio_interval(&exact, &interval(90.0, 100.0, 120.0, 0.9)).expect("a ratio");
    let scale = 1.959_963_985 / 1.644_853_627;
    close(
        (ratio.center / ratio.low).ln(),
        scale * (100.0f64 / 90.0).ln(),
        1e-8,
    );
    close((ratio.high / ratio.center).ln(), scale * 1.2f64.ln(), 1e-8);
    near(ratio.center, 2.0);
    let lopsided = ratio_interval(
        &interval(80.0, 100.0, 130.0, 0.95),
        &interval(90.0, 100.0, 120.0, 0.95),
    );
    let lopsided = lopsided.expect("a ratio");
    close(
        -lopsided.low.ln(),
        (100.0f64 / 90.0).ln().hypot(1.3f64.ln()),
        1e-9,
    );
    close(lopsided.high.ln(), 1.2f64.ln().hypot(1.25f64.ln()), 1e-9);
}

#[test]
fn an_interval_of_a_lower_level_says_too_little() {
    let exact = interval(1.0, 1.0, 1.0, 0.95);
    assert!(ratio_interval(&exact, &interval(1.0, 1.0, 1.0, 0.7)).is_ok());
    assert!(ratio_interval(&exact, &interval(1.0, 1.0, 1.0, 0.699)).is_err());
    assert!(ratio_interval(&interval(1.0, 1.0, 1.0, 0.699), &exact).is_err());
    assert!(ratio_interval(&exact, &interval(1.0, 1.0, 1.0, f64::NAN)).is_err());
}

#[test]
fn two_processes_have_students_interval_of_their_logarithms() {
    let found = process_interval(&[vec![100.0], Vec::new(), vec![110.0]], 0.95);
    let found = found.expect("two processes");
    let (a, b) = (100f64.ln(), 110f64.ln());
    let half = 12.706_204_736 * (b - a) / 2.0;
    close(found.low.ln(), f64::midpoint(a, b) - half, 1e-7);
    close(found.high.ln(), f64::midpoint(a, b) + half, 1e-7);
    assert_eq!((found.center, found.level), (105.0, 0.95));
}

#[test]
fn a_prior_that_is_as_good_as_known_gives_the_normals_interval() {
    let prior = SpreadPrior {
        variance: 0.0004,
        degrees: 1e6,
    };
    let processes = [vec![100.0], vec![104.0], vec![102.0]];
    let found = moderated_interval(&processes, 0.95, Some(&prior)).expect("three processes");
    let middle = (100f64.ln() + 104f64.ln() + 102f64.ln()) / 3.0;
    let half = 1.959_964 * 0.02 / 3f64.sqrt();
    close(found.low.ln(), middle - half, 1e-6);
    close(found.high.ln(), middle + half, 1e-6);
    assert_eq!(found.method, Method::ProcessModeratedT);
    assert_eq!(found.center, 102.0);
}

#[test]
fn eight_points_make_a_prior() {
    let point = |spread: f64| vec![vec![100.0], vec![100.0 * spread.exp()]];
    let of = |count: usize| {
        let points: Vec<Vec<Vec<f64>>> = (0..count).map(|_| point(0.02)).collect();
        SpreadPrior::fit(&points)
    };
    assert!(of(7).is_none());
    let prior = of(8).expect("eight points");
    // All alike: the logarithm of chi-square with one degree is -1.27 on average.
    // Eight points of one degree of freedom each know no more than that.
    assert_eq!(prior.degrees, 8.0);
    close(prior.variance, 0.0002 * 1.270_362_845_f64.exp(), 1e-9);
}

#[test]
fn a_far_quantile_of_counted_samples() {
    // Of 1000, those above the 90 % point: 100 on average, with a deviation of 9.49.
    let values: Vec<f64> = (1..=1000).map(f64::from).collect();
    let found = tail_interval(&values, 0.9, 0.95, values.len() as f64).expect("samples");
    close(found.value.center, 900.1, 1e-9);
    close(found.value.low, 881.0, 1.0);
    close(found.value.high, 919.0, 1.0);
    assert!((0.95..0.96).contains(&found.value.level), "{found:?}");
    assert!(
        tail_interval(&values, 0.0, 0.95, 9.0).is_err()
            && tail_interval(&values, 0.5, 1.0, 9.0).is_err()
    );
    assert!(tail_interval(&values, 0.5, 0.0, 9.0).is_err());
}

// Signed ranks, against tables.

#[test]
fn flips_give_the_tables_probabilities() {
    let p = |differences: Vec<f64>| flips(&[differences], 0.05, 1).expect("differences")[0].p;
    let all = |n: i32, negative: i32| -> Vec<f64> {
        let sign = |i: i32| if i == negative { -1.0 } else { 1.0 };
        (1..=n).map(|i| sign(i) * f64::from(i)).collect()
    };
    near(p(all(8, 0)), 2.0 / 256.0);
    near(p(all(8, 1)), 4.0 / 256.0);
    // n = 10, T = 8 is the critical value at 5 %: 0.0488.
    near(p(all(10, 8)), 0.048_828_125);
    assert!(p(all(10, 9)) > 0.05);
    // Ranks 2 2 2 4 without the zero: 8 of 10 or more in 4 of 16 cases, or as few.
    near(p(vec![1.0, 1.0, -1.0, 0.0, 2.0]), 0.5);
    // Two points that are one are judged as one.
    let twice = flips(&[all(8, 0), all(8, 0)], 0.05, 1).expect("differences");
    near(twice[1].p, 2.0 / 256.0);
}
