//! What the smoke tests of experiments share: a point, a context with a
//! scratch folder of its own, and tables with known medians.

use analysis::{ExperimentTable, PointView, Summary};
use harness::{Context, Point};
use record::{AxisValue, PointHead, PointState, Setting};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// Removes the scratch folder when the test ends.
pub struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The CPUs this process may run on.
pub fn cpus() -> Vec<u32> {
    // SAFETY: an all-zero set is valid, and the call fills at most its size.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set);
        (0..libc::CPU_SETSIZE as u32)
            .filter(|cpu| libc::CPU_ISSET(*cpu as usize, &set))
            .collect()
    }
}

/// Pins the calling thread, as the harness does before a set-up.
pub fn pin_here(cpu: u32) {
    // SAFETY: an all-zero set is valid; the call reads the set it is given.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu as usize, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}

/// Whether a process with this id exists, as a zombie or alive.
pub fn exists(pid: libc::pid_t) -> bool {
    // SAFETY: signal 0 only asks.
    unsafe { libc::kill(pid, 0) == 0 }
}

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
    };
    (context, Scratch(scratch))
}

pub fn word(axis: &str, value: &str) -> Setting {
    Setting {
        axis: axis.to_owned(),
        value: AxisValue::from(value),
    }
}

pub fn int(axis: &str, value: i64) -> Setting {
    Setting {
        axis: axis.to_owned(),
        value: AxisValue::Int(value),
    }
}

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
        head: PointHead {
            index: 0,
            experiment: experiment.to_owned(),
            settings: settings.to_vec(),
            bytes_per_op: None,
            state: PointState::Done,
            notes: Vec::new(),
            traces: Vec::new(),
            interrupts: None,
        },
        summaries: (0u16..)
            .zip(medians)
            .map(|(metric, m)| summary(metric, *m))
            .collect(),
        contamination: None,
        in_order: Vec::new(),
    }
}

fn summary(metric: u16, median: f64) -> Summary {
    Summary {
        metric,
        samples: 31,
        processes: 1,
        median,
        low: median * 0.995,
        high: median * 1.005,
        level: 0.95,
        method: "order-statistic".to_owned(),
        min: median * 0.999,
        max: median * 1.1,
        mean: median,
        variance: 0.0,
        p25: median * 0.9995,
        p75: median * 1.003,
        p90: median * 1.01,
        p99: median * 1.02,
        modes: Vec::new(),
        modes_between_processes: false,
    }
}

/// A table of the experiment listed under `id`.
pub fn table(id: &str, points: Vec<PointView>) -> ExperimentTable {
    let listed = crate::table::find(id).expect("the experiment is listed");
    ExperimentTable {
        head: listed.head(&record::MachineCard::default()),
        points,
    }
}
