//! What is said of a path.

use crate::made::{calm, drawn, judged, only_path, pair, sample};
use analysis::under_load::{TailAt, Verdict};
use record::Sample;

/// Enough for an upper end of p99.9.
const MANY: usize = 4000;

#[test]
fn the_same_distribution_is_predictable_for_certain() {
    let path = judged(calm(1, MANY, 1.0), calm(2, MANY, 1.0));
    assert_eq!((path.verdict, path.certain), (Verdict::Predictable, true));
    assert_eq!(path.reason, "");
    assert_eq!(path.heavy.tail_at, TailAt::P999);
    // Normal: p99.9 lies 3.09 standard deviations above.
    assert!((path.heavy.tail() - 103.09).abs() < 0.5, "{path:?}");
    let tail = path.heavy.tail.expect("enough samples");
    assert!(tail.value.low < 103.09 && tail.value.high > 103.09);
    assert!((path.heavy.variation - 0.01).abs() < 0.001, "{path:?}");
}

#[test]
fn a_shift_of_the_whole_distribution_is_slower_but_steady() {
    let path = judged(calm(1, MANY, 1.0), calm(2, MANY, 1.5));
    assert_eq!((path.verdict, path.certain), (Verdict::Slower, true));
    let ratio = path.ratio.expect("positive");
    assert!(ratio.low < 1.5 && 1.5 < ratio.high, "{ratio:?}");
    let path = judged(calm(1, MANY, 1.0), calm(2, MANY, 0.7));
    assert_eq!((path.verdict, path.certain), (Verdict::Faster, true));
}

#[test]
fn a_heavy_tail_is_unpredictable_though_the_median_stays() {
    // Pareto, exponent 1.2, from 80 on: median 142, p99.9 25 300.
    let heavy = drawn(2, MANY, |rng| 80.0 * rng.uniform().powf(-1.0 / 1.2));
    let path = judged(calm(1, MANY, 1.4), heavy);
    assert_eq!((path.verdict, path.certain), (Verdict::Unpredictable, true));
    assert_eq!(path.reason, "the tail moves away from the median");
    assert!(path.heavy.span() > 100.0 && path.light.span() < 1.04);
}

#[test]
fn a_tail_that_was_there_before_is_unpredictable_and_called_old() {
    // Pareto, exponent 3: p99.9 is eight times the median.
    let tailed = |seed| drawn(seed, MANY, |rng| 80.0 * rng.uniform().powf(-1.0 / 3.0));
    let path = judged(tailed(1), tailed(2));
    assert_eq!(path.verdict, Verdict::Unpredictable);
    assert_eq!(path.reason, "the tail is as long without load");
}

#[test]
fn times_that_part_without_a_tail_are_unpredictable() {
    // Uniform from 0.65 to 1.35: the tail grows less than the limit, the
    // quartiles lie 35 % apart.
    let heavy = drawn(2, MANY, |rng| 65.0 + 70.0 * rng.uniform());
    let path = judged(calm(1, MANY, 1.0), heavy);
    assert_eq!((path.verdict, path.certain), (Verdict::Unpredictable, true));
    assert_eq!(path.reason, "the quartiles part");
    assert!((path.heavy.middle() - 0.35).abs() < 0.02);
}

#[test]
fn few_times_that_part_are_not_certain() {
    let heavy = drawn(2, 50, |rng| 65.0 + 70.0 * rng.uniform());
    let path = judged(calm(1, MANY, 1.0), heavy);
    assert_eq!(path.reason, "the quartiles part");
    assert!(!path.certain, "{path:?}");
}

/// The first `late` of the samples take 1.9 times as long: less than what a
/// steady path may, more than a tail may grow.
fn grown(late: usize) -> Vec<Sample> {
    let mut samples = calm(2, MANY, 1.0);
    samples[..late].iter_mut().for_each(|s| s.value *= 1.9);
    samples
}

#[test]
fn a_tail_has_grown_for_certain_when_its_whole_interval_has() {
    for (late, certain) in [(40, true), (5, false)] {
        let path = judged(calm(1, MANY, 1.0), grown(late));
        assert_eq!(path.verdict, Verdict::Unpredictable);
        assert_eq!(path.reason, "the tail grows");
        assert_eq!(path.certain, certain, "{late}: {path:?}");
    }
}

#[test]
fn the_tail_follows_the_run_with_fewer_samples() {
    let of = |n| judged(calm(1, MANY, 1.0), calm(2, n, 1.0));
    for (n, at) in [
        (1000, TailAt::P999),
        (999, TailAt::P99),
        (100, TailAt::P99),
        (99, TailAt::Max),
    ] {
        let path = of(n);
        assert_eq!((path.light.tail_at, path.heavy.tail_at), (at, at), "{n}");
        assert_eq!(path.verdict, Verdict::Predictable);
    }
    // p99.9 has an upper end from 3688 independent samples on, p99 from 368, the largest none.
    for (n, certain) in [
        (5000, true),
        (3000, false),
        (500, true),
        (200, false),
        (50, false),
    ] {
        let path = of(n);
        assert_eq!(path.certain, certain, "{n}: {}", path.reason);
        assert_eq!(path.reason.is_empty(), certain, "{n}");
    }
    let few = of(19);
    assert_eq!(few.verdict, Verdict::Undecided);
    assert_eq!(few.reason, "fewer than 20 samples say nothing about a tail");
}

