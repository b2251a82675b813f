//! A made-up run: plausible shapes, no measurement. Its host is called
//! `synthetic` and its recipe says so; nothing in it may be quoted.
//!
//! The numbers come from small models (a cache hierarchy, a constant plus a
//! rate) with a fixed pseudo-random wobble, so every build of it is the same.

mod copying;
mod head;
mod machine;
mod memory;
pub mod pairs;
mod sweep;
mod system;

use analysis::view::ContaminationLevel;
use analysis::{Contamination, ExperimentTable, Interval, Mode, PointView, RunView, Summary};
use record::{AxisValue, ExperimentHead, PointHead, PointState, Setting};
use stats::interval::Method;

/// The whole run, complete.
pub fn run() -> RunView {
    let mut tables = system::tables();
    tables.extend(memory::tables());
    tables.extend(copying::tables());
    tables.push(pairs::table(8));
    let stream = sweep::table_of();
    let mut head = head::head();
    head.machine = machine::card();
    let explained = sweep::findings(&stream, &head.machine);
    head.findings.extend(explained);
    tables.push(stream);
    let mut index = 0;
    for table in &mut tables {
        for point in &mut table.points {
            point.head.index = index;
            index += 1;
        }
    }
    head.points = tables
        .iter()
        .flat_map(|t| t.points.iter().map(|p| p.head.clone()))
        .collect();
    head.experiments = tables.iter().map(|t| t.head.clone()).collect();
    RunView {
        head,
        tables,
        speeds: Vec::new(),
    }
}

/// The same run, ended by Ctrl-C two thirds through, under load, on a stolen
/// and emulated CPU: everything a report must say loudly.
#[allow(dead_code)]
pub fn incomplete() -> RunView {
    let mut view = run();
    view.head.state = record::RunState::Incomplete {
        reason: "stopped by SIGINT".to_owned(),
    };
    view.head.ended_utc = None;
    view.head.conditions.load = "heavy".to_owned();
    view.head.conditions.load_detail = vec!["stress-ng 0.15.06 --cpu 1 --vm 1".to_owned()];
    view.head.conditions.steal_share = Some(0.031);
    view.head.conditions.busy_before = Some(0.48);
    view.head.machine.hypervisor = Some("QEMU TCG".to_owned());
    let cut = view.head.points.len() * 2 / 3;
    for table in &mut view.tables {
        for point in &mut table.points {
            if point.head.index as usize >= cut {
                point.head.state = PointState::Pending;
                point.summaries.clear();
                point.contamination = None;
            }
        }
    }
    view.head.points = view
        .tables
        .iter()
        .flat_map(|t| t.points.iter().map(|p| p.head.clone()))
        .collect();
    view
}

/// Fixed pseudo-random numbers in [0, 1): a multiplicative hash of the count.
#[derive(Debug, Clone)]
pub struct Wobble(u64);

impl Wobble {
    pub fn new(seed: u64) -> Self {
        Wobble(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A factor around 1, at most `share` away.
    pub fn around(&mut self, share: f64) -> f64 {
        1.0 + (self.next() * 2.0 - 1.0) * share
    }
}

pub fn int(axis: &str, value: i64) -> Setting {
    Setting {
        axis: axis.to_owned(),
        value: AxisValue::Int(value),
    }
}

pub fn word(axis: &str, value: &str) -> Setting {
    Setting {
        axis: axis.to_owned(),
        value: AxisValue::from(value),
    }
}

/// A summary as 120 samples around `median` would give, `width` wide.
pub fn summary(metric: u16, median: f64, width: f64, samples: u32) -> Summary {
    Summary {
        at_best: None,
        metric,
        samples,
        processes: 1,
        effective: f64::from(samples),
        median: Interval {
            center: median,
            low: median * (1.0 - width * 0.9),
            high: median * (1.0 + width * 1.1),
            level: 0.954,
            method: Method::OrderStatistic,
            degrees: None,
        },
        min: median * (1.0 - 3.0 * width),
        max: median * (1.0 + 30.0 * width),
        mean: median * (1.0 + width),
        variance: (median * width * 4.0).powi(2),
        p25: median * (1.0 - 1.5 * width),
        p75: median * (1.0 + 2.0 * width),
        p90: Some(median * (1.0 + 4.0 * width)),
        p99: Some(median * (1.0 + 12.0 * width)),
        modes: vec![Mode {
            center: median,
            share: 1.0,
        }],
        modes_between_processes: false,
    }
}

/// A measured, clean point.
pub fn done(
    experiment: &str,
    settings: Vec<Setting>,
    bytes_per_op: Option<u64>,
    summaries: Vec<Summary>,
) -> PointView {
    let samples = summaries.first().map_or(0, |s| s.samples);
    PointView {
        cycles: None,
        link_ns: None,
        burst_ns: None,
        head: PointHead {
            index: 0,
            experiment: experiment.to_owned(),
            settings,
            bytes_per_op,
            state: PointState::Done,
            notes: Vec::new(),
            traces: Vec::new(),
            interrupts: None,
        }
        .into(),
        summaries,
        contamination: Some(Contamination {
            unknown: 0,
            level: ContaminationLevel::Clean,
            disturbed: 0,
            samples,
            reason: String::new(),
        }),
        in_order: Vec::new(),
        histogram: None,
    }
}

pub fn skipped(experiment: &str, settings: Vec<Setting>, reason: &str, remedy: &str) -> PointView {
    let mut point = done(experiment, settings, None, Vec::new());
    point.head.state = PointState::Skipped {
        reason: reason.to_owned(),
        remedy: remedy.to_owned(),
    };
    point.contamination = None;
    point
}

pub fn flag(point: &mut PointView, level: ContaminationLevel, disturbed: u32, reason: &str) {
    if let Some(c) = &mut point.contamination {
        c.level = level;
        c.disturbed = disturbed;
        c.reason = reason.to_owned();
    }
}

pub fn table(head: ExperimentHead, points: Vec<PointView>) -> ExperimentTable {
    ExperimentTable { head, points }
}
