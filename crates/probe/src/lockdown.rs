//! What lockdown refuses, and what therefore lifts a refusal: one truth for
//! `doctor` and for whoever is refused.
//!
//! Source: kernel_lockdown(7), `enum lockdown_reason` of include/linux/security.h:
//! tracefs, kprobes and perf are above LOCKDOWN_INTEGRITY_MAX.

use crate::absence::needs_boot;
use machine::Machine;
use std::path::Path;

/// Where the level can be read once securityfs is mounted.
pub const FILE: &str = "sys/kernel/security/lockdown";
/// Command that makes the lockdown mode readable.
pub const MOUNT: &str = "sudo mount -t securityfs nodev /sys/kernel/security";

/// Whether a level refuses tracefs, kprobes and performance counters, to root too.
/// Integrity does not.
pub fn refuses_tracing(level: &str) -> bool {
    level == "confidentiality"
}

/// The level that the machine was read with; `None` where it has none.
pub fn of(machine: &Machine) -> Option<&str> {
    let levels = machine.security.lockdown.as_ref()?;
    Some(&levels.chosen)
}

/// The level below `root`: the word in brackets; None where the file is missing.
pub fn level(root: &Path) -> Option<String> {
    let text = std::fs::read_to_string(root.join(FILE)).ok()?;
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}

/// Why function tracers are refused to root, and what helps.
pub fn of_tracers(level: Option<&str>) -> (String, String) {
    match level {
        Some(level) if refuses_tracing(level) => (
            format!("lockdown {level} refuses them"),
            needs_boot("with lockdown=integrity, or without Secure Boot"),
        ),
        Some(level) => (
            format!("not because of lockdown, which is {level}"),
            "none: this kernel refuses them even to root".to_owned(),
        ),
        None => (
            "lockdown cannot be read".to_owned(),
            format!("{MOUNT} && pontage doctor"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lockdown_refuses_is_blamed_on_it() {
        let remedy = |level| of_tracers(level).1;
        assert!(remedy(Some("confidentiality")).contains("boot with lockdown=integrity"));
        for level in [Some("integrity"), Some("none"), None] {
            assert!(!remedy(level).contains("boot with"), "{level:?}");
        }
        assert!(remedy(None).contains("mount -t securityfs"));
    }

    #[test]
    fn the_level_is_the_word_in_brackets() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(level(root.path()), None);
        let file = root.path().join(FILE);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "none [integrity] confidentiality\n").unwrap();
        assert_eq!(level(root.path()).as_deref(), Some("integrity"));
        std::fs::write(&file, "odd").unwrap();
        assert_eq!(level(root.path()), None);
    }
}
