//! A small run to write and read: written, not measured.

#![allow(dead_code)] // each test file uses its part

use record::{
    AxisHead, AxisValue, Conditions, Disturbance, ExperimentHead, Instrument, MachineCard,
    MetricHead, PointHead, PointState, RecipeHead, RunHead, RunState, SCHEMA_VERSION, Sample,
    Setting, Unit,
};

pub fn axis(name: &str, unit: Unit) -> AxisHead {
    AxisHead {
        name: name.into(),
        unit,
        doc: format!("the {name}"),
    }
}

pub fn metric(name: &str, unit: Unit) -> MetricHead {
    MetricHead {
        name: name.into(),
        unit,
        doc: format!("the {name}"),
        lower_is_better: true,
        explains: false,
    }
}

pub fn experiment(id: &str, axes: Vec<AxisHead>, metrics: Vec<MetricHead>) -> ExperimentHead {
    ExperimentHead {
        in_cycles: false,
        id: id.into(),
        title: format!("Title of {id}"),
        question: "What does it cost?".into(),
        counts: "one operation".into(),
        does_not_count: "the loop around it".into(),
        origin: "written for the tests of the record".into(),
        theory: "None.".into(),
        axes,
        metrics,
        figures: Vec::new(),
        toll: Vec::new(),
        kinds: Vec::new(),
    }
}

pub fn setting(axis: &str, value: impl Into<AxisValue>) -> Setting {
    Setting {
        axis: axis.into(),
        value: value.into(),
    }
}

pub fn point(index: u32, experiment: &str, settings: Vec<Setting>) -> PointHead {
    PointHead {
        index,
        experiment: experiment.into(),
        settings,
        bytes_per_op: None,
        state: PointState::Pending,
        notes: Vec::new(),
        traces: Vec::new(),
        interrupts: None,
    }
}

/// Three experiments: without axes, with axes of both types and a second
/// metric, and one that was skipped whole.
pub fn small_head(id: &str) -> RunHead {
    let copy = experiment(
        "copy/memcpy",
        vec![axis("size", Unit::Bytes), axis("cache", Unit::Word)],
        vec![
            metric("time", Unit::Nanoseconds),
            metric("empty_call", Unit::Nanoseconds),
        ],
    );
    let mut points = vec![point(0, "syscall/getppid", Vec::new())];
    for size in [64_i64, 4096, 1 << 20] {
        for cache in ["hot", "cold"] {
            let index = u32::try_from(points.len()).expect("few points");
            let settings = vec![setting("size", size), setting("cache", cache)];
            let mut p = point(index, "copy/memcpy", settings);
            p.bytes_per_op = Some(size.cast_unsigned());
            points.push(p);
        }
    }
    points.push(point(7, "copy/module", vec![setting("size", 4096)]));
    let time = || vec![metric("time", Unit::Nanoseconds)];
    RunHead {
        schema_version: SCHEMA_VERSION,
        id: id.into(),
        started_utc: "2023-11-14T22:13:20Z".into(),
        ended_utc: None,
        tool_version: "0.1.0".into(),
        command_line: vec!["pontage".into(), "run".into(), "--quick".into()],
        recipe: RecipeHead {
            name: "small".into(),
            preset: "custom".into(),
            processes: 2,
            budget_ns: 1_000_000_000,
            text: String::new(),
        },
        state: RunState::Running,
        labels: record::Labels::default(),
        machine: MachineCard {
            host: "written-not-measured".into(),
            cpu_model: "Fixture CPU \"1\"".into(),
            arch: "x86_64".into(),
            cpus: 2,
            page_bytes: 4096,
            kernel: "6.1.0".into(),
            ..MachineCard::default()
        },
        machine_full: serde_json::json!({ "note": "written for the tests, not measured" }),
        conditions: Conditions {
            load: "light".into(),
            ..Conditions::default()
        },
        instrument: Instrument {
            clock: "clock_gettime".into(),
            clock_hz: 1e9,
            resolution_ns: 1.0,
            read_cost_ns: 21.5,
            empty_loop_ns: 0.25,
            drift_ppm: 0.125,
            invariant: true,
            notes: Vec::new(),
            yardstick: None,
            self_test: None,
        },
        experiments: vec![
            experiment("syscall/getppid", Vec::new(), time()),
            copy,
            experiment("copy/module", vec![axis("size", Unit::Bytes)], time()),
        ],
        points: points.into_iter().map(Into::into).collect(),
        findings: Vec::new(),
        claims: Vec::new(),
    }
}

/// Samples of a point: made from its index, so that every reader can check
/// whether it got the right ones.
pub fn samples_of(point: &PointHead, metrics: u16, per_process: u32) -> Vec<Sample> {
    let mut samples = Vec::new();
    for process in 0..2_u16 {
        for index in 0..per_process {
            for metric in 0..metrics {
                samples.push(sample(point.index, metric, process, index));
            }
        }
    }
    samples
}

fn sample(point: u32, metric: u16, process: u16, index: u32) -> Sample {
    let ops = 1000 + u64::from(point);
    let step = f64::from((index * 7 + u32::from(process) * 3) % 11);
    let value = f64::from(point + 1) * 12.5 / f64::from(metric + 1) + step * 0.125;
    let floor_ns = 21.5;
    Sample {
        metric,
        process,
        index,
        ops,
        elapsed_ns: value * ops as f64 + floor_ns,
        floor_ns,
        value,
        cpu: 1,
        disturbance: Disturbance {
            involuntary_switches: u32::from(index == 3),
            steal_ns: (process == 0).then_some(0),
            interrupts: index.is_multiple_of(2).then_some(index),
            bracket_batches: u32::from(process == 0 || index.is_multiple_of(2)),
            ..Disturbance::default()
        },
        yardstick: None,
    }
}

/// Measure (that is: make up) the points in `indexes`.
pub fn outcome(head: &RunHead, index: u32, per_process: u32) -> (PointHead, Vec<Sample>) {
    let mut point = head.points[index as usize].clone().into_own();
    if point.experiment == "copy/module" {
        point.state = PointState::Skipped {
            reason: "the kernel module is not loaded".into(),
            remedy: "make -C kernel load".into(),
        };
        return (point, Vec::new());
    }
    point.state = PointState::Done;
    let metrics = if point.experiment == "copy/memcpy" {
        2
    } else {
        1
    };
    let samples = samples_of(&point, metrics, per_process);
    (point, samples)
}
