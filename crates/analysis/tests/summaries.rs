//! Summaries and contamination verdicts of samples with a known story.

use analysis::{ContaminationLevel, OfRun, judge_run, summarise, summarise_measured};
use record::{
    Conditions, Disturbance, ExperimentHead, Instrument, MetricHead, PointHead, PointState, Sample,
    Shared, Unit,
};
use std::collections::BTreeMap;

fn experiment() -> ExperimentHead {
    ExperimentHead {
        in_cycles: false,
        id: "syscall/getppid".into(),
        title: String::new(),
        question: String::new(),
        counts: String::new(),
        does_not_count: String::new(),
        origin: String::new(),
        theory: String::new(),
        axes: Vec::new(),
        metrics: vec![MetricHead {
            name: "latency".into(),
            unit: Unit::Nanoseconds,
            doc: String::new(),
            lower_is_better: true,
            explains: false,
        }],
        figures: Vec::new(),
        toll: Vec::new(),
        kinds: Vec::new(),
    }
}

fn point(index: u32, experiment: &str) -> Shared<PointHead> {
    PointHead {
        index,
        experiment: experiment.into(),
        settings: Vec::new(),
        bytes_per_op: None,
        state: PointState::Done,
        notes: Vec::new(),
        traces: Vec::new(),
        interrupts: None,
    }
    .into()
}

fn sample(process: u16, index: u32, value: f64) -> Sample {
    Sample {
        metric: 0,
        process,
        index,
        ops: 1,
        elapsed_ns: value,
        floor_ns: 0.0,
        value,
        cpu: 0,
        disturbance: Disturbance::default(),
        yardstick: None,
    }
}

/// Thirty values within 1 % of 100, spread evenly and out of order.
fn calm() -> Vec<Sample> {
    (0..30)
        .map(|i| sample(0, i, 99.0 + f64::from((i * 7) % 30) * 2.0 / 29.0))
        .collect()
}

fn judged(samples: Vec<Sample>) -> analysis::Contamination {
    let mut table = summarise(
        &experiment(),
        &[point(0, "syscall/getppid")],
        &BTreeMap::from([(0, samples)]),
    );
    table
        .points
        .remove(0)
        .contamination
        .expect("there are samples")
}

#[test]
fn only_points_of_the_experiment_and_none_invented() {
    let points = [
        point(0, "syscall/getppid"),
        point(1, "mem/latency"),
        point(2, "syscall/getppid"),
    ];
    let table = summarise(&experiment(), &points, &BTreeMap::from([(0, calm())]));
    assert_eq!(table.points.len(), 2);
    assert_eq!(table.points[0].summaries.len(), 1);
    assert!(table.points[1].summaries.is_empty());
    assert_eq!(table.points[1].contamination, None);
}

#[test]
fn one_process_gets_the_order_statistic_interval_and_what_it_cannot_know() {
    let of = |samples: Vec<Sample>| {
        let points = [point(0, "syscall/getppid")];
        let mut table = summarise(&experiment(), &points, &BTreeMap::from([(0, samples)]));
        table.points.remove(0).summaries.remove(0)
    };
    let s = of(calm());
    assert_eq!(
        (s.samples, s.processes, s.median.method.name()),
        (30, 1, "one-process")
    );
    // Ranks 10 and 21 of the samples, and 1.96 times 2 % between processes.
    let at = |rank: f64| 99.0 + (rank - 1.0) * 2.0 / 29.0;
    let wider = |end: f64| (end / 100.0).ln().hypot(1.96 * 0.02).exp();
    let (low, high) = (100.0 / wider(at(10.0)), 100.0 * wider(at(21.0)));
    assert!(
        (s.median.low - low).abs() < 1e-3 && (s.median.high - high).abs() < 1e-3,
        "{s:?}"
    );
    // Fewer processes are never narrower than several that differ as usual.
    let mut two = calm();
    two.extend(calm().into_iter().map(|mut s| {
        (s.process, s.value) = (1, s.value * 1.02);
        s
    }));
    assert!(of(two).median.relative_width() > s.median.relative_width());
    assert!((s.median.center - 100.0).abs() < 1e-9 && (0.95..0.958).contains(&s.median.level));
    assert_eq!((s.min, s.max), (99.0, 101.0));
    assert_eq!(s.modes.len(), 1);
}

