//! What the system forbids, and to whom.
//!
//! Source: kernel_lockdown(7), Documentation/admin-guide/sysctl/kernel.rst.

use crate::mounts::Mount;
use crate::source::Source;
use crate::text::{Choice, choice};
use serde::{Deserialize, Serialize};

/// Settings that forbid a process what it otherwise may.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Security {
    /// `none`, `integrity` or `confidentiality`; absent without the LSM or
    /// without securityfs.
    pub lockdown: Option<Choice>,
    /// Whether securityfs is mounted, where the lockdown mode is read.
    #[serde(default)]
    pub securityfs: bool,
    /// -1 everything .. 2 own user-space only, 3 and 4 nothing (Debian, Android).
    pub perf_event_paranoid: Option<i32>,
    pub kptr_restrict: Option<i32>,
    pub unprivileged_bpf_disabled: Option<i32>,
    /// Yama: 0 any own process may be attached to, 1 only children, 2 only with
    /// CAP_SYS_PTRACE, 3 none. Decides on process_vm_readv.
    pub ptrace_scope: Option<i32>,
    /// 0 for everybody, 1 for a group, 2 for nobody.
    pub io_uring_disabled: Option<i32>,
}

/// Reads the settings below /proc/sys and securityfs.
pub fn read(source: &Source, mounts: &[Mount]) -> Security {
    let number = |path: &str| source.number(&format!("/proc/sys/kernel/{path}"));
    Security {
        lockdown: source.parse("/sys/kernel/security/lockdown", |t| choice(t, '[', ']')),
        securityfs: mounts.iter().any(|mount| mount.kind == "securityfs"),
        perf_event_paranoid: number("perf_event_paranoid"),
        kptr_restrict: number("kptr_restrict"),
        unprivileged_bpf_disabled: number("unprivileged_bpf_disabled"),
        ptrace_scope: number("yama/ptrace_scope"),
        io_uring_disabled: number("io_uring_disabled"),
    }
}
