//! What is made of stages that are known, and of a recording of this machine.

use super::findings::{CLAIMS, findings};
use super::recording::{Passed, Recording};
use super::{EXPERIMENT, LATENESS, STAGES, TALLIES};
use crate::testing::table;
use analysis::PointView;
use harness::SetupError;
use record::Setting;
use std::path::Path;
use testbed::{context, int, measured, pin_here, point, word};

const ID: &str = "irq/timer";

const N: f64 = f64::NAN;

fn settings(state: &str, timeout_ms: i64, stage: &str) -> [Setting; 4] {
    [
        int("timeout", timeout_ms * 1_000_000),
        word("state", state),
        int("length", 1),
        word("stage", stage),
    ]
}

fn at(state: &str, stage: &str, medians: &[f64]) -> PointView {
    measured(ID, &settings(state, 4, stage), medians)
}

/// Of timers of 400 ms at 250 Hz: level 1 of the wheel.
fn late(state: &str, behind: f64, elsewhere: f64) -> PointView {
    let medians = [9e3, N, N, 400e6, 20e6, 32e6, behind, 22e6, elsewhere];
    let settings = settings(state, 400, LATENESS);
    let mut view = measured(ID, &settings, &medians);
    view.summaries.retain(|s| s.median.center.is_finite());
    view
}

fn sentences(points: Vec<PointView>) -> Vec<(String, String)> {
    let all = findings(&table(ID, points));
    all.into_iter().map(|f| (f.key, f.sentence)).collect()
}

#[test]
fn the_way_is_the_sum_of_its_stages() {
    let mut expiry = at("busy", "expiry", &[700.0]);
    expiry.head.notes = vec!["functions of timers: process_timeout 12 times".to_owned()];
    let all = sentences(vec![
        at("busy", "entry_to_raise", &[2_000.0]),
        at("busy", "raise_to_entry", &[3_000.0, 0.25]),
        at("busy", "entry_to_expiry", &[1_500.0]),
        at("busy", "softirq", &[4_000.0, N, 0.5]),
        expiry,
    ]);
    let keys: Vec<&str> = all.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(
        keys,
        ["interrupt_to_function_busy", "softirqs_busy", "functions"]
    );
    assert!(
        all[0].1.starts_with("On a busy CPU 6.50 µs pass"),
        "{}",
        all[0].1
    );
    assert!(all[0].1.contains("3.00 µs until it begins"), "{}", all[0].1);
    assert!(
        all[1].1.contains("25 %") && all[1].1.contains("50 %"),
        "{}",
        all[1].1
    );
    assert!(
        all[2].1.ends_with("process_timeout 12 times"),
        "{}",
        all[2].1
    );
}

#[test]
fn a_way_with_a_stage_missing_is_left_out() {
    let points = vec![
        at("busy", "entry_to_raise", &[2_000.0]),
        at("busy", "raise_to_entry", &[]),
        at("busy", "entry_to_expiry", &[1_500.0]),
    ];
    assert_eq!(sentences(points), []);
}

#[test]
fn lateness_and_what_the_wheel_rounds_are_apart() {
    let all = sentences(vec![late("busy", 0.0, 0.0), late("idle", 0.0, 0.5)]);
    let of = |key: &str| {
        let found = all.iter().find(|(known, _)| known == key);
        found
            .unwrap_or_else(|| panic!("{key} of {all:?}"))
            .1
            .clone()
    };
    let busy = of("lateness_busy_400_ms");
    assert!(
        busy.contains("a timer of 400 ms runs 9.00 µs behind its bucket"),
        "{busy}"
    );
    assert!(busy.ends_with("22 ms later than asked for"), "{busy}");
    let rounded = of("rounded_400_ms");
    assert!(rounded.contains("buckets 32 ms wide"), "{rounded}");
    assert!(of("elsewhere_idle").contains("of 31 timers started on an idle CPU"));
    assert!(all.iter().all(|(key, _)| key != "elsewhere_busy"));
}

#[test]
fn a_timer_before_its_bucket_breaks_the_claim() {
    let held = |behind| {
        let table = table(ID, vec![late("busy", behind, 0.0)]);
        (CLAIMS[0].check)(&table).map(|o| o.held().expect(&o.evidence))
    };
    assert_eq!((held(0.0), held(-1.0)), (Some(true), Some(false)));
}

#[test]
fn all_stages_of_a_block_are_of_one_real_recording() {
    let (context, _keep) = context();
    pin_here(context.test_cpu);
    let of = |stage: &str| {
        let mut settings = settings("busy", 4, stage);
        settings[2] = int("length", 150_000_000);
        (EXPERIMENT.setup)(&point(ID, &settings), &context)
    };
    let mut subjects = Vec::new();
    for stage in STAGES {
        match of(stage) {
            Ok(subject) => subjects.push((*stage, subject)),
            // No tracing here.
            Err(SetupError::Skip { .. }) => return,
            Err(SetupError::Fail(cause)) => panic!("{cause}"),
        }
    }
    let events: Vec<String> = subjects.iter().map(|(_, s)| s.notes()[0].clone()).collect();
    assert!(events.windows(2).all(|w| w[0] == w[1]), "{events:?}");
    for (stage, subject) in &mut subjects {
        let count = subject.recorded().unwrap();
        assert!(count > 0, "{stage}: {:?}", subject.notes());
        subject.sampling_begins();
        for _ in 0..count {
            subject.batch(0, 1);
            // Clocks read on different ways differ by less than 1 us.
            assert!(subject.reading(0).unwrap().elapsed_ns >= -1e3);
            let tallies = subject.tally(0);
            assert_eq!(tallies.len(), TALLIES.len());
            let of_lateness = tallies[5].is_finite();
            assert_eq!(of_lateness, *stage == LATENESS);
            assert!(!of_lateness || tallies[5] >= 0.0, "before its bucket");
        }
    }
}

/// Captures of real kernels: where the timer is a vector of its own, and where
/// it is a device's interrupt.
#[test]
fn recordings_of_other_kernels_and_of_arm_have_every_stage() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/traces");
    let anybody: Vec<i32> = (0..5_000).collect();
    for (name, hardirqs) in [
        ("arm64-6.1", 66),
        ("x86-6.12", 69),
        ("x86-6.18-sched-timer", 208),
    ] {
        let capture = trace::file::open(&folder.join(format!("{name}.dat"))).unwrap();
        let cpus: Vec<u32> = capture.cpus.iter().map(|c| c.cpu).collect();
        let of = |cpu| Recording::of(&capture, &anybody, cpu, Some(250));
        let all: Vec<Recording> = cpus.iter().map(|cpu| of(*cpu)).collect();
        let count = |stage: &str| all.iter().map(|r| r.of_stage(stage).len()).sum::<usize>();
        assert_eq!(count("hardirq"), hardirqs, "{name}");
        for stage in STAGES {
            assert!(count(stage) > 0, "{name}: {stage}");
        }
        // Jiffies and the placed ticks tell the same, but where a CPU was kept from
        // counting a tick at its time.
        let late = all[0].of_stage(LATENESS);
        let ticks = |p: &Passed| (p.ns + 1e3).div_euclid(4e6);
        let same = late.iter().filter(|p| ticks(p) == p.tallies[5]).count();
        assert!(same * 4 >= late.len() * 3, "{name}: {late:?}");
        assert!(late.iter().all(|p| ticks(p) >= p.tallies[5]), "{late:?}");
        assert!(late.iter().all(|p| p.tallies[5] >= 0.0), "{late:?}");
        let functions = all[0].notes("expiry").pop().unwrap();
        assert!(functions.contains("process_timeout ("), "{functions}");
    }
}
