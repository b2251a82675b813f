//! How quiet the machine is just before measuring.

use probe::cpu_time::{LoadAverage, Stat};
use std::path::Path;
use std::time::Duration;

/// A share of busy time above which a run should not be believed unseen.
const BUSY_SHARE: f64 = 0.10;
/// The same of time that the hypervisor gave to others.
const STEAL_SHARE: f64 = 0.01;

/// What others are doing on this machine. `None`: not readable here.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Quiet {
    /// 1 minute load average.
    pub loadavg: Option<f64>,
    /// Share of the CPUs' time that was not idle over the window, 0..=1.
    pub busy: Option<f64>,
    /// Share stolen by the hypervisor over the window, 0..=1.
    pub steal: Option<f64>,
}

impl Quiet {
    /// Watches for `window` (200 ms gives 20 clock ticks a CPU); `root` is
    /// where /proc is found. The caller sleeps meanwhile.
    pub fn measure(root: &Path, window: Duration) -> Self {
        Quiet::over(root, || std::thread::sleep(window))
    }

    fn over(root: &Path, pass: impl FnOnce()) -> Self {
        let load = LoadAverage::read(root).ok();
        let before = Stat::read(root).ok();
        pass();
        let after = Stat::read(root).ok();
        let passed = before
            .zip(after.as_ref())
            .map(|(before, after)| after.all.since(&before.all));
        Quiet {
            loadavg: load.map(|l| l.one_minute),
            busy: passed.map(|t| t.share(t.busy())),
            steal: passed.map(|t| t.share(t.steal)),
        }
    }

    /// What makes figures from this machine doubtful, as sentences.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match self.busy {
            None => notes.push(
                "cannot read how busy the machine was: /proc/stat is not readable".to_owned(),
            ),
            Some(busy) if busy > BUSY_SHARE => notes.push(format!(
                "others used {:.0} % of CPU time before measuring",
                busy * 100.0
            )),
            Some(_) => {}
        }
        if let Some(steal) = self.steal.filter(|s| *s > STEAL_SHARE) {
            notes.push(format!(
                "the hypervisor took {:.0} % of CPU time before measuring",
                steal * 100.0
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_proc_everything_is_absent_and_noted() {
        let quiet = Quiet::measure(Path::new("/nonexistent"), Duration::ZERO);
        assert_eq!(quiet, Quiet::default());
        assert!(quiet.notes()[0].contains("not readable"));
    }

    #[test]
    fn a_busy_window_is_noted() {
        let root = tempfile::tempdir().unwrap();
        let proc = root.path().join("proc");
        std::fs::create_dir(&proc).unwrap();
        let stat =
            |user, idle, steal| format!("cpu {user} 0 0 {idle} 0 0 0 {steal}\nprocs_running 3\n");
        std::fs::write(proc.join("stat"), stat(100, 100, 0)).unwrap();
        std::fs::write(proc.join("loadavg"), "1.50 0 0 3/99 1\n").unwrap();
        let quiet = Quiet::over(root.path(), || {
            std::fs::write(proc.join("stat"), stat(130, 160, 10)).unwrap();
        });
        assert_eq!(quiet.loadavg, Some(1.5));
        assert_eq!(quiet.busy, Some(0.3));
        assert_eq!(quiet.steal, Some(0.1));
        assert_eq!(quiet.notes().len(), 2);
    }
}
