//! What this machine can and cannot measure, and how to enable it.
//!
//! Each file of this folder judges one field from what [`machine::read`] found
//! and, for counters, from what the kernel answered.

mod area;
mod counters;
mod memory;
mod offload;
mod processor;
mod resctrl;
mod scheduling;
mod tools;
mod tracing;

pub use area::Area;
pub use scheduling::is_quiet;
pub use tools::Tools;

use crate::absence::Help;
use crate::counters::selftest::SelfTest;
use crate::perf::PerfReport;
use machine::Machine;
use serde::{Deserialize, Serialize};

/// One thing that some measurement depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capability {
    /// Stable, lower case: `perf hardware`, `sched_fifo`.
    pub name: String,
    pub area: Area,
    pub state: State,
    /// What was found, in a few words: see [`SHORT`].
    pub short: String,
    /// What was found, with its values.
    pub detail: String,
    /// What it is for.
    pub purpose: String,
    /// Exact command that enables it, or `none: <why>`; empty when nothing is
    /// missing.
    pub remedy: String,
    /// Who can make it available; None where nothing is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<Help>,
}

/// Characters that a short finding takes at most.
pub const SHORT: usize = 28;

/// Whether a measurement can rely on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Available,
    /// There, and not fit for every measurement.
    Limited,
    Absent,
}

/// What a judgement is made from. A stored tree has no `perf` and no `tools`.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    pub machine: &'a Machine,
    pub perf: Option<&'a PerfReport>,
    pub tools: Option<&'a Tools>,
    /// What counters said of known work.
    pub self_test: Option<&'a SelfTest>,
}

/// All capabilities, in the order in which a person asks for them.
pub fn list(evidence: Evidence<'_>) -> Vec<Capability> {
    let machine = evidence.machine;
    let mut found = processor::list(machine);
    found.extend(scheduling::list(machine));
    found.extend(memory::list(machine));
    found.extend(evidence.perf.into_iter().flat_map(counters::list));
    found.extend(evidence.self_test.map(of_counters));
    found.push(resctrl::groups(machine));
    found.extend(tracing::list(machine));
    found.extend(offload::list(machine));
    found.extend(evidence.tools.into_iter().flat_map(Tools::list));
    found
}

/// Whether counters of the processor say what was done.
pub fn of_counters(test: &SelfTest) -> Capability {
    counters::tested(test)
}

impl State {
    /// As tables and JSON have it.
    pub fn word(self) -> &'static str {
        match self {
            State::Available => "available",
            State::Limited => "limited",
            State::Absent => "absent",
        }
    }
}

/// A capability before it is judged.
struct Question {
    area: Area,
    name: &'static str,
    purpose: &'static str,
}

impl Question {
    fn new(area: Area, name: &'static str, purpose: &'static str) -> Self {
        Question {
            area,
            name,
            purpose,
        }
    }

    fn available(&self, detail: impl Into<String>) -> Capability {
        self.judged(State::Available, detail.into(), String::new())
    }

    fn limited(&self, detail: impl Into<String>, remedy: impl Into<String>) -> Capability {
        self.judged(State::Limited, detail.into(), remedy.into())
    }

    fn absent(&self, detail: impl Into<String>, remedy: impl Into<String>) -> Capability {
        self.judged(State::Absent, detail.into(), remedy.into())
    }

    fn judged(&self, state: State, detail: String, remedy: String) -> Capability {
        let short = match detail.chars().count() <= SHORT {
            true => detail.as_str(),
            false => state.word(),
        };
        Capability {
            name: self.name.to_owned(),
            area: self.area,
            state,
            short: short.to_owned(),
            detail,
            purpose: self.purpose.to_owned(),
            help: Help::of(&remedy),
            remedy,
        }
    }
}

impl Capability {
    /// With what was found in so few words.
    fn short(self, words: impl Into<String>) -> Self {
        let short = words.into();
        Capability { short, ..self }
    }
}

/// `1 node`, `2 nodes`.
fn counted(number: usize, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    }
}

/// Whether the machine is a guest, and of whom.
fn hypervisor(machine: &Machine) -> Option<&str> {
    let witness = machine.virtualisation.hypervisor.as_ref()?;
    Some(&witness.name)
}

/// What started the container around this process, where that is known to take
/// the options of `docker run`.
fn container_engine(machine: &Machine) -> Option<&str> {
    let witness = machine.virtualisation.container.as_ref()?;
    ["docker", "podman"]
        .into_iter()
        .find(|name| *name == witness.name)
}

/// What helps in a container: starting it with these options; outside, another command.
fn in_container_or(machine: &Machine, options: &str, outside: &str) -> String {
    match container_engine(machine) {
        Some(engine) => format!("{engine} run {options} ..."),
        None => outside.to_owned(),
    }
}
