//! `run.json`: everything of a run but its samples.

use crate::axis::{AxisValue, Setting, human_bytes, word_as_read};
use crate::counters::CountersHead;
use crate::describe::ExperimentHead;
use crate::error::RecordError;
use crate::finding::{ClaimOutcome, Finding};
use crate::interrupts::InterruptsHead;
use crate::labels::Labels;
use crate::machine_card::MachineCard;
use crate::self_test::SelfTest;
use crate::shared::Shared;
use crate::traces::TraceHead;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A run's description: who, when, where, with which plan, and its points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHead {
    pub schema_version: u32,
    /// Name of the run folder: UTC time and host.
    pub id: String,
    /// RFC 3339.
    pub started_utc: String,
    pub ended_utc: Option<String>,
    /// Version of the program that measured.
    pub tool_version: String,
    pub command_line: Vec<String>,
    pub recipe: RecipeHead,
    pub state: RunState,
    /// What the user calls it.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    pub machine: MachineCard,
    /// The full reading of the machine, as `pontage doctor --format json`.
    pub machine_full: serde_json::Value,
    pub conditions: Conditions,
    pub instrument: Instrument,
    pub experiments: Vec<ExperimentHead>,
    pub points: Vec<Shared<PointHead>>,
    pub findings: Vec<Finding>,
    pub claims: Vec<ClaimOutcome>,
}

/// Whether a run reached its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum RunState {
    Running,
    Complete,
    /// Ended early: by a signal, a full disk, a crash. `reason` says which.
    Incomplete {
        reason: String,
    },
}

/// The plan that a run followed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RecipeHead {
    pub name: String,
    /// `quick`, `full` or `custom`.
    pub preset: String,
    pub processes: u32,
    /// Time the plan allots to measuring, ns.
    pub budget_ns: u64,
    /// The recipe's text as run, so that the run can be repeated.
    pub text: String,
}

/// The state the machine was in while it measured.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// `light`, `heavy`, `heavy-all`.
    pub load: String,
    /// The generator's command lines and version, when there was one.
    pub load_detail: Vec<String>,
    /// Share of the run for which the least used of the loaded CPUs was in use or
    /// waiting for the hypervisor, 0..=1: whether the load was there. None without
    /// one, and in records from before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_busy: Option<f64>,
    /// 1 minute load average before measuring.
    pub loadavg_before: Option<f64>,
    pub loadavg_after: Option<f64>,
    /// Share of CPU time not idle on all CPUs just before measuring, 0..=1.
    pub busy_before: Option<f64>,
    /// Share of time stolen by the hypervisor over the whole run, 0..=1.
    pub steal_share: Option<f64>,
    /// CPU that the single-CPU experiments were pinned to.
    pub test_cpu: u32,
    pub partner_cpu: Option<u32>,
    /// `SCHED_OTHER` or `SCHED_FIFO 10`.
    pub scheduling: String,
    pub memory_locked: bool,
    /// What could not be set, and why: never silent.
    pub notes: Vec<String>,
    /// Counters next to the time, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<CountersHead>,
    /// Points keep what interrupted the machine while they were sampled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupts: bool,
}

/// Self-test of the instrument, made at the start of each run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Instrument {
    /// `rdtscp`, `cntvct_el0`, `clock_gettime`.
    pub clock: String,
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub clock_hz: f64,
    /// By how much the clock advances at least, ns. In records of before this was kept apart from
    /// it: the smallest difference of two reads, which is what a read costs.
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub resolution_ns: f64,
    /// Cost of one start/stop pair around nothing, ns: taken off every sample.
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub read_cost_ns: f64,
    /// Cost of one turn of the empty batch loop, ns.
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub empty_loop_ns: f64,
    /// Drift of the clock against CLOCK_MONOTONIC_RAW, parts per million.
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub drift_ppm: f64,
    pub invariant: bool,
    /// The known work that says how fast the CPU is; None where this instruction set has
    /// none, and in records of before there was any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yardstick: Option<YardstickHead>,
    /// The last `pontage selftest` of this version on this CPU model and kernel; None where
    /// there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_test: Option<SelfTest>,
    pub notes: Vec<String>,
}

/// What the yardstick reads on a CPU that does nothing else, and how well.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct YardstickHead {
    /// Of an addition that waits for the one before it, ns.
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub link_ns: f64,
    /// Of an addition that waits for none, ns.
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub burst_ns: f64,
    /// Of a multiplication that waits for the one before it, ns.
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub product_ns: f64,
    /// What a reading takes, ns.
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub cost_ns: f64,
    /// Standard deviation of one reading, as a share of it: the step of the clock in it.
    #[serde(deserialize_with = "crate::float::or_nan")]
    pub noise_share: f64,
}

