//! One timed batch and what disturbed it.

use serde::{Deserialize, Serialize};

/// One timed batch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// Index into the experiment's metrics; 0 is nanoseconds per operation.
    pub metric: u16,
    /// Which process of the repetition took it, from 0.
    pub process: u16,
    /// Order within the process, from 0, in the order of measuring.
    pub index: u32,
    /// Operations in the batch.
    pub ops: u64,
    /// Time of the whole batch as read, ns. 0 for metrics that are not times.
    pub elapsed_ns: f64,
    /// Constant of the instrument taken off `elapsed_ns`, ns (clock reads).
    pub floor_ns: f64,
    /// The metric's value, in the metric's unit: for metric 0
    /// `(elapsed_ns - floor_ns) / ops`.
    pub value: f64,
    pub cpu: u16,
    pub disturbance: Disturbance,
}

/// Events inside the timed part of a sample. `None`: not readable here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Disturbance {
    pub voluntary_switches: u32,
    pub involuntary_switches: u32,
    pub minor_faults: u32,
    pub major_faults: u32,
    pub migrations: u32,
    /// Time the hypervisor ran something else, all of it in clock ticks.
    pub steal_ns: Option<u64>,
    /// Interrupts on the CPU of the sample.
    pub interrupts: Option<u32>,
}
