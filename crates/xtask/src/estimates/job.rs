//! The plans, and how one is estimated and run.

use super::said::{estimate_s, last_line, skip_reason};
use super::verdict::Verdict;
use crate::command::{observe, succeed};
use crate::files;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Measured without load and under it, for the time of both.
const BOTH: [&str; 2] = ["syscall/getppid", "mem/latency"];
/// Several experiments in one run.
const GLOBS: [&str; 1] = ["sched/*"];
/// What the names of state folders begin with.
const STATE: &str = "state-";
/// Of a run of which nothing can be measured here.
const NOTHING_RUNS: i32 = 77;

/// One plan as it is typed behind `pontage run`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub name: String,
    words: Vec<String>,
}

impl Job {
    fn new(name: &str, words: &[&str]) -> Job {
        Job {
            name: name.to_owned(),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
        }
    }
}

/// Every experiment by itself, in short and in full, some together, some under both loads, and
/// every recipe.
pub fn all(place: &Place, recipes: &Path) -> Result<Vec<Job>, String> {
    let ids = place.experiments()?;
    let single = ids.iter().map(|id| Job::new(id, &[id, "--quick"]));
    let full = ids.iter();
    let full = full.map(|id| Job::new(&format!("{id} full"), &[id, "--full"]));
    let both = BOTH
        .iter()
        .copied()
        .filter(|id| ids.iter().any(|i| i == id));
    let both = both.map(|id| {
        let words = [id, "--quick", "--load", "both"];
        Job::new(&format!("{id} both loads"), &words)
    });
    let globs = GLOBS.iter().map(|glob| Job::new(glob, &[glob, "--quick"]));
    let names = recipe_names(recipes)?;
    let recipes = names.iter().map(|name| Job::new(name, &[name]));
    let named = both.chain(recipes).chain(globs);
    Ok(single.chain(full).chain(named).collect())
}

fn recipe_names(folder: &Path) -> Result<Vec<String>, String> {
    let entries =
        fs::read_dir(folder).map_err(|e| format!("cannot list {}: {e}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let toml = paths.filter(|path| path.extension().is_some_and(|e| e == "toml"));
    let mut names: Vec<String> = toml
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

/// Where plans are run, and with what.
pub struct Place {
    program: PathBuf,
    folder: PathBuf,
}

impl Place {
    /// With this program, in a folder that is made when it is needed.
    pub fn new(program: PathBuf, folder: PathBuf) -> Place {
        Place { program, folder }
    }

    fn experiments(&self) -> Result<Vec<String>, String> {
        let mut list = Command::new(&self.program);
        let done = succeed(list.args(["list", "--format", "json"]))?;
        let json: Value = serde_json::from_str(&done.stdout)
            .map_err(|e| format!("cannot read pontage list: {e}"))?;
        let all = json["experiments"].as_array().into_iter().flatten();
        let ids = all.filter_map(|e| e["id"].as_str());
        Ok(ids.map(str::to_owned).collect())
    }

    /// A state folder of a machine where nothing ran.
    pub fn fresh(&self, number: usize) -> Result<PathBuf, String> {
        let state = self.folder.join(format!("{STATE}{number}"));
        files::make_folder(&state)?;
        // Nothing is kept in a folder that others may read.
        fs::set_permissions(&state, fs::Permissions::from_mode(0o700))
            .map_err(|e| format!("cannot protect {}: {e}", state.display()))?;
        Ok(state)
    }

    /// All state folders that were made.
    pub fn states(&self) -> Vec<PathBuf> {
        let folders = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let states = folders.filter(|f| f.file_name().to_string_lossy().starts_with(STATE));
        states.map(|folder| folder.path()).collect()
    }

    fn command(&self, job: &Job, state: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("run").args(&job.words);
        command.arg("--out").arg(self.folder.join("runs"));
        command.env("PONTAGE_STATE_DIR", state);
        command
    }

    /// What `--dry-run` says, s.
    pub fn estimate(&self, job: &Job, state: &Path) -> Result<f64, String> {
        let done = succeed(self.command(job, state).arg("--dry-run"))?;
        estimate_s(&done.stdout).ok_or_else(|| {
            let said = last_line(&done.stdout);
            format!("cannot read the estimate of {}: {said:?}", job.name)
        })
    }

    /// Estimates a plan and runs it.
    pub fn run(&self, job: &Job, state: &Path) -> Result<Verdict, String> {
        let estimated_s = self.estimate(job, state)?;
        let done = observe(&mut self.command(job, state))?;
        if done.code == Some(NOTHING_RUNS) {
            let all = format!("{}\n{}", done.stderr, done.stdout);
            let why = skip_reason(&all).unwrap_or_else(|| last_line(&all));
            return Ok(Verdict::Skipped(why.to_owned()));
        }
        let code = done
            .code
            .map_or("a signal".to_owned(), |c| format!("status {c}"));
        let trouble = || format!("{code}: {}", last_line(&done.stderr));
        Ok(Verdict::Ran {
            estimated_s,
            took_s: done.seconds,
            trouble: (done.code != Some(0)).then(trouble),
        })
    }

    /// Removes the runs: what they hold is not needed.
    pub fn clean(&self) -> Result<(), String> {
        let runs = self.folder.join("runs");
        match runs.exists() {
            true => fs::remove_dir_all(&runs)
                .map_err(|e| format!("cannot remove {}: {e}", runs.display())),
            false => Ok(()),
        }
    }
}
