//! What the tests of engines and experiments share: a point, a context with a
//! scratch folder of its own, tables with known medians, and one turn of an
//! experiment without the instrument. For tests only.
#![forbid(unsafe_code)]

pub mod caches;
pub mod turn;

use analysis::{ExperimentTable, Interval, PointView, Summary};
use catalogue::setting;
use harness::{Context, Point, affinity};
use record::{AxisValue, ExperimentHead, MetricHead, PointHead, PointState, Setting};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Removes the scratch folder when the test ends.
pub struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The CPUs this thread may run on.
pub fn cpus() -> Vec<u32> {
    affinity::allowed_cpus().expect("the kernel says which CPUs a thread may use")
}

/// Pins the calling thread, as the harness does before a set-up.
pub fn pin_here(cpu: u32) {
    affinity::pin(&[cpu]).expect("the CPU is among the allowed");
}

/// Whether a process with this id exists, as a zombie or alive.
pub fn exists(pid: i32) -> bool {
    Path::new("/proc").join(pid.to_string()).exists()
}

/// A context with a scratch folder that goes with it.
pub fn context() -> (Context, Scratch) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let scratch =
        std::env::temp_dir().join(format!("pontage-test-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("the temporary folder is writable");
    let cpus = cpus();
    let context = Context {
        card: record::MachineCard::default(),
        test_cpu: cpus[0],
        partner_cpu: cpus.get(1).copied(),
        cpus,
        memory_available_bytes: 1 << 30,
        scratch: scratch.clone(),
        traces: None,
        measured: harness::Measured::default(),
    };
    (context, Scratch(scratch))
}

/// A setting of a word.
pub fn word(axis: &str, value: &str) -> Setting {
    setting(axis, value)
}

/// A setting of a number.
pub fn int(axis: &str, value: i64) -> Setting {
    setting(axis, value)
}

fn settings(values: &[(&str, AxisValue)]) -> Vec<Setting> {
    let values = values.iter();
    values
        .map(|(axis, value)| setting(axis, value.clone()))
        .collect()
}

/// A point of an experiment with these settings.
pub fn point(experiment: &str, settings: &[Setting]) -> Point {
    Point {
        index: 0,
        experiment: experiment.to_owned(),
        settings: settings.to_vec(),
    }
}

/// A measured point whose metrics have these medians, with intervals of 1 %.
pub fn measured(experiment: &str, settings: &[Setting], medians: &[f64]) -> PointView {
    PointView {
        cycles: None,
        head: PointHead {
            index: 0,
            experiment: experiment.to_owned(),
            settings: settings.to_vec(),
            bytes_per_op: None,
            state: PointState::Done,
            notes: Vec::new(),
            traces: Vec::new(),
            interrupts: None,
        }
        .into(),
        summaries: (0..).zip(medians).map(|(n, m)| summary(n, *m)).collect(),
        contamination: None,
        link_ns: None,
        burst_ns: None,
        in_order: Vec::new(),
        histogram: None,
    }
}

fn summary(metric: u16, median: f64) -> Summary {
    Summary {
        at_best: None,
        metric,
        samples: 31,
        processes: 1,
        effective: 31.0,
        median: Interval::resampled(median, median * 0.995, median * 1.005),
        min: median * 0.999,
        max: median * 1.1,
        mean: median,
        variance: 0.0,
        p25: median * 0.9995,
        p75: median * 1.003,
        p90: Some(median * 1.01),
        p99: Some(median * 1.02),
        modes: Vec::new(),
        modes_between_processes: false,
    }
}

/// A table of these points, whose head has this id alone.
pub fn table(id: &str, points: Vec<PointView>) -> ExperimentTable {
    table_of(id, Vec::new(), points)
}

/// A table of these points, whose head has this id and these metrics.
pub fn table_of(id: &str, metrics: Vec<MetricHead>, points: Vec<PointView>) -> ExperimentTable {
    ExperimentTable {
        head: ExperimentHead {
            id: id.to_owned(),
            metrics,
            ..ExperimentHead::default()
        },
        points,
    }
}
