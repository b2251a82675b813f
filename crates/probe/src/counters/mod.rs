//! Groups of performance counters around a piece of work.
//!
//! Which event stands for which name is data (`data/counters`, read by
//! [`table`]). [`group`] opens the events of one group together, so that they
//! count the same instructions; [`reading`] takes apart what the kernel says
//! and keeps, for each event, how long it really counted; [`derived`] makes
//! rates of counts.
//!
//! Two rules: a value that was not counted is never a zero, and a value that
//! was scaled up says so.
//!
//! Source: perf_event_open(2), include/uapi/linux/perf_event.h.

pub mod derived;
pub mod group;
pub mod layer;
mod members;
mod page;
pub mod passes;
pub mod reading;
pub mod refusal;
pub mod selftest;
// Read on x86-64 only; tested everywhere.
#[cfg(any(target_arch = "x86_64", test))]
mod sequence;
pub mod table;

pub use crate::absence::Absence;
pub use group::{Group, Seats, Slot};
pub use layer::{Layer, System, Target};
pub use members::Members;
pub use reading::{Count, State};
pub use refusal::watchdog_holds_a_counter;
pub use table::{Code, Event, EventKind, Table};

use serde::{Deserialize, Serialize};

/// The groups that can be asked for. One of them a run: together they need
/// more counters than processors have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupName {
    /// Loads, stores, returns from exceptions and from functions.
    Arch,
    /// First and second level of the data caches.
    Dcache,
    /// Instruction cache and branch prediction.
    Instr,
    /// Translation, memory and bus.
    Tlbmem,
    /// What the kernel counts by itself, on every machine.
    Software,
}

impl GroupName {
    /// Every group, in the order of help texts.
    pub const ALL: [GroupName; 5] = [
        GroupName::Arch,
        GroupName::Dcache,
        GroupName::Instr,
        GroupName::Tlbmem,
        GroupName::Software,
    ];

    /// As `--counters` takes it.
    pub fn name(self) -> &'static str {
        match self {
            GroupName::Arch => "arch",
            GroupName::Dcache => "dcache",
            GroupName::Instr => "instr",
            GroupName::Tlbmem => "tlbmem",
            GroupName::Software => "software",
        }
    }

    /// The group of that name.
    pub fn parse(name: &str) -> Option<GroupName> {
        GroupName::ALL.into_iter().find(|g| g.name() == name)
    }
}
