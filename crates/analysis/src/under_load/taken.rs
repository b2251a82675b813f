//! The samples of a run as far as tails need them.

use crate::view::RunView;
use record::{RecordError, Run, Sample};
use std::collections::BTreeMap;

/// The first metric's samples, by experiment and point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Taken(BTreeMap<String, BTreeMap<u32, Vec<Timed>>>);

/// One sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Timed {
    pub value: f64,
    pub ops: u64,
    /// The hypervisor took the CPU away inside it.
    pub stolen: bool,
}

impl Taken {
    /// Reads the samples of a run.
    ///
    /// # Errors
    /// A table that is missing, changed or damaged.
    pub fn read(run: &Run, view: &RunView) -> Result<Taken, RecordError> {
        let mut taken = Taken::default();
        for table in &view.tables {
            for (point, samples) in run.samples(&table.head.id)? {
                taken.add(&table.head.id, point, &samples);
            }
        }
        Ok(taken)
    }

    /// Adds samples of a point; those of other metrics than the first are
    /// passed over.
    pub fn add(&mut self, experiment: &str, point: u32, samples: &[Sample]) {
        let primary = samples.iter().filter(|s| s.metric == 0);
        let timed = primary.map(|s| Timed {
            value: s.value,
            ops: s.ops,
            stolen: s.disturbance.steal_ns.is_some_and(|ns| ns > 0),
        });
        let points = self.0.entry(experiment.to_owned()).or_default();
        points.entry(point).or_default().extend(timed);
    }

    pub(crate) fn of(&self, experiment: &str, point: u32) -> &[Timed] {
        let found = self.0.get(experiment).and_then(|e| e.get(&point));
        found.map_or(&[], Vec::as_slice)
    }
}
