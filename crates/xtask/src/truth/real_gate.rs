//! Families of points of this machine that did not change, compared: how often the gate fails,
//! and how many rows cannot be compared. For a quiet machine; not part of any test.

use crate::command::{cargo, finish, succeed};
use crate::files;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// 113 points, 20 to 30 s.
const SUITE: [&str; 3] = ["syscall/*", "mem/latency", "ipc/pipe"];
const FAMILIES: usize = 20;
/// Of each of the 17 points of `syscall/*`.
const AB_SECONDS: &str = "4";

/// Measures pairs of runs, compares each pair alone and with all runs before it, then as many
/// studies of `pontage ab` with equal sides.
pub fn run(root: &Path, words: &[&str]) -> Result<String, String> {
    let families = match words {
        [] => FAMILIES,
        [number] => number
            .parse()
            .map_err(|_| format!("real-gate takes a number of families, not {number:?}"))?,
        _ => return Err("real-gate takes a number of families".to_owned()),
    };
    succeed(cargo(root).args(["build", "-q", "--release", "-p", "pontage"]))?;
    let place = Place::new(root)?;
    println!(
        "{families} families in {}: about {} minutes",
        place.out.display(),
        families * 5 / 2
    );
    println!(
        "{:>7}{:>10}{:>10}{:>12}{:>16}",
        "family", "alone", "known", "ab", "not comparable"
    );
    let mut sums = [0usize; 3];
    let mut shares = Vec::new();
    for family in 1..=families {
        let a = place.measure()?;
        let b = place.measure()?;
        let (alone, share) = place.compare(&a, &b, &place.empty)?;
        let (known, _) = place.compare(&a, &b, &place.runs)?;
        let ab = place.ab()?;
        for (sum, code) in sums.iter_mut().zip([alone, known, ab]) {
            *sum += usize::from(code == Some(1));
        }
        shares.push(share);
        let word = |code| match code {
            Some(0) => "passed",
            Some(1) => "FAILED",
            Some(77) => "77",
            _ => "?",
        };
        let cells = [word(alone), word(known), word(ab)];
        println!(
            "{family:>7}{:>10}{:>10}{:>12}{share:>14.0} %",
            cells[0], cells[1], cells[2]
        );
    }
    shares.sort_by(f64::total_cmp);
    let middle = shares.get(shares.len() / 2).copied().unwrap_or(f64::NAN);
    let [alone, known, ab] = sums;
    Ok(format!(
        "false gates of {families}: {alone} alone, {known} with other runs known, {ab} by ab; not \
         comparable, middle: {middle:.0} %"
    ))
}

struct Place {
    program: PathBuf,
    out: PathBuf,
    runs: PathBuf,
    /// Without runs: nothing is known of how runs differ.
    empty: PathBuf,
}

impl Place {
    fn new(root: &Path) -> Result<Place, String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |since| since.as_secs());
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let out = target.join(format!("real-gate-{now}"));
        let place = Place {
            program: target.join("release/pontage"),
            runs: out.join("runs"),
            empty: out.join("empty"),
            out,
        };
        files::must_be_built(&place.program)?;
        files::make_folder(&place.runs)?;
        files::make_folder(&place.empty)?;
        Ok(place)
    }

    /// One run of the suite; its folder.
    fn measure(&self) -> Result<PathBuf, String> {
        let mut command = Command::new(&self.program);
        command.arg("run").args(SUITE).args(["--processes", "3"]);
        finish(command.arg("--out").arg(&self.runs))?;
        let entries = std::fs::read_dir(&self.runs)
            .map_err(|e| format!("cannot list {}: {e}", self.runs.display()))?;
        let newest = entries.flatten().map(|e| e.path()).max();
        newest.ok_or_else(|| "no run was made".to_owned())
    }

    /// Exit status, and the share of rows that could not be compared in percent.
    fn compare(&self, a: &Path, b: &Path, history: &Path) -> Result<(Option<i32>, f64), String> {
        let mut command = Command::new(&self.program);
        command
            .arg("compare")
            .args([a, b])
            .args(["--format", "json"]);
        command.arg("--history").arg(history);
        let output = command
            .output()
            .map_err(|e| format!("cannot run pontage compare: {e}"))?;
        let json: Value = serde_json::from_slice(&output.stdout)
            .map_err(|e| format!("cannot read pontage compare: {e}"))?;
        let number = |name: &str| json["gate"][name].as_f64().unwrap_or(f64::NAN);
        let share = 100.0 * (1.0 - number("judged") / number("rows"));
        Ok((output.status.code(), share))
    }

    fn ab(&self) -> Result<Option<i32>, String> {
        let mut command = Command::new(&self.program);
        command.args(["ab", "syscall/*", "--time", AB_SECONDS, "--budget-ms", "20"]);
        let output = command
            .arg("--out")
            .arg(self.out.join("ab"))
            .output()
            .map_err(|e| format!("cannot run pontage ab: {e}"))?;
        Ok(output.status.code())
    }
}
