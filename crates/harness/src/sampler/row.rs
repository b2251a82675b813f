//! A batch as a row of the record.

use super::cell::Raw;
use super::surroundings::Surroundings;
use record::Sample;

/// Makes samples of batches.
pub struct Taker<'a> {
    pub process: u16,
    pub surroundings: &'a Surroundings,
}

impl Taker<'_> {
    /// The time of a batch.
    pub fn sample(&self, metric: u16, raw: &Raw) -> Sample {
        Sample {
            metric,
            process: self.process,
            index: raw.index,
            ops: raw.ops,
            elapsed_ns: raw.elapsed_ns,
            floor_ns: raw.floor_ns,
            value: raw.value(),
            cpu: raw.seen.cpu,
            disturbance: self.surroundings.disturbance(raw),
            yardstick: self.surroundings.yardstick(raw),
        }
    }

    /// A value that is not a time.
    pub fn counted(&self, metric: u16, raw: &Raw, value: f64) -> Sample {
        Sample {
            elapsed_ns: 0.0,
            floor_ns: 0.0,
            value,
            ..self.sample(metric, raw)
        }
    }
}
