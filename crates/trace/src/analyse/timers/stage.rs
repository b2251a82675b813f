//! The stages of the way from a timer's interrupt to its function.

use crate::analyse::distribution::Distribution;
use serde::{Serialize, Serializer};
use std::ops::Index;

/// A stage, by the events at its begin and its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Interrupt entered -> left.
    Hardirq,
    /// An hrtimer's function, entered -> left.
    Hrtimer,
    /// Interrupt entered -> softirq raised in it.
    EntryToRaise,
    /// Softirq raised -> entered.
    RaiseToEntry,
    /// Softirq entered -> left.
    Softirq,
    /// Softirq entered -> first timer's function.
    EntryToExpiry,
    /// A timer's function, entered -> left.
    Expiry,
}

impl Stage {
    /// In the order of time.
    pub const ALL: [Stage; 7] = [
        Stage::Hardirq,
        Stage::Hrtimer,
        Stage::EntryToRaise,
        Stage::RaiseToEntry,
        Stage::Softirq,
        Stage::EntryToExpiry,
        Stage::Expiry,
    ];

    /// As in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Hardirq => "hardirq",
            Stage::Hrtimer => "hrtimer",
            Stage::EntryToRaise => "entry_to_raise",
            Stage::RaiseToEntry => "raise_to_entry",
            Stage::Softirq => "softirq",
            Stage::EntryToExpiry => "entry_to_expiry",
            Stage::Expiry => "expiry",
        }
    }
}

/// A stage that was passed once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// Which stage.
    pub stage: Stage,
    /// Place of the CPU in `Known::cpus`.
    pub cpu: usize,
    /// How long it took.
    pub length_ns: u64,
    /// A softirq that began only after a switch (`RaiseToEntry`), or one in which
    /// no timer expired (`Softirq`).
    pub unusual: bool,
}

/// How long each stage took, in ns.
#[derive(Debug, Clone, Default)]
pub struct Stages([Distribution; Stage::ALL.len()]);

impl Stages {
    pub(super) fn add(&mut self, passage: &Passage) {
        self.0[passage.stage as usize].add(passage.length_ns);
    }
}

impl Index<Stage> for Stages {
    type Output = Distribution;

    fn index(&self, stage: Stage) -> &Distribution {
        &self.0[stage as usize]
    }
}

impl Serialize for Stages {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(Stage::ALL.map(|stage| (stage.name(), &self[stage])))
    }
}
