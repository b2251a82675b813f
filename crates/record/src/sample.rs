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
    /// How fast the CPU was meanwhile; None: it was not looked at.
    pub yardstick: Option<Yardstick>,
}

/// Samples of an experiment by point index, in the order they were taken.
pub type SamplesByPoint = std::collections::BTreeMap<u32, Vec<Sample>>;

/// The speed of a CPU around a sample, from known work in registers before and after it:
/// what it took the faster of the two times.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Yardstick {
    /// Of one addition that waits for the one before it, ns: a cycle of the core.
    pub link_ns: f64,
    /// Of one of many additions that wait for none, ns: longer than usual where another
    /// thread has a share of the core.
    pub burst_ns: f64,
}

/// Events inside the timed part of a sample. `None`: not readable here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Disturbance {
    pub voluntary_switches: u32,
    pub involuntary_switches: u32,
    pub minor_faults: u32,
    pub major_faults: u32,
    pub migrations: u32,
    /// Time that the thread was not running, ns: waiting, preempted, or, where the
    /// scheduler's clock leaves it out, stolen.
    pub off_cpu_ns: Option<u64>,
    /// Time the hypervisor ran something else, all of it in clock ticks, between the two
    /// readings that the sample lies between.
    pub steal_ns: Option<u64>,
    /// Interrupts on the CPU of the sample, between the same two readings.
    pub interrupts: Option<u32>,
    /// Batches between these two readings: of one, what they say is this sample's; 0: there
    /// are none.
    pub bracket_batches: u32,
}

impl Disturbance {
    /// Time stolen from this very sample, ns: None where it is not known, because it was
    /// not read, or because other batches lie between the same readings.
    pub fn own_steal_ns(&self) -> Option<u64> {
        self.steal_ns
            .filter(|ns| *ns == 0 || self.bracket_batches <= 1)
    }

    /// Interrupts of this very sample, as above.
    pub fn own_interrupts(&self) -> Option<u32> {
        self.interrupts
            .filter(|n| *n == 0 || self.bracket_batches <= 1)
    }
}