fn summary_of(values: impl Iterator<Item = f64>) -> analysis::Summary {
    let samples = (0..).zip(values).map(|(i, value)| sample(0, i, value));
    let samples = BTreeMap::from([(0, samples.collect())]);
    let mut table = summarise(&experiment(), &[point(0, "syscall/getppid")], &samples);
    table.points.remove(0).summaries.remove(0)
}

#[test]
fn samples_that_lean_on_each_other_are_worth_fewer_or_carry_no_interval() {
    // Two slow waves: sixty samples, and yet hardly more than four looks.
    let wave = |i: u32| 100.0 + (f64::from(i) / 5.0).sin();
    let s = summary_of((0..60).map(wave));
    assert!(s.effective < 6.0, "{}", s.effective);
    assert_eq!((s.median.method.name(), s.median.level), ("none", 0.0));
    assert_eq!((s.median.low, s.median.high), (s.min, s.max));
    // Each sample twice: worth half of them.
    let scattered = |i: u32| f64::from((i * 37) % 101);
    let twice = summary_of((0..202).map(|i| scattered(i / 2)));
    let once = summary_of((0..101).map(scattered));
    assert!(
        (80.0..=101.0).contains(&once.effective),
        "{}",
        once.effective
    );
    assert!(
        (60.0..=110.0).contains(&twice.effective),
        "{}",
        twice.effective
    );
    assert!(twice.median.relative_width() > 0.9 * once.median.relative_width());
}

#[test]
fn a_tail_needs_samples_that_carry_it() {
    let scattered = |n: u32| (0..n).map(move |i| f64::from((i * 379) % n));
    let (few, some, many) = (
        summary_of(scattered(40)),
        summary_of(scattered(211)),
        summary_of(scattered(1009)),
    );
    assert_eq!((few.p90, few.p99), (None, None));
    assert!(some.p90.is_some() && some.p99.is_none(), "{some:?}");
    assert!(many.p99.is_some(), "{}", many.effective);
}

#[test]
fn few_processes_borrow_their_spread_from_the_other_points() {
    // Two processes at each point, 1 to 2 % apart.
    let of_point = |point: u32| -> Vec<Sample> {
        let apart = 1.0 + 0.1 * f64::from(point);
        (0..20)
            .map(|i| sample((i % 2) as u16, i / 2, 100.0 + apart * f64::from(i % 2)))
            .collect()
    };
    let points: Vec<_> = (0..10).map(|i| point(i, "syscall/getppid")).collect();
    let samples: BTreeMap<u32, Vec<Sample>> = (0..10).map(|i| (i, of_point(i))).collect();
    let table = summarise(&experiment(), &points, &samples);
    for view in &table.points {
        let s = view.primary().expect("twenty samples");
        assert_eq!(s.median.method.name(), "process-moderated-t");
        // Alone, one degree of freedom: 9 standard deviations to each side.
        assert!(
            (s.median.high - s.median.low) / s.median.center < 0.07,
            "{s:?}"
        );
    }
    let alone = summarise(&experiment(), &points[..1], &[(0, of_point(0))].into());
    let s = alone.points[0].primary().expect("twenty samples");
    assert_eq!(s.median.method.name(), "process-t", "nobody to borrow from");
}

