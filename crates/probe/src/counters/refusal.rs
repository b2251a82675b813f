//! Why an event is not counted, in words, with the command that would help.

use super::table::EventKind;
use crate::absence::Absence;
use crate::perf::refused;
use crate::perf_attr::{Class, Scope};
use machine::Machine;
use std::path::Path;

/// Why an event of a group could not be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The core has no such event: the table's words.
    NoEvent(String),
    /// Opened alone, but not together with the other events.
    Full,
    /// Counts in the kernel only, which this process may not look into.
    KernelOnly,
    /// The errno of perf_event_open(2), asked for in this scope.
    Errno(i32, Scope),
}

impl Refusal {
    /// The refusal in words. `root` is where /proc is found.
    pub fn explain(&self, kind: EventKind, machine: &Machine, root: &Path) -> Absence {
        match self {
            Refusal::NoEvent(why) => Absence::new(why.as_str(), "none: another processor"),
            Refusal::Full if watchdog_holds_a_counter(root) => Absence::new(
                "no counter left for it in its group, and the NMI watchdog holds one",
                "sudo sysctl kernel.nmi_watchdog=0",
            ),
            Refusal::Full => Absence::new(
                "no counter left for it in its group",
                "none: the processor has too few; switching off SMT may double them: \
                 echo off | sudo tee /sys/devices/system/cpu/smt/control",
            ),
            Refusal::KernelOnly => Absence::new(
                "counted in the kernel, which this process may not observe",
                "sudo sysctl kernel.perf_event_paranoid=1",
            ),
            Refusal::Errno(errno, scope) => refused(machine, kind.class(), *scope, *errno),
        }
    }
}

impl EventKind {
    fn class(self) -> Class {
        match self {
            EventKind::Hardware => Class::Hardware,
            EventKind::Software => Class::Software,
            EventKind::Cache => Class::Cache,
            EventKind::Raw => Class::Raw,
        }
    }
}

/// The hard-lockup detector occupies one counter of each CPU for itself. With
/// a group that needs all of them the group never counts, and the kernel says
/// so only by a running time of 0.
pub fn watchdog_holds_a_counter(root: &Path) -> bool {
    std::fs::read_to_string(root.join("proc/sys/kernel/nmi_watchdog"))
        .is_ok_and(|text| text.trim() == "1")
}