#[test]
fn a_median_near_the_limit_is_not_certain() {
    let path = judged(calm(1, MANY, 1.0), calm(2, MANY, 1.12));
    assert_eq!((path.verdict, path.certain), (Verdict::Slower, false));
    assert_eq!(path.reason, "the median may have moved less than that");
    let path = judged(calm(1, MANY, 1.0), calm(2, MANY, 1.05));
    assert_eq!((path.verdict, path.certain), (Verdict::Predictable, false));
    assert_eq!(path.reason, "the median may have moved further");
}

/// Every hundredth sample ten times as long.
fn late(seed: u64, mark: impl Fn(&mut Sample)) -> Vec<Sample> {
    let mut samples = calm(seed, MANY, 1.0);
    for sample in samples.iter_mut().step_by(100) {
        sample.value *= 10.0;
        mark(sample);
    }
    samples
}

#[test]
fn a_tail_of_stolen_samples_is_the_hypervisors() {
    let path = judged(
        calm(1, MANY, 1.0),
        late(2, |s| s.disturbance.steal_ns = Some(10_000_000)),
    );
    assert_eq!(path.verdict, Verdict::Undecided);
    assert!(
        path.reason.contains("the hypervisor took the CPU"),
        "{}",
        path.reason
    );
    // The same tail, nobody's but the path's own.
    for steal_ns in [None, Some(0)] {
        let mark = |s: &mut Sample| s.disturbance.steal_ns = steal_ns;
        let path = judged(calm(1, MANY, 1.0), late(2, mark));
        assert_eq!(path.verdict, Verdict::Unpredictable, "{}", path.reason);
    }
}

#[test]
fn a_tail_that_stays_without_the_stolen_samples_is_the_paths() {
    let mut heavy = late(2, |_| ());
    for sample in heavy.iter_mut().step_by(200) {
        sample.disturbance.steal_ns = Some(10_000_000);
    }
    let path = judged(calm(1, MANY, 1.0), heavy);
    assert_eq!(path.verdict, Verdict::Unpredictable, "{}", path.reason);
    assert_eq!(path.reason, "the tail moves away from the median");
}

#[test]
fn much_stolen_time_excuses_the_bad_and_leaves_the_good() {
    let (light, mut heavy) = pair(calm(1, MANY, 1.0), late(2, |_| ()));
    heavy.view.head.conditions.steal_share = Some(0.08);
    let path = only_path(&light, &heavy);
    assert_eq!(path.verdict, Verdict::Undecided);
    assert!(
        path.reason
            .ends_with("the hypervisor took 8.0 % of the CPU time"),
        "{}",
        path.reason
    );
    let (light, mut heavy) = pair(calm(1, MANY, 1.0), calm(2, MANY, 1.0));
    heavy.view.head.conditions.steal_share = Some(0.08);
    // One process each: the stolen share widens the interval, no more.
    assert_eq!(only_path(&light, &heavy).verdict, Verdict::Predictable);
}

#[test]
fn a_light_run_that_was_not_light_decides_nothing() {
    let (mut light, heavy) = pair(calm(1, MANY, 1.0), calm(2, MANY, 1.0));
    light.view.head.conditions.busy_before = Some(0.8);
    let path = only_path(&light, &heavy);
    assert_eq!(path.verdict, Verdict::Undecided);
    assert_eq!(path.reason, "the light run was not light");
}

/// Most samples preempted, and slower for it.
fn preempted(seed: u64) -> Vec<Sample> {
    let mut samples = calm(seed, MANY, 1.0);
    for (i, sample) in samples.iter_mut().enumerate().filter(|(i, _)| i % 5 > 1) {
        sample.value *= 4.0 + (i % 7) as f64;
        sample.elapsed_ns = 1e6;
        sample.disturbance.involuntary_switches = 1;
    }
    samples
}

#[test]
fn contamination_under_load_is_the_loads_unless_others_were_there_before() {
    let (mut light, heavy) = pair(calm(1, MANY, 1.0), preempted(2));
    assert_eq!(only_path(&light, &heavy).verdict, Verdict::Unpredictable);
    light.view.head.conditions.busy_before = Some(0.2);
    let path = only_path(&light, &heavy);
    assert_eq!(path.verdict, Verdict::Undecided);
    assert!(
        path.reason.contains("others already used the CPUs"),
        "{}",
        path.reason
    );
    // Contaminated without load: no measure for anything.
    let (light, heavy) = pair(preempted(1), calm(2, MANY, 1.0));
    let path = only_path(&light, &heavy);
    assert_eq!(path.verdict, Verdict::Undecided);
    assert!(
        path.reason.starts_with("contaminated without load"),
        "{}",
        path.reason
    );
}

#[test]
fn averages_are_counted_and_values_without_a_ratio_judge_nothing() {
    let mut heavy = calm(2, MANY, 1.0);
    heavy.iter_mut().for_each(|s| s.ops = 512);
    assert_eq!(judged(calm(1, MANY, 1.0), heavy).heavy.operations, 512.0);
    let below: Vec<Sample> = (0..50).map(|i| sample(i, -1.0 - i as f64)).collect();
    let path = judged(below.clone(), below);
    assert_eq!((path.verdict, path.ratio), (Verdict::Undecided, None));
}
