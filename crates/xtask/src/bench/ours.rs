//! Our own program: built, run into a folder of its own, read back.

use super::json::{Measured, points};
use super::numbers::median;
use crate::command::{cargo, finish, succeed};
use crate::files;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The program under test and where it runs.
pub struct Ours {
    pub root: PathBuf,
    pub binary: PathBuf,
    /// CPU that we and the peers measure on: the last one allowed.
    pub cpu: u32,
    /// Folder for everything that is made; removed at the end.
    pub folder: PathBuf,
}

impl Drop for Ours {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A finished run: its folder, and how long the command took.
pub struct Run {
    pub folder: PathBuf,
    pub seconds: f64,
}

impl Ours {
    /// Builds the release binary, as users do.
    pub fn build(root: &Path) -> Result<Ours, String> {
        eprintln!("bench: building");
        let mut build = cargo(root);
        succeed(build.args(["build", "--release", "-q", "-p", "pontage"]))?;
        let folder = root.join(format!("target/bench-{}", std::process::id()));
        files::make_folder(&folder)?;
        Ok(Ours {
            root: root.to_owned(),
            binary: target_dir(root).join("release/pontage"),
            cpu: last_cpu(),
            folder,
        })
    }

    /// A second CPU, for what takes two.
    pub fn another_cpu(&self) -> Option<u32> {
        allowed_cpus().into_iter().find(|cpu| *cpu != self.cpu)
    }

    /// `pontage <words>`.
    pub fn pontage(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(words);
        command
    }

    /// `pontage run <arguments>` into a new folder.
    pub fn run(&self, arguments: &[&str]) -> Result<Run, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let out = self
            .folder
            .join(NEXT.fetch_add(1, Ordering::Relaxed).to_string());
        let mut command = self.pontage(&["run"]);
        let done = finish(command.args(arguments).arg("--out").arg(&out))?;
        let (words, code, seconds) = (arguments.join(" "), done.code, done.seconds);
        let folder = only_child(&out)
            .ok_or_else(|| format!("cannot find the run of pontage run {words}: {code:?}"))?;
        Ok(Run { folder, seconds })
    }

    /// The export of a run of one experiment with these options, and with these axes,
    /// each as `axis=value`.
    pub fn measured(&self, id: &str, options: &str, axes: &str) -> Result<Value, String> {
        let mut words = vec![id];
        words.extend(options.split_whitespace());
        for axis in axes.split_whitespace() {
            words.extend(["--axis", axis]);
        }
        self.export(&self.run(&words)?)
    }

    /// Points with their primary metric, measured on our CPU; as `measured`.
    pub fn points(&self, id: &str, options: &str, axes: &str) -> Result<Vec<Measured>, String> {
        let options = format!("--cpu {} {options}", self.cpu);
        let found = points(&self.measured(id, &options, axes)?, id);
        match found.is_empty() {
            true => Err(format!(
                "cannot find {} in its export",
                format!("{id} {axes}").trim()
            )),
            false => Ok(found),
        }
    }

    /// Median of the one point that the axes leave.
    pub fn median(&self, id: &str, options: &str, axes: &str) -> Result<f64, String> {
        let found = self.points(id, options, axes)?;
        let medians: Vec<f64> = found.iter().map(|point| point.median).collect();
        Ok(median(&medians))
    }

    /// `pontage export --format json` of a run.
    pub fn export(&self, run: &Run) -> Result<Value, String> {
        let mut command = self.pontage(&["export", "--format", "json"]);
        let text = succeed(command.arg(&run.folder))?.stdout;
        serde_json::from_str(&text).map_err(|e| format!("cannot read the exported run: {e}"))
    }

    /// `run.json` of a run.
    pub fn head(run: &Run) -> Result<Value, String> {
        let path = run.folder.join("run.json");
        serde_json::from_str(&files::read(&path)?)
            .map_err(|e| format!("cannot read {}: {e}", path.display()))
    }
}

fn target_dir(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

fn only_child(folder: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    entries.find(|path| path.join("run.json").exists())
}

fn last_cpu() -> u32 {
    allowed_cpus().last().copied().unwrap_or(0)
}

/// CPUs that this process may run on, ascending.
fn allowed_cpus() -> Vec<u32> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.map(cpus_of_list).unwrap_or_default()
}

/// The CPUs of `0-3,8,10-11`.
fn cpus_of_list(list: &str) -> Vec<u32> {
    let ranges = list.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse().ok()?..=last.parse().ok()?)
    });
    ranges.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::cpus_of_list;

    #[test]
    fn cpus_of_lists() {
        assert_eq!(cpus_of_list("\t0-2,8,10-11\n"), [0, 1, 2, 8, 10, 11]);
        assert_eq!(cpus_of_list("0"), [0]);
        assert!(cpus_of_list("").is_empty());
    }
}
