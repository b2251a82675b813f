//! The closed list of what can be put back: which paths, and which values. What
//! is not in it is neither changed through a journal nor restored from one.

use super::sysctl::{self, Form};
use machine::mounts::Mount;

/// Files and folders of the kernel that this program changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// sys/devices/system/cpu/cpuN/cpufreq/scaling_governor
    Governor,
    /// proc/sys/vm/nr_hugepages
    HugePages,
    /// proc/sys/..., of the list in `sysctl`: numbers
    Sysctl,
    /// The same: a word
    SysctlWord,
    /// sys/module/ioatdma/parameters/ioat_dca_enabled
    CacheInjection,
    /// TRACEFS/instances/pontage-*
    Instance,
    /// RESCTRL/[GROUP/]mon_groups/pontage-*
    MonitoringGroup,
    /// TRACEFS/current_tracer
    Tracer,
    /// TRACEFS/tracing_on, options/*, events/*/enable, function_profile_enabled
    TracingSwitch,
    /// TRACEFS/buffer_size_kb, buffer_percent, max_graph_depth
    TracingNumber,
    /// TRACEFS/trace_clock
    TracingClock,
    /// TRACEFS/set_ftrace_filter and its like: lists that were empty
    TracingList,
    /// TRACEFS/kprobe_events
    Probes,
    /// TRACEFS/synthetic_events
    SyntheticEvents,
    /// TRACEFS/instances/pontage-*/events/.../trigger, of our probes
    Trigger,
    /// TRACEFS, or an instance of ours: only read
    Ring,
}

/// What a line of a journal does to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    Set,
    Hold,
    Join,
    MakeInstance,
    MakeGroup,
    Record,
}

impl Doing {
    /// That which has to be mounted for it.
    pub fn mounted(self) -> Option<FileSystem> {
        match self {
            Doing::Set => None,
            Doing::MakeGroup => Some(FileSystem::Resctrl),
            _ => Some(FileSystem::Tracefs),
        }
    }
}

/// File systems of the kernel, by the number that statfs(2) gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSystem {
    Sysfs,
    Proc,
    Tracefs,
    Resctrl,
}

impl FileSystem {
    /// Its name in the table of mounts.
    pub fn name(self) -> &'static str {
        self.known().0
    }

    /// linux/magic.h
    pub fn magic(self) -> u64 {
        self.known().1
    }

    fn known(self) -> (&'static str, u64) {
        match self {
            FileSystem::Sysfs => ("sysfs", 0x6265_6572),
            FileSystem::Proc => ("proc", 0x9fa0),
            FileSystem::Tracefs => ("tracefs", 0x7472_6163),
            FileSystem::Resctrl => ("resctrl", 0x0765_5821),
        }
    }
}

/// Largest number of a CPU or a process, in digits.
const DIGITS: usize = 10;
/// CPUFREQ_NAME_LEN, and longer than any clock's name.
const WORD: usize = 16;
/// Of a trigger: the longest of ours has 200 bytes.
const LINE: usize = 1024;

impl FileKind {
    /// What `path`, below the root, is when this is done to it.
    pub fn of(doing: Doing, path: &[&str], mounts: &[Mount]) -> Option<FileKind> {
        let traced = || below(path, mounts, FileSystem::Tracefs);
        match doing {
            Doing::Set => setting(path),
            Doing::Hold => held(traced()?),
            Doing::Join => joined(traced()?),
            Doing::MakeInstance => match traced()? {
                ["instances", name] if is_ours(name) => Some(FileKind::Instance),
                _ => None,
            },
            Doing::Record => match traced()? {
                [] => Some(FileKind::Ring),
                ["instances", name] if is_ours(name) => Some(FileKind::Ring),
                _ => None,
            },
            Doing::MakeGroup => match below(path, mounts, FileSystem::Resctrl)? {
                ["mon_groups", name] | [_, "mon_groups", name] if is_ours(name) => {
                    Some(FileKind::MonitoringGroup)
                }
                _ => None,
            },
        }
    }

    /// The file system that such a file lies on.
    pub fn file_system(self) -> FileSystem {
        match self {
            FileKind::Governor | FileKind::CacheInjection => FileSystem::Sysfs,
            FileKind::HugePages | FileKind::Sysctl | FileKind::SysctlWord => FileSystem::Proc,
            FileKind::MonitoringGroup => FileSystem::Resctrl,
            _ => FileSystem::Tracefs,
        }
    }

    /// Whether a value has the form that this file takes.
    pub fn takes(self, value: &str) -> bool {
        match self {
            FileKind::Governor | FileKind::TracingClock | FileKind::SysctlWord => is_word(value),
            FileKind::Sysctl => sysctl::are_numbers(value),
            FileKind::HugePages | FileKind::TracingNumber => is_number(value),
            FileKind::CacheInjection => matches!(value, "0" | "1" | "Y" | "N"),
            // Put back only after it was off.
            FileKind::Tracer => value == "nop",
            FileKind::TracingSwitch => matches!(value, "0" | "1"),
            FileKind::TracingList => value.is_empty(),
            FileKind::Probes => leaves_probes(value),
            FileKind::SyntheticEvents => value
                .strip_prefix('!')
                .and_then(|v| v.strip_suffix(" u64 func; u64 ns\n"))
                .is_some_and(is_synthetic),
            FileKind::Trigger => is_line(value, "!hist:keys="),
            FileKind::Instance | FileKind::MonitoringGroup | FileKind::Ring => false,
        }
    }

