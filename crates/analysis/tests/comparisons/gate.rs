//! One answer for all points: what the exit status goes by.

use crate::runs::{among, point, run, summary};
use analysis::compare::{FEWEST_RUNS, History, ShiftOutcome, Verdict, fits};
use analysis::{
    CompareOptions, Comparison, Contamination, ContaminationLevel, Outcome, PointView, RunView,
    compare, compare_with,
};
use record::{CountersHead, RunState, Unit};
use stats::Rng;

const POINTS: i64 = 84;

/// Points that `shift` multiplies, and chance by 1 %, with intervals to match.
fn shifted(id: &str, rng: &mut Rng, shift: f64) -> RunView {
    let points = (1..=POINTS).map(|size| {
        let median = 100.0 * shift * (0.01 * rng.normal()).exp();
        point(size, vec![summary(0, median, 0.02, 6)])
    });
    run(id, points.collect())
}

fn with(a: &RunView, b: &RunView, history: &History) -> Comparison {
    let options = CompareOptions {
        threshold: 0.05,
        across_machines: false,
    };
    compare_with(a, b, options, history)
}

/// A and two more, that differ by `sd` as a whole.
fn history(rng: &mut Rng, a: &RunView, sd: f64, runs: usize) -> History {
    let shifts: Vec<f64> = (0..runs).map(|_| (sd * rng.normal()).exp()).collect();
    let others: Vec<RunView> = shifts.iter().map(|s| shifted("h", rng, *s)).collect();
    History::of(std::iter::once(a).chain(&others))
}

#[test]
fn a_run_that_is_slower_as_a_whole_has_no_verdict_where_runs_are_not_known() {
    let mut rng = Rng::new(3);
    let a = shifted("a", &mut rng, 1.0);
    let verdict = |shift: f64, rng: &mut Rng| compare(&a, &shifted("b", rng, shift), 0.05).gate;
    assert_eq!(verdict(1.03, &mut rng).verdict, Verdict::Passed);
    let gate = verdict(1.08, &mut rng);
    assert_eq!(gate.verdict, Verdict::Unknown);
    assert_eq!(gate.shifts[0].outcome, ShiftOutcome::Unknown);
    let said = &gate.reasons[0];
    for words in [
        "mem/latency moved by +",
        "which this comparison cannot tell from the machine",
        "assumed to differ by 3.0 %",
    ] {
        assert!(said.contains(words), "{said}");
    }
    // Faster by as much is no regression.
    assert_eq!(verdict(1.0 / 1.08, &mut rng).verdict, Verdict::Passed);
    // More than any machine is assumed to do.
    assert_eq!(verdict(1.4, &mut rng).verdict, Verdict::Failed);
}

#[test]
fn other_runs_tell_what_the_machine_does() {
    let mut rng = Rng::new(4);
    let a = shifted("a", &mut rng, 1.0);
    let b = shifted("b", &mut rng, 1.08);
    let steady = with(&a, &b, &history(&mut rng, &a, 0.003, 8)).gate;
    assert_eq!((steady.verdict, steady.history), (Verdict::Failed, 9));
    assert_eq!(steady.shifts[0].outcome, ShiftOutcome::Worse);
    let restless = with(&a, &b, &history(&mut rng, &a, 0.05, 8)).gate;
    assert_eq!(restless.verdict, Verdict::Passed, "{:?}", restless.shifts);
    assert!((0.02..0.1).contains(&restless.shifts[0].run_sd));
    // Fewer say nothing.
    assert_eq!(history(&mut rng, &a, 0.01, FEWEST_RUNS - 2).runs(), 0);
}