#[test]
fn processes_are_not_pooled() {
    // Two processes that agree within themselves and differ by 10 %.
    let samples: Vec<Sample> = (0..40)
        .map(|i| {
            let process = (i % 2) as u16;
            sample(
                process,
                i / 2,
                100.0 + 10.0 * f64::from(process) + f64::from(i) / 100.0,
            )
        })
        .collect();
    let table = summarise(
        &experiment(),
        &[point(0, "syscall/getppid")],
        &BTreeMap::from([(0, samples.clone())]),
    );
    let s = table.points[0].primary().expect("forty samples");
    assert_eq!((s.processes, s.median.method.name()), (2, "process-t"));
    assert!(
        s.median.low < 100.0 && s.median.high > 110.0,
        "the interval spans both processes: {s:?}"
    );
    assert_eq!(s.modes.len(), 2);
    assert!(s.modes_between_processes);
    let verdict = judged(samples);
    assert_eq!(verdict.level, ContaminationLevel::Disturbed);
    assert!(
        verdict.reason.contains("each process stays in one"),
        "{}",
        verdict.reason
    );
}

#[test]
fn the_clock_step_of_the_instrument_makes_no_modes() {
    // A 1 MHz clock and an operation of 1.4 us: readings of 1000 and 2000 ns.
    let samples: Vec<Sample> = (0..100)
        .map(|i| {
            let ticks = if i % 5 < 2 { 2.0 } else { 1.0 };
            Sample {
                floor_ns: 130.0,
                value: ticks * 1000.0 - 130.0,
                ..sample(0, i, ticks * 1000.0)
            }
        })
        .collect();
    let instrument = Instrument {
        resolution_ns: 1000.0,
        ..Instrument::default()
    };
    let modes = |instrument: Option<&Instrument>| {
        let table = summarise_measured(
            &experiment(),
            &[point(0, "syscall/getppid")],
            &BTreeMap::from([(0, samples.clone())]),
            &OfRun {
                instrument: instrument.cloned(),
                ..OfRun::default()
            },
        );
        table.points[0].primary().map(|s| s.modes.len())
    };
    assert_eq!(modes(Some(&instrument)), Some(1));
    assert_eq!(
        modes(None),
        Some(2),
        "without the instrument they look like modes"
    );
}

#[test]
fn calm_samples_are_clean() {
    let verdict = judged(calm());
    assert_eq!(
        (verdict.level, verdict.disturbed, verdict.samples),
        (ContaminationLevel::Clean, 0, 30)
    );
}

#[test]
fn a_few_switches_disturb_but_do_not_contaminate() {
    let mut samples = calm();
    // Here and there: next to each other they are a level.
    for s in samples.iter_mut().step_by(7).take(4) {
        s.value *= 40.0;
        s.disturbance.involuntary_switches = 3;
    }
    let verdict = judged(samples);
    assert_eq!(
        (verdict.level, verdict.disturbed),
        (ContaminationLevel::Disturbed, 4)
    );
    assert_eq!(
        verdict.reason,
        "12 involuntary switches; in 4 of 30 samples, the median is unchanged"
    );
}

#[test]
fn many_slow_disturbed_samples_contaminate() {
    let mut samples = calm();
    for s in samples.iter_mut().take(20) {
        s.value *= 1.3;
        s.disturbance.steal_ns = Some(4_000_000);
    }
    let verdict = judged(samples);
    assert_eq!(verdict.level, ContaminationLevel::Contaminated);
    assert!(
        verdict
            .reason
            .starts_with("80.0 ms steal; in 20 of 30 samples"),
        "{}",
        verdict.reason
    );
}

#[test]
fn nothing_undisturbed_leaves_nothing_to_judge_by() {
    let mut samples = calm();
    for s in &mut samples {
        s.disturbance.major_faults = 1;
    }
    let verdict = judged(samples);
    assert_eq!(verdict.level, ContaminationLevel::Contaminated);
    assert!(
        verdict.reason.contains("too few undisturbed"),
        "{}",
        verdict.reason
    );
}

#[test]
fn experiments_that_switch_or_fault_are_not_blamed() {
    let mut samples = calm();
    for s in &mut samples {
        s.disturbance = Disturbance {
            voluntary_switches: 1000,
            involuntary_switches: 20,
            migrations: 2,
            minor_faults: 500,
            ..Disturbance::default()
        };
    }
    assert_eq!(judged(samples).level, ContaminationLevel::Clean);
}

