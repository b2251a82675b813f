//! What a measuring process is to count.

use probe::counters::derived::Rate;
use probe::counters::{Event, Seats};
use record::{CountersHead, MetricHead};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a measuring process is to count.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CounterPlan {
    /// Groups of the processor's events, which take turns where there are several.
    pub passes: Vec<Pass>,
    /// Events that the kernel counts itself; they need no counter.
    pub software: Vec<Event>,
    pub metrics: Vec<CounterMetric>,
    /// What the instrument itself counts, by alias.
    #[serde(default)]
    pub taken_off: BTreeMap<String, TakenOff>,
    /// Marks for simulated caches in place of events.
    #[serde(default)]
    pub marks: bool,
}

/// Events of the processor that are counted together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    pub events: Vec<Event>,
    pub seats: Seats,
    /// Whose work: `user and kernel`, `user`, `kernel`.
    pub scope: String,
}

/// A metric that the counters add to every experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CounterMetric {
    pub head: MetricHead,
    pub(super) source: Source,
    /// The group that gives it, of several that take turns; None: any.
    pub(super) pass: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// Events an operation.
    Alias(String),
    Rate(Rate),
    /// Share of the time that the processor's events were counted.
    Share,
    /// Made of times of passes with and without counters: the sampler's.
    Times,
}

/// Events of an empty batch.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct TakenOff {
    /// The middle of many: taken off every batch.
    pub typical: f64,
    /// From the tenth to the ninetieth of a hundred: a batch that counts less than this says
    /// nothing of its operation.
    pub scatter: f64,
}

/// Scope of a group that may not look into the kernel.
pub(super) const USER: &str = "user";
pub(super) const KERNEL: &str = "kernel";
pub(super) const BOTH: &str = "user and kernel";
/// End of the names of what is counted of the user's or the kernel's work alone.
pub(super) const USER_SUFFIX: &str = "_user";
pub(super) const KERNEL_SUFFIX: &str = "_kernel";

impl CounterMetric {
    /// The event that it is a count of; None of rates and shares.
    pub(super) fn alias(&self) -> Option<&str> {
        match &self.source {
            Source::Alias(alias) => Some(alias),
            Source::Rate(_) | Source::Share | Source::Times => None,
        }
    }
}

impl CounterPlan {
    /// What the instrument itself counts of an event; nothing where that is not known.
    pub fn taken_off(&self, alias: &str) -> TakenOff {
        self.taken_off.get(alias).copied().unwrap_or_default()
    }

    /// Takes off what the run took off when it was begun: a record has one value for all.
    pub fn as_recorded(&mut self, head: &CountersHead) {
        for event in &head.events {
            if let Some(typical) = event.taken_off {
                self.taken_off
                    .entry(event.alias.clone())
                    .or_default()
                    .typical = typical;
            }
        }
    }
}

impl Pass {
    /// End of the names of its events.
    pub(super) fn suffix(&self) -> &'static str {
        let ends = |suffix: &str| self.events.iter().all(|e| e.alias.ends_with(suffix));
        let suffixes = [USER_SUFFIX, KERNEL_SUFFIX];
        suffixes.into_iter().find(|s| ends(s)).unwrap_or("")
    }
}
