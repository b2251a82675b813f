//! Why something is not to be had, and what helps.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A reason, and the exact command that helps, or `none: <why>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason} ({remedy})")]
pub struct Absence {
    pub reason: String,
    pub remedy: String,
}

impl Absence {
    /// The remedy is a command, or `none: <why>`.
    pub fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Absence {
            reason: reason.into(),
            remedy: remedy.into(),
        }
    }
}

/// Command that mounts tracefs.
pub const MOUNT_TRACEFS: &str = "sudo mount -t tracefs nodev /sys/kernel/tracing";

/// Before the reason why no command helps.
pub const NO_COMMAND: &str = "none: ";
const NEEDS_KERNEL: &str = "none: needs a kernel with ";
const NEEDS_BOOT: &str = "none: reboot ";
const ON_COMMAND_LINE: &str = "add to the kernel command line: ";

/// The remedy where the kernel was built without `option`.
pub fn needs_kernel(option: &str) -> String {
    format!("{NEEDS_KERNEL}{option}")
}

/// The remedy where the machine was booted the wrong way: `with lockdown=none`.
pub fn needs_boot(how: &str) -> String {
    format!("{NEEDS_BOOT}{how}")
}

/// The remedy where the kernel needs parameters.
pub fn on_command_line(parameters: impl fmt::Display) -> String {
    format!("{ON_COMMAND_LINE}{parameters}")
}

/// Who can give what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Help {
    /// The user, now: the remedy is an exact command.
    Command,
    /// Whoever builds or boots the kernel.
    Kernel,
    /// Only the host, or other hardware.
    Elsewhere,
}

impl Help {
    /// What a remedy asks for; None where nothing is missing.
    pub fn of(remedy: &str) -> Option<Help> {
        if remedy.is_empty() {
            return None;
        }
        Some(match option(remedy) {
            Some(_) => Help::Kernel,
            None if remedy.starts_with(NO_COMMAND) => Help::Elsewhere,
            None => Help::Command,
        })
    }
}

/// What the kernel of a remedy must be built or booted with: `CONFIG_NUMA`, `isolcpus=3`.
pub fn option(remedy: &str) -> Option<&str> {
    let of = |before| remedy.strip_prefix(before);
    let parameters = || of(NEEDS_KERNEL).or_else(|| of(ON_COMMAND_LINE));
    parameters().or_else(|| of(NEEDS_BOOT).map(|how| how.strip_prefix("with ").unwrap_or(how)))
}

/// Command that lets every user read a mounted tracefs.
pub fn open_tracefs(point: &str) -> String {
    format!("sudo chmod -R o+rX {point}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_says_who_can_help() {
        let kernel = [
            needs_kernel("CONFIG_NUMA"),
            needs_boot("with lockdown=none"),
            on_command_line("isolcpus=3"),
        ];
        let options: Vec<_> = kernel.iter().filter_map(|r| option(r)).collect();
        assert_eq!(options, ["CONFIG_NUMA", "lockdown=none", "isolcpus=3"]);
        for remedy in &kernel {
            assert_eq!(Help::of(remedy), Some(Help::Kernel), "{remedy}");
        }
        assert_eq!(Help::of("ulimit -r 10"), Some(Help::Command));
        assert_eq!(Help::of("none: needs two CPUs"), Some(Help::Elsewhere));
        assert_eq!(Help::of(""), None);
    }
}
