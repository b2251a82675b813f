//! What the kernel's tracing offers to this process.
//!
//! Source: Documentation/trace/ftrace.rst.

use crate::mounts::Mount;
use crate::source::{Access, Source};
use serde::{Deserialize, Serialize};

/// What of ftrace this kernel has and this process can see.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tracing {
    /// Whether the kernel was built with tracefs; `None` when nothing says.
    pub supported: Option<bool>,
    /// Where it is mounted.
    pub mount: Option<String>,
    pub access: Access,
    /// As listed. That one is listed does not mean that it may be used.
    pub tracers: Vec<String>,
    /// The list of functions that can be traced: closed even to root where the
    /// kernel is locked down, and then the function tracers are refused too.
    #[serde(default)]
    pub functions: Access,
    /// Whether the kernel can count and time every function.
    #[serde(default)]
    pub function_profile: bool,
    /// Whether the kernel describes its own types (BTF).
    #[serde(default)]
    pub btf: bool,
    /// Groups of static events (`sched`, `syscalls`, `kmem`).
    pub event_groups: Vec<String>,
    pub kprobe_events: bool,
    pub uprobe_events: bool,
    /// Number by which perf_event_open names the event `sched:sched_switch`.
    pub sched_switch_id: Option<u64>,
    /// Clocks a trace can be stamped with.
    pub clocks: Vec<String>,
}

const BTF: &str = "/sys/kernel/btf/vmlinux";

/// Looks through the mounted tracefs.
pub fn read(source: &Source, mounts: &[Mount]) -> Tracing {
    let supported = source.knows_file_system("tracefs");
    let Some(folder) = mount_point(source, mounts) else {
        return Tracing {
            supported,
            btf: source.exists(BTF),
            ..Tracing::default()
        };
    };
    let file = |name: &str| format!("{folder}/{name}");
    let events = source.entries(&file("events"));
    Tracing {
        supported,
        access: source.access(&file("available_tracers")),
        tracers: source.words(&file("available_tracers")),
        functions: source.access(&file("available_filter_functions")),
        function_profile: source.exists(&file("function_profile_enabled")),
        btf: source.exists(BTF),
        // The plain files next to the groups switch all of them.
        event_groups: events
            .into_iter()
            .filter(|name| !["enable", "header_event", "header_page"].contains(&name.as_str()))
            .collect(),
        kprobe_events: source.exists(&file("kprobe_events")),
        uprobe_events: source.exists(&file("uprobe_events")),
        sched_switch_id: source.number(&file("events/sched/sched_switch/id")),
        clocks: source.words(&file("trace_clock")),
        mount: Some(folder),
    }
}

/// Its own mount, or the folder that debugfs holds for it.
pub fn mount_point(source: &Source, mounts: &[Mount]) -> Option<String> {
    if let Some(mount) = mounts.iter().find(|m| m.kind == "tracefs") {
        return Some(mount.point.clone());
    }
    let debug = mounts.iter().find(|m| m.kind == "debugfs")?;
    let folder = format!("{}/tracing", debug.point);
    source.exists(&folder).then_some(folder)
}