#[test]
fn a_point_that_stands_out_from_a_faster_run_is_held_back() {
    let mut rng = Rng::new(5);
    let a = shifted("a", &mut rng, 1.0);
    let mut b = shifted("b", &mut rng, 0.9);
    let slow = &mut b.tables[0].points[7].summaries[0].median;
    (slow.center, slow.low, slow.high) = (101.0, 100.0, 102.0);
    let found = compare(&a, &b, 0.05);
    assert_eq!(found.gate.verdict, Verdict::Unknown);
    assert_eq!(found.points[7].outcome, Outcome::Same);
    let said = found.points[7].reason.as_deref().expect("a reason");
    assert!(said.contains("no change from A"), "{said}");
    assert!(found.gate.reasons.iter().any(|r| r.contains("1 point")));
    // With an experiment that is slower and a point of it that got worse: each reason once.
    let mut with_other = |run: &RunView, shift: f64| {
        let mut both = run.clone();
        let mut other = shifted("o", &mut rng, shift).tables.remove(0);
        other.head.id = "copy/memcpy".into();
        for point in &mut other.points {
            point.head.experiment = "copy/memcpy".into();
        }
        both.tables.push(other);
        both
    };
    let (a, mut b) = (with_other(&a, 1.0), with_other(&b, 1.08));
    let slower = &mut b.tables[1].points[20].summaries[0].median;
    (slower.center, slower.low, slower.high) = (150.0, 149.0, 151.0);
    let mut reasons = compare(&a, &b, 0.05).gate.reasons;
    assert_eq!(reasons.len(), 4, "{reasons:?}");
    reasons.sort();
    reasons.dedup();
    assert_eq!(reasons.len(), 4, "{reasons:?}");
}

#[test]
fn the_worst_are_named_first() {
    let mut rng = Rng::new(6);
    let a = shifted("a", &mut rng, 1.0);
    let mut b = shifted("b", &mut rng, 1.0);
    for (at, factor) in [(3, 1.5), (9, 2.0), (20, 1.3), (40, 1.4), (50, 0.5)] {
        let slow = &mut b.tables[0].points[at].summaries[0].median;
        (slow.center, slow.low, slow.high) =
            (slow.center * factor, slow.low * factor, slow.high * factor);
    }
    let alone = compare(&a, &b, 0.05);
    assert_eq!(alone.gate.worst, [9, 3, 40]);
    assert_eq!(alone.count(Outcome::Better), 1);
    // Other pages, or another guest as a neighbour: nothing is known of that.
    assert_eq!(alone.gate.verdict, Verdict::Unknown);
    let said = &alone.gate.reasons[0];
    assert!(said.starts_with("4 points became worse by more"), "{said}");
    let known = with(&a, &b, &history(&mut rng, &a, 0.003, 8)).gate;
    assert_eq!(
        (known.verdict, known.worst),
        (Verdict::Failed, vec![9, 3, 40])
    );
}

#[test]
fn a_run_that_was_contaminated_as_a_whole_is_no_gate() {
    let (a, mut b) = among(summary(0, 100.0, 0.001, 6), summary(0, 200.0, 0.001, 6));
    assert_eq!(compare(&a, &b, 0.05).gate.worst, [0]);
    b.head.conditions.busy_before = Some(0.9);
    let gate = compare(&a, &b, 0.05).gate;
    assert_eq!(gate.verdict, Verdict::Unknown);
    assert!(gate.reasons[0].starts_with("run B is contaminated as a whole: 90.0 %"));
    assert_eq!(gate.worst, [0], "it is still named");
}

#[test]
fn half_of_the_points_have_to_be_comparable() {
    let bad = |point: PointView| PointView {
        contamination: Some(Contamination {
            level: ContaminationLevel::Contaminated,
            disturbed: 1,
            samples: 2,
            unknown: 0,
            reason: "steal".into(),
        }),
        ..point
    };
    let of = |contaminated: i64| {
        let points = (1..=20).map(|size| {
            let good = point(size, vec![summary(0, 100.0, 0.001, 6)]);
            if size <= contaminated {
                bad(good)
            } else {
                good
            }
        });
        let run = run("a", points.collect());
        compare(&run, &run, 0.05).gate
    };
    assert_eq!(of(10).verdict, Verdict::Passed);
    let none = of(11);
    assert_eq!(none.verdict, Verdict::Unknown);
    assert_eq!(none.reasons, ["only 9 of 20 points can be compared"]);
}

