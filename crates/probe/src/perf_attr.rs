//! The part of `struct perf_event_attr` that asking for one event needs.
//!
//! Source: perf_event_open(2), include/uapi/linux/perf_event.h.

use crate::absence::{Absence, MOUNT_TRACEFS, needs_kernel, open_tracefs};
use machine::Machine;
use serde::{Deserialize, Serialize};

/// Layout of the second published size, PERF_ATTR_SIZE_VER1, which newer
/// kernels fill up with zeros.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Attr {
    kind: u32,
    size_bytes: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_kind: u32,
    /// Address of a breakpoint, or of the path of a user probe.
    config1: u64,
    /// Length of a breakpoint, or offset of a user probe.
    config2: u64,
}

const DISABLED: u64 = 1 << 0;
const EXCLUDE_USER: u64 = 1 << 4;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;

/// A kind of event that is granted or refused as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Cycles, by the kernel's own name for it.
    Hardware,
    /// Misses of the first-level data cache.
    Cache,
    /// A counter by the processor's own number.
    Raw,
    /// Page faults, counted by the kernel.
    Software,
    Tracepoint,
    Uprobe,
    Breakpoint,
}

/// Whose time is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    User,
    /// The user's and the kernel's.
    Kernel,
    KernelAlone,
}

/// Watched by the breakpoint event, which is never enabled.
static WATCHED: u64 = 0;

impl Class {
    /// Every class, in the order of reports.
    pub const ALL: [Class; 7] = [
        Class::Hardware,
        Class::Cache,
        Class::Raw,
        Class::Software,
        Class::Tracepoint,
        Class::Uprobe,
        Class::Breakpoint,
    ];

    /// What was tried, for people.
    pub fn event(self, machine: &Machine) -> String {
        match self {
            Class::Hardware => "cpu-cycles".to_owned(),
            Class::Cache => "L1-dcache-load-misses".to_owned(),
            Class::Raw => format!("r{:x}", raw_cycles(machine)),
            Class::Software => "page-faults".to_owned(),
            Class::Tracepoint => TRACEPOINT.replace('/', ":"),
            Class::Uprobe => "user probe, requested but not placed".to_owned(),
            Class::Breakpoint => "write to one word".to_owned(),
        }
    }

    /// The highest perf_event_paranoid at which anybody may count it; `None`
    /// where the kernel asks for CAP_PERFMON at every level. (Tracepoints need
    /// -1 only when their raw data is sampled, which counting does not do.)
    pub fn needed_paranoid(self, scope: Scope) -> Option<i32> {
        match (self, scope) {
            (Class::Uprobe, _) => None,
            (_, Scope::Kernel | Scope::KernelAlone) => Some(1),
            (_, Scope::User) => Some(2),
        }
    }

    /// The kernel option that brings it.
    pub fn option(self) -> &'static str {
        match self {
            Class::Tracepoint => "CONFIG_EVENT_TRACING",
            Class::Uprobe => "CONFIG_UPROBE_EVENTS",
            Class::Breakpoint => "CONFIG_HAVE_HW_BREAKPOINT",
            _ => "CONFIG_PERF_EVENTS",
        }
    }

    /// A user probe is asked for with an empty path, so that no probe is ever
    /// placed: the kernel checks the right first and the path afterwards.
    pub fn proves_right(self, errno: i32) -> bool {
        self == Class::Uprobe && errno == libc::EINVAL
    }
}

/// Present in every kernel with event tracing.
const TRACEPOINT: &str = "sched/sched_switch";

/// The processor's own number for unhalted cycles.
fn raw_cycles(machine: &Machine) -> u64 {
    match machine.cpu.vendor.as_deref() {
        Some("AuthenticAMD" | "HygonGenuine") => 0x76,
        Some(code) if code.starts_with("0x") => 0x11,
        _ => 0x3c,
    }
}

impl Attr {
    /// One event of `class`.
    ///
    /// # Errors
    /// When the machine does not name the event.
    pub fn of(class: Class, scope: Scope, machine: &Machine) -> Result<Attr, Absence> {
        const HARDWARE: u32 = 0;
        const SOFTWARE: u32 = 1;
        const TRACEPOINT: u32 = 2;
        const CACHE: u32 = 3;
        const RAW: u32 = 4;
        const BREAKPOINT: u32 = 5;
        const PAGE_FAULTS: u64 = 2;
        /// Level 1 data, read, miss.
        const LOAD_MISSES: u64 = 1 << 16;
        let mut attr = Attr::new(scope);
        (attr.kind, attr.config) = match class {
            Class::Hardware => (HARDWARE, 0),
            Class::Cache => (CACHE, LOAD_MISSES),
            Class::Raw => (RAW, raw_cycles(machine)),
            Class::Software => (SOFTWARE, PAGE_FAULTS),
            Class::Tracepoint => (TRACEPOINT, tracepoint(machine)?),
            Class::Uprobe => (uprobe(machine)?, 0),
            Class::Breakpoint => (BREAKPOINT, 0),
        };
        if class == Class::Uprobe {
            attr.config1 = c"".as_ptr() as u64;
        }
        if class == Class::Breakpoint {
            attr.watch_writes();
        }
        Ok(attr)
    }

