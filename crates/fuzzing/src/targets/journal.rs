//! Journals, from which root writes into the kernel's files: whatever the lines
//! say, only what is on the closed list would be written, in its form.

use harness::journal;
use std::fs;
use std::path::{Component, Path};

const MOUNTS: &str = "t /sys/kernel/tracing tracefs rw 0 0\nr /sys/fs/resctrl resctrl rw 0 0\n";
/// Below the root; `*` is a number.
const SETTINGS: [&str; 3] = [
    "sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
    "proc/sys/vm/nr_hugepages",
    "sys/module/ioatdma/parameters/ioat_dca_enabled",
];
const FOLDERS: [&str; 2] = ["sys/kernel/tracing", "sys/fs/resctrl"];

/// Runs the target on one input; a panic is a finding.
pub fn body(input: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir_all(root.join("proc/self")).expect("a folder");
    fs::write(root.join("proc/self/mounts"), MOUNTS).expect("a file");
    // Its paths must lie below the root; those of an input cannot know it.
    let text = String::from_utf8_lossy(input).replace("ROOT", &root.display().to_string());
    let Ok(effects) = journal::effects(root, text.as_bytes()) else {
        return;
    };
    for (path, value) in effects {
        let below = path.strip_prefix(root).expect("below the root");
        let mut parts = below.components();
        assert!(parts.all(|c| matches!(c, Component::Normal(_))), "{path:?}");
        let setting = SETTINGS.iter().any(|s| is_like(below, s));
        assert!(
            setting
                || below.starts_with("proc/sys")
                || FOLDERS.iter().any(|f| below.starts_with(f)),
            "{path:?}"
        );
        // Of /proc/sys what is about speed; what guards the machine or runs a program is not.
        let sysctl = below.starts_with("proc/sys") && !setting;
        let guards = [
            "core_pattern",
            "modprobe",
            "ptrace",
            "drop_caches",
            "mmap_min",
            "poweroff",
        ];
        let text = path.to_string_lossy();
        assert!(
            !sysctl || guards.iter().all(|g| !text.contains(g)),
            "{path:?}"
        );
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        let numbers = |b: u8| plain(b) || matches!(b, b' ' | b'\t');
        assert!(
            !sysctl || value.bytes().all(numbers),
            "{value:?} to {path:?}"
        );
        assert!(
            !setting || value.bytes().all(plain),
            "{value:?} to {path:?}"
        );
        let lines = value.matches('\n').count();
        assert!(
            lines <= 1 && value.is_ascii() && !value.contains('\0'),
            "{value:?}"
        );
    }
}

fn is_like(path: &Path, like: &str) -> bool {
    let text = path.to_string_lossy();
    match like.split_once('*') {
        None => text == like,
        Some((begin, end)) => {
            let middle = text.strip_prefix(begin).and_then(|t| t.strip_suffix(end));
            middle.is_some_and(|m| !m.is_empty() && m.bytes().all(|b| b.is_ascii_digit()))
        }
    }
}