#[test]
fn what_the_kernel_counts_by_ticks_decides_nothing() {
    let of = |id: &str, system: f64| {
        let both = vec![summary(0, 100.0, 0.001, 6), summary(1, system, 0.001, 6)];
        let mut run = run(id, vec![point(64, both)]);
        let metric = &mut run.tables[0].head.metrics[1];
        (metric.name, metric.unit, metric.lower_is_better) =
            ("system_time".into(), Unit::Nanoseconds, true);
        run
    };
    let found = compare(&of("a", 10.0), &of("b", 90.0), 0.05);
    assert_eq!(found.gate.verdict, Verdict::Passed);
    assert_eq!((found.gate.rows, found.gate.judged), (1, 1));
    let shown = &found.points[1];
    assert!(!shown.decides && shown.ratio.is_some_and(|r| (r.center - 9.0).abs() < 1e-9));
}

#[test]
fn what_explains_a_cost_decides_nothing_and_is_named_beside_it() {
    let of = |id: &str, latency: f64, switches: f64, explains: bool| {
        let points = (1..=40).map(|size| {
            let both = vec![
                summary(0, latency, 0.001, 6),
                summary(1, switches, 0.001, 6),
            ];
            point(size, both)
        });
        let mut run = run(id, points.collect());
        let metric = &mut run.tables[0].head.metrics[1];
        (metric.name, metric.lower_is_better) = ("switches".into(), true);
        // Records of before say nothing: a count that no counter made is one all the same.
        metric.unit = match explains {
            true => Unit::Nanoseconds,
            false => Unit::Count,
        };
        metric.explains = explains;
        run
    };
    for explains in [true, false] {
        let a = of("a", 100.0, 1.0, explains);
        let calm = compare(&a, &of("b", 100.0, 3.0, explains), 0.05);
        assert_eq!(calm.gate.verdict, Verdict::Passed);
        assert_eq!((calm.gate.rows, calm.regressions()), (40, 0));
        let slower = compare(&a, &of("b", 150.0, 3.0, explains), 0.05);
        assert_eq!(slower.gate.verdict, Verdict::Failed);
        let along = slower.along(&slower.points[0]);
        assert_eq!(along.len(), 1, "{along:?}");
        assert_eq!(along[0].metric, "switches");
    }
    // What the processor counts does decide.
    let mut counted = [1.0, 3.0].map(|count| of("r", 100.0, count, false));
    for run in &mut counted {
        run.head.conditions.counters = Some(CountersHead {
            metrics: vec!["switches".into()],
            ..CountersHead::default()
        });
    }
    let [a, b] = counted;
    assert_eq!(compare(&a, &b, 0.05).gate.verdict, Verdict::Failed);
}

#[test]
fn other_runs_have_to_be_made_alike() {
    let a = run("a", vec![point(64, vec![summary(0, 100.0, 0.001, 6)])]);
    let refused = |change: fn(&mut RunView)| {
        let mut other = a.clone();
        change(&mut other);
        fits(&a.head, &other.head).err().unwrap_or_default()
    };
    assert_eq!(refused(|_| {}), "");
    assert_eq!(
        refused(|r| r.head.recipe.text = "x".into()),
        "another recipe"
    );
    assert_eq!(
        refused(|r| r.head.state = RunState::Running),
        "not complete"
    );
    assert_eq!(
        refused(|r| r.head.machine.kernel = "6.2".into()),
        "different kernel"
    );
    let busy = refused(|r| r.head.conditions.busy_before = Some(0.9));
    assert!(busy.starts_with("contaminated: "), "{busy}");
}
