//! One turn of an experiment without the instrument, for smoke tests: counts
//! and contents, never time.

use catalogue::Experiment;

use harness::{Point, SetupError};
use record::{AxisValue, Cache, CacheKind, MachineCard};

/// A cache of the first CPU for instructions and data, of unknown ways.
pub fn cache(level: u32, size_bytes: u64) -> Cache {
    Cache {
        level,
        kind: CacheKind::Unified,
        size_bytes,
        line_bytes: Some(64),
        ways: None,
        shared_by: vec![0],
        instances: 1,
    }
}

/// A made-up machine: 48 KiB, 2 MiB and 32 MiB of cache.
pub fn card(arch: &str, cpus: u32) -> MachineCard {
    MachineCard {
        arch: arch.to_owned(),
        cpus,
        cores: cpus,
        page_bytes: 4096,
        caches: vec![cache(1, 48 << 10), cache(2, 2 << 20), cache(3, 32 << 20)],
        ..MachineCard::default()
    }
}

/// A point with these settings.
pub fn point(settings: &[(&str, AxisValue)]) -> Point {
    crate::point("turn", &crate::settings(settings))
}

/// Sets the point up, runs every part a few times, verifies before and after.
pub fn run(experiment: &Experiment, settings: &[(&str, AxisValue)]) -> Result<(), SetupError> {
    let point = point(settings);
    let (mut context, _scratch) = crate::context();
    // Sizes the eviction buffer.
    context.card = card(std::env::consts::ARCH, 1);
    let mut subject = (experiment.setup)(&point, &context)?;
    let most = match (experiment.shape)(&point) {
        harness::Shape::Batched => 3,
        harness::Shape::Single { .. } | harness::Shape::Recorded { .. } => 1,
    };
    subject.verify()?;
    for ops in [1, most] {
        for part in 0..experiment.parts.len() {
            let part = part as u16;
            subject.prepare(part);
            subject.batch(part, ops * subject.quantum());
        }
    }
    Ok(subject.verify()?)
}
