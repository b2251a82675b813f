//! One family: two runs of a suite and a study of `pontage ab`, between which nothing changed.

use crate::command::finish;
use crate::files;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// 113 points.
const SUITE: [&str; 3] = ["syscall/*", "mem/latency", "ipc/pipe"];
/// What `ab` measures: seven points, of which each is given the same time. A dozen blocks of
/// them fit into half a minute.
const AB: [&str; 4] = [
    "syscall/getppid",
    "syscall/read",
    "syscall/write",
    "syscall/fstat",
];
const AB_POINTS: u64 = 7;

/// What came of it, by exit status; None: not tried.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Family {
    /// The two runs compared with nothing known of others.
    pub alone: Option<i64>,
    /// With all runs before them.
    pub known: Option<i64>,
    pub ab: Option<i64>,
    /// Rows, %.
    pub not_comparable: Option<f64>,
    /// Why it was not measured to the end.
    pub lost: Option<String>,
}

impl Family {
    /// Above the rows.
    pub const HEAD: &str = " family     alone     known          ab  not comparable";

    /// A row of the table.
    pub fn row(&self, at: usize) -> String {
        let word = |code: Option<i64>| match code {
            Some(0) => "passed".to_owned(),
            Some(1) => "FAILED".to_owned(),
            Some(other) => other.to_string(),
            None => "-".to_owned(),
        };
        let [alone, known, ab] = [self.alone, self.known, self.ab].map(word);
        let share = self.not_comparable;
        let share = share.map_or("-".to_owned(), |share| format!("{share:.0} %"));
        let lost = self.lost.as_deref().unwrap_or_default();
        let row = format!("{at:>7}{alone:>10}{known:>10}{ab:>12}{share:>16}  {lost}");
        row.trim_end().to_owned()
    }

    /// As it is kept.
    pub fn line(&self) -> String {
        json!({
            "alone": self.alone, "known": self.known, "ab": self.ab,
            "not_comparable": self.not_comparable, "lost": self.lost,
        })
        .to_string()
    }

    /// From a line.
    pub fn parse(line: &str) -> Result<Family, String> {
        let value: Value = serde_json::from_str(line)
            .map_err(|e| format!("cannot read a kept family: {e}: {line:?}"))?;
        Ok(Family {
            alone: value["alone"].as_i64(),
            known: value["known"].as_i64(),
            ab: value["ab"].as_i64(),
            not_comparable: value["not_comparable"].as_f64(),
            lost: value["lost"].as_str().map(str::to_owned),
        })
    }
}

/// Where families are measured, and with what.
pub struct Place {
    program: PathBuf,
    pub out: PathBuf,
    runs: PathBuf,
    /// Without runs: nothing is known of how runs differ.
    empty: PathBuf,
    /// Of a family.
    seconds: u64,
}

impl Place {
    /// In this folder, which is made, with this program.
    pub fn new(program: PathBuf, out: PathBuf, seconds: u64) -> Result<Place, String> {
        let place = Place {
            program,
            runs: out.join("runs"),
            empty: out.join("empty"),
            out,
            seconds,
        };
        files::make_folder(&place.runs)?;
        files::make_folder(&place.empty)?;
        Ok(place)
    }

    /// Measures one; what could not be had is left out, and said.
    pub fn family(&self) -> Family {
        let mut family = Family::default();
        family.lost = self.fill(&mut family).err();
        family
    }

    fn fill(&self, family: &mut Family) -> Result<(), String> {
        let (a, b) = (self.measure()?, self.measure()?);
        (family.alone, family.not_comparable) = self.compare(&a, &b, &self.empty)?;
        (family.known, _) = self.compare(&a, &b, &self.runs)?;
        family.ab = self.ab()?;
        Ok(())
    }

    /// One run of the suite, in a quarter of the time; its folder.
    fn measure(&self) -> Result<PathBuf, String> {
        let mut command = Command::new(&self.program);
        let within = (self.seconds / 4).max(1).to_string();
        command.arg("run").args(SUITE);
        command.args(["--quick", "--within", &within]);
        let before = self.listed()?;
        let done = finish(command.arg("--out").arg(&self.runs))?;
        if done.code != Some(0) {
            return Err(format!("pontage run ended with {:?}", done.code));
        }
        let new = self.listed()?.into_iter().find(|run| !before.contains(run));
        new.ok_or_else(|| "no run was made".to_owned())
    }

    fn listed(&self) -> Result<Vec<PathBuf>, String> {
        let entries = std::fs::read_dir(&self.runs)
            .map_err(|e| format!("cannot list {}: {e}", self.runs.display()))?;
        Ok(entries.flatten().map(|e| e.path()).collect())
    }

    /// Exit status, and the share of rows that could not be compared in percent.
    fn compare(
        &self,
        a: &Path,
        b: &Path,
        history: &Path,
    ) -> Result<(Option<i64>, Option<f64>), String> {
        let mut command = Command::new(&self.program);
        command.arg("compare").args([a, b]);
        command.args(["--format", "json", "--history"]).arg(history);
        let output = command
            .output()
            .map_err(|e| format!("cannot run pontage compare: {e}"))?;
        let json: Value = serde_json::from_slice(&output.stdout)
            .map_err(|e| format!("cannot read pontage compare: {e}"))?;
        let number = |name: &str| json["gate"][name].as_f64();
        let judged = number("judged").zip(number("rows"));
        let share = judged.map(|(judged, rows)| 100.0 * (1.0 - judged / rows));
        Ok((output.status.code().map(i64::from), share))
    }

    /// A study of equal sides, in half of the time.
    fn ab(&self) -> Result<Option<i64>, String> {
        let mut command = Command::new(&self.program);
        let each = (self.seconds / 2 / AB_POINTS).max(1).to_string();
        command.arg("ab").args(AB);
        command.args(["--time", &each, "--budget-ms", "20"]);
        command.arg("--out").arg(self.out.join("ab"));
        let output = command
            .output()
            .map_err(|e| format!("cannot run pontage ab: {e}"))?;
        Ok(output.status.code().map(i64::from))
    }
}