impl YardstickHead {
    /// Whether a link is a cycle of the core: a multiplication then takes a whole number of
    /// them, on every core at least two.
    pub fn counts_cycles(&self) -> bool {
        let cycles = self.product_ns / self.link_ns;
        cycles.is_finite()
            && cycles.round() >= 2.0
            && (cycles - cycles.round()).abs() <= WHOLE * cycles.round()
    }
}

/// How far a whole number of cycles may be missed: noise, and the loop around them.
const WHOLE: f64 = 0.03;

/// One point of an experiment: its settings and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointHead {
    /// Position in the plan; names the point in the stream and the tables.
    pub index: u32,
    pub experiment: String,
    pub settings: Vec<Setting>,
    /// Bytes moved by one operation, counted once; None where none are.
    pub bytes_per_op: Option<u64>,
    pub state: PointState,
    /// What was really obtained or met while measuring it: page sizes,
    /// capacities, why sampling ended.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Traces of the kernel that were recorded for it and are kept with the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traces: Vec<TraceHead>,
    /// What interrupted the machine meanwhile, where that was asked for. Boxed: few points have
    /// it, and a record may have 10^5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupts: Option<Box<InterruptsHead>>,
}

/// How far the measuring of a point came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum PointState {
    /// In the plan, not measured (yet).
    Pending,
    Done,
    /// Cannot be measured here: why, and the exact command that would help.
    Skipped {
        reason: String,
        remedy: String,
    },
    /// Was tried and went wrong.
    Failed {
        reason: String,
    },
}

impl RunHead {
    /// Seconds by the clock from its start to its end; None where it has not ended, or a
    /// moment is no date.
    pub fn took_s(&self) -> Option<f64> {
        let at = |text: &str| chrono::DateTime::parse_from_rfc3339(text).ok();
        let took = at(self.ended_utc.as_deref()?)? - at(&self.started_utc)?;
        Some(took.num_milliseconds() as f64 / 1e3)
    }

    /// The experiment of that id, in the run that lies in `folder`.
    pub(crate) fn experiment(
        &self,
        folder: &Path,
        id: &str,
    ) -> Result<&ExperimentHead, RecordError> {
        let found = self.experiments.iter().find(|e| e.id == id);
        found.ok_or_else(|| RecordError::UnknownExperiment {
            path: folder.to_owned(),
            id: id.to_owned(),
        })
    }
}

impl PointHead {
    /// Takes what a later frame says of the same point: another process of it, or
    /// another attempt. Only the first repetition keeps its traces, and what each
    /// counted adds up; an attempt that failed left nothing.
    pub(crate) fn take(&mut self, later: &PointHead) {
        let before = std::mem::replace(self, later.clone());
        let failed = |point: &PointHead| matches!(point.state, PointState::Failed { .. });
        if self.traces.is_empty() && !failed(later) {
            self.traces = before.traces.clone();
        }
        if failed(&before) {
            return;
        }
        match (&mut self.interrupts, before.interrupts) {
            (Some(now), Some(before)) => now.add(&before),
            (now @ None, before) => *now = before,
            (_, None) => {}
        }
    }

    /// `size=4096 cache=hot`.
    pub fn label(&self) -> String {
        self.settings
            .iter()
            .map(|s| format!("{}={}", s.axis, s.value))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// `4 KiB, stream, same cpu`: its settings as they are read. Zeros, which stand for "none" or
    /// "the usual", are left out.
    pub fn in_words(&self) -> String {
        let part = |setting: &Setting| match (&setting.value, setting.axis.as_str()) {
            (AxisValue::Word(word), axis) => Some(word_as_read(axis, word)),
            (AxisValue::Int(0), _) => None,
            (AxisValue::Int(size), "size" | "set" | "footprint" | "buffer") if *size > 0 => {
                let bytes = human_bytes(size.unsigned_abs());
                Some(match setting.axis.as_str() {
                    "size" => bytes,
                    axis => format!("{axis} {bytes}"),
                })
            }
            (AxisValue::Int(value), axis) => Some(format!("{} {value}", axis.replace('_', " "))),
        };
        let parts: Vec<String> = self.settings.iter().filter_map(part).collect();
        parts.join(", ")
    }

    /// Its value on an axis; None where the experiment has no such axis.
    pub fn value(&self, axis: &str) -> Option<&crate::AxisValue> {
        self.settings
            .iter()
            .find(|s| s.axis == axis)
            .map(|s| &s.value)
    }
}
