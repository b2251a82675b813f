//! The program under test, with a folder of its own for runs and journals.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Runs choose the same CPU to measure on; two at once would starve each other
/// into their deadlines.
static ALONE: Mutex<()> = Mutex::new(());

pub struct Program {
    folder: tempfile::TempDir,
    _alone: Option<MutexGuard<'static, ()>>,
}

#[derive(Debug)]
pub struct Ended {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Program {
    pub fn new() -> Self {
        // A test that failed poisons the lock and leaves nothing behind it.
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        Program {
            folder: tempfile::tempdir().unwrap(),
            _alone: Some(alone),
        }
    }

    /// One that measures nothing, and so may run next to one that does.
    pub fn reading() -> Self {
        Program {
            folder: tempfile::tempdir().unwrap(),
            _alone: None,
        }
    }

    pub fn out(&self) -> PathBuf {
        self.folder.path().join("runs")
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        self.prepared(env!("CARGO_BIN_EXE_pontage"), arguments)
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        ended(self.command(arguments).output().unwrap())
    }

    /// Runs pinned to one CPU, as on a machine that has no other.
    pub fn one_cpu(&self, arguments: &[&str]) -> Ended {
        let cpu = first_allowed_cpu();
        let mut all = vec!["-c", &cpu, env!("CARGO_BIN_EXE_pontage")];
        all.extend(arguments);
        ended(self.prepared("taskset", &all).output().unwrap())
    }

    pub fn shell(&self, script: &str) -> Ended {
        ended(self.prepared("bash", &["-c", script]).output().unwrap())
    }

    fn prepared(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("PONTAGE", env!("CARGO_BIN_EXE_pontage"))
            .env("PONTAGE_STATE_DIR", self.folder.path().join("journal"))
            .env("NO_COLOR", "1");
        command
    }
}

pub fn ended(output: Output) -> Ended {
    Ended {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn first_allowed_cpu() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = status
        .lines()
        .find_map(|l| l.strip_prefix("Cpus_allowed_list:"))
        .unwrap();
    list.trim().split([',', '-']).next().unwrap().to_owned()
}

/// The only run under the program's folder.
pub fn run_folder(program: &Program) -> PathBuf {
    let mut found: Vec<PathBuf> = std::fs::read_dir(program.out())
        .unwrap()
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.join("run.json").is_file())
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.pop().unwrap()
}

pub fn head(folder: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(folder.join("run.json")).unwrap()).unwrap()
}

/// Points done, and all points.
pub fn points(folder: &Path) -> (usize, usize) {
    let head = head(folder);
    let points = head["points"].as_array().unwrap();
    let done = points
        .iter()
        .filter(|p| p["state"]["state"] == "done")
        .count();
    (done, points.len())
}

/// Waits until at least one point lies in the stream.
pub fn wait_for_point(program: &Program) {
    let limit = Instant::now() + Duration::from_secs(60);
    loop {
        assert!(Instant::now() < limit, "no point was measured");
        let stream = std::fs::read_dir(program.out())
            .ok()
            .and_then(|mut entries| entries.next()?.ok())
            .and_then(|entry| std::fs::metadata(entry.path().join("samples.stream")).ok());
        // An empty stream holds its header only.
        if stream.is_some_and(|s| s.len() > 512) {
            return;
        }
        sleep(Duration::from_millis(10));
    }
}

/// Waits until a process of its own measures. One point lies in the stream
/// before the next worker has been started, under load for a while.
pub fn wait_for_worker(coordinator: u32) -> Vec<u32> {
    let limit = Instant::now() + Duration::from_secs(60);
    loop {
        let mut workers = children(coordinator);
        workers.retain(|pid| alive(*pid));
        if !workers.is_empty() {
            return workers;
        }
        assert!(
            alive(coordinator),
            "the run ended, and no process of its own was seen"
        );
        assert!(Instant::now() < limit, "no process of its own measures");
        sleep(Duration::from_millis(1));
    }
}

pub fn send(signal: &str, pid: u32) {
    let status = Command::new("kill")
        .args(["-s", signal, &pid.to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

pub fn children(pid: u32) -> Vec<u32> {
    let listed = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    listed
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|p| p.parse().ok())
        .collect()
}

pub fn alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap_or("")
            .trim_start()
            .starts_with('Z')
    })
}