#[test]
fn a_ring_on_one_cpu_preempts_itself_and_is_not_blamed() {
    // 200 hops of 2.5 us in half a millisecond: no time slice is that short.
    let ring = |preempted| {
        let mut samples = calm();
        for s in &mut samples {
            s.ops = 200;
            s.elapsed_ns = 500_000.0;
            s.disturbance.involuntary_switches = preempted;
        }
        judged(samples).level
    };
    assert_eq!(ring(100), ContaminationLevel::Clean);
    assert_eq!(ring(1), ContaminationLevel::Contaminated);
}

#[test]
fn ticks_are_ordinary_but_bursts_that_slow_are_not() {
    let mut samples = calm();
    for (i, s) in samples.iter_mut().enumerate() {
        s.disturbance.interrupts = Some(u32::from(i % 2 == 0));
    }
    assert_eq!(judged(samples.clone()).level, ContaminationLevel::Clean);
    for s in (0..14).map(|i| (i * 7) % 30) {
        let s = &mut samples[s];
        s.value *= 1.5;
        s.disturbance.interrupts = Some(60);
    }
    // 14 of 30 samples at 1.5 times move the median inside the calm values
    // by less than the tolerance; 16 more than half would be the usual count.
    assert_eq!(judged(samples.clone()).level, ContaminationLevel::Clean);
    for s in &mut samples {
        if s.disturbance.interrupts != Some(60) {
            s.value = 99.0 + (s.value - 99.0) * 5.0;
        }
    }
    let verdict = judged(samples);
    assert_eq!(verdict.level, ContaminationLevel::Contaminated);
    assert!(
        verdict.reason.contains("bursts of interrupts in 14"),
        "{}",
        verdict.reason
    );
}

#[test]
fn values_that_are_no_numbers_are_said() {
    let mut samples = calm();
    samples[3].value = f64::NAN;
    let verdict = judged(samples);
    assert_eq!(verdict.level, ContaminationLevel::Contaminated);
    assert_eq!(verdict.reason, "1 of 30 samples are not numbers");
}

#[test]
fn the_run_is_judged_by_steal_and_business() {
    let quiet = Conditions {
        load: "light".into(),
        steal_share: Some(0.001),
        busy_before: Some(0.02),
        ..Conditions::default()
    };
    assert_eq!(judge_run(&quiet).level, ContaminationLevel::Clean);
    let stolen = Conditions {
        steal_share: Some(0.02),
        ..quiet.clone()
    };
    assert_eq!(judge_run(&stolen).level, ContaminationLevel::Disturbed);
    let robbed = Conditions {
        steal_share: Some(0.2),
        ..quiet.clone()
    };
    assert_eq!(judge_run(&robbed).level, ContaminationLevel::Contaminated);
    let loaded = Conditions {
        load: "heavy".into(),
        busy_before: Some(0.9),
        ..quiet
    };
    assert_eq!(
        judge_run(&loaded).level,
        ContaminationLevel::Clean,
        "a load that was asked for"
    );
}

/// Two runs begin at different times; that is no difference between them.
#[test]
fn moments_are_kept_and_not_summarised() {
    let mut experiment = experiment();
    experiment
        .metrics
        .extend(record::moment::metrics("CLOCK_BOOTTIME"));
    let mut samples = calm();
    let starts: Vec<Sample> = (0..30)
        .zip(&samples)
        .flat_map(|(n, s)| record::moment::samples_of(s, [1, 2], 613_326_537_662 + n))
        .collect();
    samples.extend(starts);
    let by_point = BTreeMap::from([(0, samples)]);
    let table = summarise(&experiment, &[point(0, &experiment.id)], &by_point);
    let summarised: Vec<u16> = table.points[0].summaries.iter().map(|s| s.metric).collect();
    assert_eq!(summarised, [0]);
}
