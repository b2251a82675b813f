//! One turn of an experiment without the instrument, for smoke tests: counts
//! and contents, never time.

use crate::experiment::Experiment;
use harness::{Context, Point, SetupError};
use record::{AxisValue, Cache, CacheKind, MachineCard, Setting};

/// A made-up machine: 48 KiB, 2 MiB and 32 MiB of cache.
pub fn card(arch: &str, cpus: u32) -> MachineCard {
    let cache = |level, size_bytes| Cache {
        level,
        kind: CacheKind::Unified,
        size_bytes,
        line_bytes: Some(64),
        ways: None,
        shared_by: vec![0],
        instances: 1,
    };
    MachineCard {
        arch: arch.to_owned(),
        cpus,
        cores: cpus,
        page_bytes: 4096,
        caches: vec![cache(1, 48 << 10), cache(2, 2 << 20), cache(3, 32 << 20)],
        ..MachineCard::default()
    }
}

/// The CPUs this process may use, and a gigabyte to spend.
pub fn context() -> Context {
    // SAFETY: fills a set on our stack.
    let cpus: Vec<u32> = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        let size = size_of::<libc::cpu_set_t>();
        assert_eq!(libc::sched_getaffinity(0, size, &raw mut set), 0);
        (0..libc::CPU_SETSIZE.unsigned_abs())
            .filter(|c| libc::CPU_ISSET(*c as usize, &set))
            .collect()
    };
    Context {
        card: card(std::env::consts::ARCH, cpus.len() as u32),
        test_cpu: cpus[0],
        partner_cpu: cpus.get(1).copied(),
        cpus,
        memory_available_bytes: 1 << 30,
        scratch: std::env::temp_dir(),
    }
}

pub fn point(experiment: &Experiment, settings: &[(&str, AxisValue)]) -> Point {
    Point {
        index: 0,
        experiment: experiment.id.to_owned(),
        settings: settings
            .iter()
            .map(|(axis, value)| Setting {
                axis: (*axis).to_owned(),
                value: value.clone(),
            })
            .collect(),
    }
}

/// Sets the point up, runs every part a few times, verifies before and after.
pub fn run(experiment: &Experiment, settings: &[(&str, AxisValue)]) -> Result<(), SetupError> {
    let point = point(experiment, settings);
    let mut subject = (experiment.setup)(&point, &context())?;
    let most = match (experiment.shape)(&point) {
        harness::Shape::Batched => 3,
        harness::Shape::Single { .. } => 1,
    };
    subject.verify().map_err(SetupError::Fail)?;
    for ops in [1, most] {
        for part in 0..experiment.parts.len() {
            let part = part as u16;
            subject.prepare(part);
            subject.batch(part, ops * subject.quantum());
        }
    }
    subject.verify().map_err(SetupError::Fail)
}
