//! Surroundings and tables for the tests of set-ups and findings, the same on
//! any machine.

use analysis::PointView;
use harness::Context;
use record::{AxisValue, Cache, CacheKind, MachineCard};

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
        traces: None,
        measured: harness::Measured::default(),
    }
}

/// A card with data caches of these sizes and ways, first level first.
pub fn card(caches: &[(u64, u32)]) -> MachineCard {
    let cache = |(level, (size_bytes, ways)): (u32, &(u64, u32))| Cache {
        kind: match level {
            1 => CacheKind::Data,
            _ => CacheKind::Unified,
        },
        ways: Some(*ways),
        ..crate::turn::cache(level, *size_bytes)
    };
    MachineCard {
        caches: (1..).zip(caches).map(cache).collect(),
        page_bytes: 4096,
        ..MachineCard::default()
    }
}

/// A measured point whose metrics have these medians, with intervals of 1 %.
pub fn measured(experiment: &str, settings: &[(&str, AxisValue)], medians: &[f64]) -> PointView {
    crate::measured(experiment, &crate::settings(settings), medians)
}
