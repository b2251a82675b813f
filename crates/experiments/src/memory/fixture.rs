//! Surroundings and tables for the tests of set-ups and findings, the same on
//! any machine.

use analysis::{ExperimentTable, PointView, Summary};
use harness::Context;
use record::{AxisValue, Cache, CacheKind, MachineCard, PointHead, PointState, Setting};

/// A context that knows nothing of the machine's caches.
pub fn context() -> Context {
    Context {
        card: MachineCard::default(),
        test_cpu: 0,
        partner_cpu: None,
        cpus: vec![0],
        memory_available_bytes: 256 << 20,
        // None of the tests that use this writes files.
        scratch: std::path::PathBuf::from("/nonexistent"),
    }
}

/// A card with data caches of these sizes and ways, first level first.
pub fn card(caches: &[(u64, u32)]) -> MachineCard {
    let cache = |(level, (size_bytes, ways)): (u32, &(u64, u32))| Cache {
        level,
        kind: if level == 1 {
            CacheKind::Data
        } else {
            CacheKind::Unified
        },
        size_bytes: *size_bytes,
        line_bytes: Some(64),
        ways: Some(*ways),
        shared_by: vec![0],
        instances: 1,
    };
    MachineCard {
        caches: (1..).zip(caches).map(cache).collect(),
        page_bytes: 4096,
        ..MachineCard::default()
    }
}

/// A measured point whose metrics have these medians, with intervals of 1 %.
pub fn measured(experiment: &str, settings: &[(&str, AxisValue)], medians: &[f64]) -> PointView {
    PointView {
        head: PointHead {
            index: 0,
            experiment: experiment.to_owned(),
            settings: settings
                .iter()
                .map(|(axis, value)| Setting {
                    axis: (*axis).to_owned(),
                    value: value.clone(),
                })
                .collect(),
            bytes_per_op: None,
            state: PointState::Done,
            notes: Vec::new(),
        },
        summaries: (0u16..)
            .zip(medians)
            .map(|(metric, median)| summary(metric, *median))
            .collect(),
        contamination: None,
    }
}

fn summary(metric: u16, median: f64) -> Summary {
    Summary {
        metric,
        samples: 50,
        processes: 1,
        median,
        low: median * 0.995,
        high: median * 1.005,
        level: 0.95,
        method: "order-statistic".to_owned(),
        min: median * 0.999,
        max: median * 1.2,
        mean: median,
        variance: 0.0,
        p25: median * 0.9995,
        p75: median * 1.01,
        p90: median * 1.02,
        p99: median * 1.1,
        modes: Vec::new(),
    }
}

/// A table of the experiment listed under `id`.
pub fn table(id: &str, points: Vec<PointView>) -> ExperimentTable {
    let listed = crate::table::find(id).expect("the experiment is listed");
    ExperimentTable {
        head: listed.head(),
        points,
    }
}