    #[expect(clippy::cast_possible_truncation, reason = "about 130 bytes")]
    fn new(scope: Scope) -> Attr {
        let who = match scope {
            Scope::User => EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
            Scope::Kernel => 0,
            Scope::KernelAlone => EXCLUDE_USER | EXCLUDE_HYPERVISOR,
        };
        Attr {
            size_bytes: size_of::<Attr>() as u32,
            flags: DISABLED | who,
            ..Attr::default()
        }
    }

    fn watch_writes(&mut self) {
        const WRITE: u32 = 2;
        self.breakpoint_kind = WRITE;
        self.config1 = (&raw const WATCHED) as u64;
        self.config2 = 4;
    }

    /// An event of a counted group, read together with the others and with the
    /// time it was enabled and the time it counted, ns. `kind` and the configs
    /// are perf_event_attr's type, config and config1. Only a leader starts
    /// disabled: its members follow it.
    pub fn counting(kind: u32, config: u64, config1: u64, scope: Scope, leader: bool) -> Attr {
        const TIME_ENABLED: u64 = 1 << 0;
        const TIME_RUNNING: u64 = 1 << 1;
        const ID: u64 = 1 << 2;
        const GROUP: u64 = 1 << 3;
        let mut attr = Attr::new(scope);
        (attr.kind, attr.config, attr.config1) = (kind, config, config1);
        attr.read_format = TIME_ENABLED | TIME_RUNNING | ID | GROUP;
        if !leader {
            attr.flags &= !DISABLED;
        }
        attr
    }

    /// Counted by the processor, not by the kernel.
    pub fn on_the_processor(&self) -> bool {
        const SOFTWARE: u32 = 1;
        self.kind != SOFTWARE
    }

    /// What is asked for: type, config and config1.
    pub fn code(&self) -> (u32, u64, u64) {
        (self.kind, self.config, self.config1)
    }

    /// Starts disabled.
    pub fn disabled(&self) -> bool {
        self.flags & DISABLED != 0
    }

    /// Whether the event counts in the kernel alone.
    pub fn exclude_user(&self) -> bool {
        self.flags & EXCLUDE_USER != 0
    }

    /// Whether the event does not count in the kernel.
    pub fn exclude_kernel(&self) -> bool {
        self.flags & EXCLUDE_KERNEL != 0
    }
}

fn tracepoint(machine: &Machine) -> Result<u64, Absence> {
    machine
        .tracing
        .sched_switch_id
        .ok_or_else(|| match &machine.tracing.mount {
            Some(point) => Absence::new(
                "tracefs does not let this process read the numbers of events",
                open_tracefs(point),
            ),
            None => Absence::new(
                "tracefs is not mounted, so events have no numbers",
                MOUNT_TRACEFS,
            ),
        })
}

fn uprobe(machine: &Machine) -> Result<u32, Absence> {
    machine.event_source("uprobe").ok_or_else(|| {
        Absence::new(
            "the kernel offers no user probes to perf",
            needs_kernel(Class::Uprobe.option()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn the_layout_is_the_published_one() {
        assert_eq!(size_of::<Attr>(), 72);
        assert_eq!(offset_of!(Attr, flags), 40);
        assert_eq!(offset_of!(Attr, breakpoint_kind), 52);
        assert_eq!(offset_of!(Attr, config2), 64);
    }

    #[test]
    fn events_start_disabled_and_spare_the_kernel_when_asked_to() {
        let attr = Attr::of(Class::Hardware, Scope::User, &Machine::default()).unwrap();
        assert_eq!(attr.flags, 1 | 1 << 5 | 1 << 6);
        let attr = Attr::of(Class::Hardware, Scope::Kernel, &Machine::default()).unwrap();
        assert_eq!(attr.flags, 1);
    }

    #[test]
    fn raw_cycles_are_numbered_by_the_vendor() {
        let mut machine = Machine::default();
        assert_eq!(raw_cycles(&machine), 0x3c);
        machine.cpu.vendor = Some("AuthenticAMD".into());
        assert_eq!(raw_cycles(&machine), 0x76);
        machine.cpu.vendor = Some("0x41".into());
        assert_eq!(raw_cycles(&machine), 0x11);
    }
}