    /// How its list mentions what joined it.
    pub fn mentions(self, text: &str) -> bool {
        match self {
            FileKind::Probes => text.strip_suffix(' ').is_some_and(is_probe),
            FileKind::SyntheticEvents => is_synthetic(text),
            FileKind::Trigger => text == "hist:keys=",
            _ => false,
        }
    }
}

fn setting(path: &[&str]) -> Option<FileKind> {
    match path {
        ["sys", "devices", "system", "cpu", cpu, rest @ ..]
            if rest == ["cpufreq", "scaling_governor"] =>
        {
            let number = cpu.strip_prefix("cpu");
            number.is_some_and(is_number).then_some(FileKind::Governor)
        }
        ["proc", "sys", "vm", "nr_hugepages"] => Some(FileKind::HugePages),
        ["proc", "sys", rest @ ..] => Some(match sysctl::form(rest)? {
            Form::Numbers => FileKind::Sysctl,
            Form::Word => FileKind::SysctlWord,
        }),
        ["sys", "module", "ioatdma", "parameters", "ioat_dca_enabled"] => {
            Some(FileKind::CacheInjection)
        }
        _ => None,
    }
}

fn held(path: &[&str]) -> Option<FileKind> {
    Some(match path {
        ["current_tracer"] => FileKind::Tracer,
        ["tracing_on" | "function_profile_enabled"]
        | ["options", "overwrite" | "event-fork" | "function-fork"] => FileKind::TracingSwitch,
        ["events", system, "enable"] if is_event(system) => FileKind::TracingSwitch,
        ["events", system, event, "enable"] if is_event(system) && is_event(event) => {
            FileKind::TracingSwitch
        }
        ["buffer_size_kb" | "buffer_percent" | "max_graph_depth"] => FileKind::TracingNumber,
        ["trace_clock"] => FileKind::TracingClock,
        [
            "set_ftrace_filter" | "set_ftrace_notrace" | "set_ftrace_pid" | "set_event_pid"
            | "set_graph_function",
        ] => FileKind::TracingList,
        _ => return None,
    })
}

fn joined(path: &[&str]) -> Option<FileKind> {
    Some(match path {
        ["kprobe_events"] => FileKind::Probes,
        ["synthetic_events"] => FileKind::SyntheticEvents,
        ["instances", ours, "events", "synthetic", event, "trigger"]
            if is_ours(ours) && is_synthetic(event) =>
        {
            FileKind::Trigger
        }
        ["instances", ours, "events", group, event, "trigger"]
            if is_ours(ours) && is_probe(&format!("{group}/{event}")) =>
        {
            FileKind::Trigger
        }
        _ => return None,
    })
}

/// What is behind the mount point of such a file system.
fn below<'a>(path: &'a [&'a str], mounts: &[Mount], wanted: FileSystem) -> Option<&'a [&'a str]> {
    let of = |kind: &str| -> Option<&'a [&'a str]> {
        let found = mounts.iter().filter(|m| m.kind == kind);
        found.filter_map(|m| behind(path, &m.point)).next()
    };
    match wanted {
        FileSystem::Tracefs => of(wanted.name())
            // The kernel mounts it there by itself.
            .or_else(|| of("debugfs")?.strip_prefix(&["tracing"])),
        _ => of(wanted.name()),
    }
}

fn behind<'a>(path: &'a [&'a str], point: &str) -> Option<&'a [&'a str]> {
    let mut rest = path;
    for part in point.split('/').filter(|part| !part.is_empty()) {
        let (first, behind) = rest.split_first()?;
        rest = (*first == part).then_some(behind)?;
    }
    Some(rest)
}

/// `pontage-17`, `pontage-17-0`
fn is_ours(name: &str) -> bool {
    let digits = |part: &str| part.split('-').all(is_number);
    name.strip_prefix("pontage-").is_some_and(digits) && name.len() <= 64
}

/// `pontage_17/in_0`
fn is_probe(text: &str) -> bool {
    let Some((group, event)) = text.split_once('/') else {
        return false;
    };
    let number = event
        .strip_prefix("in_")
        .or_else(|| event.strip_prefix("out_"));
    is_group(group) && number.is_some_and(is_number)
}

/// `pontage_17_took`
fn is_synthetic(text: &str) -> bool {
    text.strip_suffix("_took").is_some_and(is_group)
}

fn is_group(text: &str) -> bool {
    text.strip_prefix("pontage_").is_some_and(is_number)
}

fn leaves_probes(value: &str) -> bool {
    let event = value.strip_prefix("-:").and_then(|v| v.strip_suffix('\n'));
    event.is_some_and(is_probe)
}

fn is_number(text: &str) -> bool {
    (1..=DIGITS).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-');
    (1..=WORD).contains(&text.len()) && text.bytes().all(plain)
}

/// Name of an event or a group of them.
fn is_event(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    (1..=128).contains(&text.len()) && text.bytes().all(plain)
}

/// One line that begins so.
fn is_line(text: &str, begin: &str) -> bool {
    let inner = text.strip_suffix('\n').and_then(|t| t.strip_prefix(begin));
    let plain = |b: u8| b.is_ascii_graphic() && !matches!(b, b';' | b'`' | b'\\' | b'"' | b'\'');
    inner.is_some_and(|t| t.len() <= LINE && t.bytes().all(plain))
}
