//! Tracing of the kernel and what locks it.

use super::{Area, Capability, Question, counted, in_container_or};
use crate::absence::{MOUNT_TRACEFS, needs_boot, needs_kernel, open_tracefs};
use crate::lockdown;
use machine::process::Right;
use machine::{Access, Machine};

/// Tracefs, its tracers, and kernel modules.
pub fn list(machine: &Machine) -> Vec<Capability> {
    vec![
        tracefs(machine),
        events(machine),
        tracer(machine),
        profile(machine),
        kprobes(machine),
        btf(machine),
        kernel_access(machine),
        modules(machine),
    ]
}

const LOCKDOWN: &str = "SECURITY_LOCKDOWN_LSM";
const UNKNOWN: &str = "unknown: securityfs is not mounted";

/// Whether the kernel may have lockdown and no file says so.
fn is_unknown(machine: &Machine) -> bool {
    lockdown::of(machine).is_none()
        && !machine.security.securityfs
        && !machine.kernel.config.is_left_out(LOCKDOWN)
}

fn tracefs(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Tracing,
        "tracefs",
        "follow a copy or a wake-up through the kernel",
    );
    let tracing = &machine.tracing;
    let Some(point) = &tracing.mount else {
        return match tracing.supported {
            Some(false) => q.absent("the kernel has none", needs_kernel("CONFIG_FTRACE")),
            _ => q.absent("not mounted", MOUNT_TRACEFS),
        };
    };
    match tracing.access {
        Access::Readable => q.available(format!(
            "{point}, {}",
            counted(tracing.event_groups.len(), "event group")
        )),
        Access::Denied => q
            .limited(
                format!("{point} is closed to this process"),
                open_tracefs(point),
            )
            .short("closed to this process"),
        Access::Missing => (q.absent(format!("{point} is empty"), MOUNT_TRACEFS)).short("empty"),
    }
}

fn events(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Tracing,
        "trace events",
        "which task ran, which waited, which timer fired",
    );
    let tracing = &machine.tracing;
    let has = |group: &&str| tracing.event_groups.iter().any(|g| g == group);
    let found: Vec<&str> = ["sched", "irq", "timer", "syscalls"]
        .into_iter()
        .filter(has)
        .collect();
    if has(&"sched") {
        let others = tracing.event_groups.len() - found.len();
        return q.available(match others {
            0 => found.join(", "),
            _ => format!(
                "{} and {}",
                found.join(", "),
                counted(others, "other group")
            ),
        });
    }
    if tracing.access == Access::Readable {
        return q.absent("no scheduler events", needs_kernel("CONFIG_EVENT_TRACING"));
    }
    closed_or_unmounted(machine, &q)
}

/// A tracer that is listed is not there for that: a locked kernel refuses it,
/// and its list of functions with it.
fn tracer(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Tracing,
        "function tracer",
        "time single kernel functions",
    );
    let tracing = &machine.tracing;
    let has = |name: &str| tracing.tracers.iter().any(|t| t == name);
    let listed = has("function_graph") || has("function");
    if listed && tracing.functions == Access::Denied {
        return q
            .absent(
                format!("listed ({}), and refused", tracing.tracers.join(" ")),
                unlock(machine),
            )
            .short("listed, and refused");
    }
    if has("function_graph") {
        return q.available(tracing.tracers.join(" "));
    }
    if listed {
        return q.limited(
            format!("{}: no times and no call trees", tracing.tracers.join(" ")),
            needs_kernel("CONFIG_FUNCTION_GRAPH_TRACER"),
        );
    }
    if machine.kernel.config.is_left_out("FUNCTION_TRACER") {
        return q.absent("not built in", needs_kernel("CONFIG_FUNCTION_TRACER"));
    }
    if tracing.access == Access::Readable {
        return q.absent(
            format!("tracers: {}", tracing.tracers.join(" ")),
            needs_kernel("CONFIG_FUNCTION_TRACER"),
        );
    }
    closed_or_unmounted(machine, &q)
}

fn profile(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Tracing,
        "function profile",
        "hits and times of every kernel function",
    );
    let tracing = &machine.tracing;
    match (tracing.function_profile, tracing.functions) {
        (true, Access::Denied) => {
            (q.absent("function_profile_enabled, and refused", unlock(machine))).short("refused")
        }
        (true, _) => q.available("function_profile_enabled"),
        (false, _)
            if machine.kernel.config.is_left_out("FUNCTION_PROFILER")
                || tracing.access == Access::Readable =>
        {
            q.absent("not built in", needs_kernel("CONFIG_FUNCTION_PROFILER"))
        }
        (false, _) => closed_or_unmounted(machine, &q),
    }
}

