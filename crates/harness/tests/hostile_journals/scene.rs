//! A machine of plain files, and a folder of journals that were tampered with.

use harness::journal::{Outcome, Restored, restore};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub const NOBODY: u32 = 65534;
/// Path of what root has made for nobody.
pub const FOREIGN: &str = "PONTAGE_TEST_FOREIGN";

pub const GOVERNOR: &str = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
pub const SECRET: &str = "etc/passwd";

pub fn is_root() -> bool {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::geteuid() == 0 }
}

pub fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

/// A folder of root's with a journal, and one more that nobody may move.
pub fn foreign(folder: &Path, movable_to: &Path) {
    std::fs::create_dir(folder).unwrap();
    std::fs::write(folder.join("journal-1.jsonl"), "").unwrap();
    std::fs::write(movable_to.join("of-root"), good("/nowhere")).unwrap();
    for path in [folder.join("journal-1.jsonl"), movable_to.join("of-root")] {
        mode(&path, 0o644);
    }
    mode(folder, 0o755);
}

pub struct Scene(tempfile::TempDir);

impl Scene {
    pub fn new() -> Scene {
        let scene = Scene(tempfile::tempdir().unwrap());
        let mounts = "t /sys/kernel/tracing tracefs rw 0 0\nr /sys/fs/resctrl resctrl rw 0 0\n";
        scene.write("proc/self/mounts", mounts);
        scene.write(GOVERNOR, "performance\n");
        scene.write(SECRET, "root:x:0:0\n");
        scene.write("proc/sys/vm/nr_hugepages", "8\n");
        for name in [
            "current_tracer",
            "kprobe_events",
            "set_ftrace_filter",
            "trace_clock",
        ] {
            scene.write(&format!("sys/kernel/tracing/{name}"), "untouched\n");
        }
        std::fs::create_dir(scene.state()).unwrap();
        mode(&scene.state(), 0o700);
        scene
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.root().join(below)
    }

    pub fn state(&self) -> PathBuf {
        self.path("state")
    }

    pub fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, below: &str) -> String {
        std::fs::read_to_string(self.path(below)).unwrap()
    }

    /// A journal of a process that is gone, with these lines.
    pub fn journal(&self, name: &str, lines: &str) -> PathBuf {
        let path = self.state().join(name);
        std::fs::write(&path, dead_owner() + lines).unwrap();
        mode(&path, 0o600);
        path
    }

    /// One that a run has written, and that is undone if it is believed.
    pub fn good_journal(&self, name: &str) -> PathBuf {
        self.journal(name, &self.change(GOVERNOR, "powersave", "performance"))
    }

    pub fn change(&self, below: &str, old: &str, new: &str) -> String {
        change(&self.path(below), old, new)
    }

    pub fn restore(&self) -> Vec<Restored> {
        restore(self.root(), &self.state())
    }

    /// Nothing is believed: one refusal with this word in it, and every setting,
    /// and what else lies there, as it was.
    #[track_caller]
    pub fn refuses(&self, why: &str) {
        let restored = self.restore();
        assert_eq!(restored.len(), 1, "{restored:?}");
        let refused = matches!(
            restored[0].outcome,
            Outcome::Unreadable { .. } | Outcome::Refused { .. }
        );
        let text = restored[0].to_string();
        assert!(refused && restored[0].outcome.is_trouble(), "{restored:?}");
        assert!(text.contains(why), "{text}");
        assert!(!text.contains(char::is_control), "{text:?}");
        self.is_untouched();
    }

    #[track_caller]
    pub fn is_untouched(&self) {
        assert_eq!(self.read(GOVERNOR), "performance\n");
        assert_eq!(self.read(SECRET), "root:x:0:0\n");
        assert_eq!(self.read("proc/sys/vm/nr_hugepages"), "8\n");
        for name in [
            "current_tracer",
            "kprobe_events",
            "set_ftrace_filter",
            "trace_clock",
        ] {
            assert_eq!(
                self.read(&format!("sys/kernel/tracing/{name}")),
                "untouched\n"
            );
        }
    }

    #[track_caller]
    pub fn is_restored(&self) {
        let restored = self.restore();
        assert!(
            !restored.iter().any(|r| r.outcome.is_trouble()),
            "{restored:?}"
        );
        assert_eq!(self.read(GOVERNOR), "powersave");
    }
}

/// No process has number 0.
pub fn dead_owner() -> String {
    owner("0", "7", &boot())
}

/// As version 1 wrote it.
pub fn owner(pid: &str, start_ticks: &str, boot: &str) -> String {
    format!(
        "{{\"line\":\"owner\",\"pid\":{pid},\"start_ticks\":{start_ticks},\"boot\":\"{boot}\"}}\n"
    )
}

pub fn boot() -> String {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.trim().to_owned()
}

pub fn change(path: &Path, old: &str, new: &str) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    format!(
        "{{\"line\":\"change\",\"path\":{},\"old\":{},\"new\":{}}}\n",
        quoted(path.to_str().unwrap()),
        quoted(old),
        quoted(new)
    )
}

fn good(root: &str) -> String {
    dead_owner() + &change(&Path::new(root).join(GOVERNOR), "powersave", "performance")
}