fn btf(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Tracing,
        "BTF",
        "BPF programs that know the kernel's types",
    );
    match machine.tracing.btf {
        true => q.available("/sys/kernel/btf/vmlinux"),
        false => q.absent(
            "no /sys/kernel/btf/vmlinux",
            needs_kernel("CONFIG_DEBUG_INFO_BTF"),
        ),
    }
}

/// What would open the function tracers to root.
fn unlock(machine: &Machine) -> String {
    match machine.process.uid {
        Some(0) => {
            let absent = machine.kernel.config.is_left_out(LOCKDOWN);
            let level = lockdown::of(machine).or(absent.then_some("not built in"));
            lockdown::of_tracers(level).1
        }
        _ => "sudo pontage doctor".to_owned(),
    }
}

fn kprobes(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Tracing,
        "kprobes",
        "events at kernel functions without a tracepoint",
    );
    let locked = lockdown::of(machine).is_some_and(lockdown::refuses_tracing);
    if machine.kernel.config.is_left_out("KPROBES") {
        return q.absent("not built in", needs_kernel("CONFIG_KPROBES"));
    }
    match (machine.tracing.kprobe_events, locked) {
        (true, false) => q.available("kprobe_events"),
        (true, true) => q.absent(
            "forbidden by lockdown confidentiality",
            needs_boot("with lockdown=integrity or without Secure Boot"),
        ),
        (false, _) if machine.tracing.access == Access::Readable => q.absent(
            "no kprobe_events in tracefs",
            needs_kernel("CONFIG_KPROBE_EVENTS"),
        ),
        (false, _) => closed_or_unmounted(machine, &q),
    }
}

/// tracefs stands between us and the answer.
fn closed_or_unmounted(machine: &Machine, q: &Question) -> Capability {
    match (&machine.tracing.mount, machine.tracing.supported) {
        (Some(point), _) => q
            .absent(
                format!("{point} is not readable by this process"),
                open_tracefs(point),
            )
            .short("tracefs is closed"),
        (None, Some(false)) => q.absent("the kernel has no tracefs", needs_kernel("CONFIG_FTRACE")),
        (None, _) => q.absent("tracefs is not mounted", MOUNT_TRACEFS),
    }
}

/// What lockdown takes away.
fn kernel_access(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Tracing,
        "kernel access",
        "unsigned modules, raw memory, kernel probes",
    );
    match lockdown::of(machine) {
        Some("none") => q.available("lockdown none"),
        Some(level) => q.limited(
            format!("lockdown {level}"),
            needs_boot("with lockdown=none or without Secure Boot"),
        ),
        None if machine.kernel.config.is_left_out(LOCKDOWN) => {
            q.available("the kernel has no lockdown")
        }
        // It is there with a level, or the kernel has it and did not start it.
        None if machine.security.securityfs => {
            q.available("lockdown is not among the security modules")
        }
        None => q
            .limited(format!("lockdown {UNKNOWN}"), lockdown::MOUNT)
            .short("not known"),
    }
}

fn modules(machine: &Machine) -> Capability {
    let q = Question::new(
        Area::Tracing,
        "kernel modules",
        "copies measured inside the kernel",
    );
    let kernel = &machine.kernel;
    match kernel.modules {
        Some(false) if kernel.config.is_left_out("MODULES") => {
            q.absent("not built in", needs_kernel("CONFIG_MODULES"))
        }
        Some(false) => q.absent(
            "forbidden on this boot",
            needs_boot("without nomodule and with kernel.modules_disabled=0"),
        ),
        None => q.limited("no file shows it", "sudo mount -t proc proc /proc"),
        Some(true) if !machine.process.has(Right::SysModule) => q
            .limited(
                "this process may not load them (no CAP_SYS_MODULE)",
                in_container_or(machine, "--cap-add SYS_MODULE", "sudo pontage ..."),
            )
            .short("no CAP_SYS_MODULE"),
        Some(true) => match lockdown::of(machine) {
            None if is_unknown(machine) => {
                q.limited(format!("lockdown {UNKNOWN}"), lockdown::MOUNT)
            }
            None | Some("none") => q.available("can be loaded"),
            Some(level) => q.limited(
                format!("lockdown {level}: signed ones only"),
                needs_boot("without Secure Boot, or sign the module with an enrolled key"),
            ),
        },
    }
}
