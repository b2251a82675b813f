//! Holds the estimates of `pontage run --dry-run` against the clock of this machine, and prints
//! a table. For a quiet machine; not part of any test.
//!
//! `cargo xtask estimates [--only TEXT] [--budget SECONDS] [--program PATH] [--keep]`. Every plan is run
//! twice with a state folder of its own: first as on a machine where nothing ran before, then
//! with what the first run has left. The cheapest plans come first, so that a budget leaves out
//! the longest ones. `--keep` makes what was learned the usual, which holds where nothing ran
//! (`crates/pontage/data/pace.json`).

mod job;
mod keep;
mod said;
mod verdict;

pub use said::estimate_s;

use crate::command::{cargo, succeed};
use crate::files;
use job::{Job, Place};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use verdict::{Sum, Verdict};

const USAGE: &str =
    "usage: cargo xtask estimates [--only TEXT] [--budget SECONDS] [--program PATH] [--keep]";
/// What is usual, below the root.
const USUAL: &str = "crates/pontage/data/pace.json";

/// What is asked for.
#[derive(Debug, Default, PartialEq)]
struct Wish {
    /// Plans whose name contains this.
    only: Option<String>,
    budget: Option<Duration>,
    /// Another program than the release build.
    program: Option<PathBuf>,
    /// What was learned becomes the usual.
    keep: bool,
}

impl Wish {
    fn of(words: &[&str]) -> Result<Wish, String> {
        let mut wish = Wish {
            keep: words.contains(&"--keep"),
            ..Wish::default()
        };
        let words: Vec<&str> = words.iter().copied().filter(|w| *w != "--keep").collect();
        let pairs = words.chunks_exact(2);
        if !pairs.remainder().is_empty() {
            return Err(USAGE.to_owned());
        }
        for pair in pairs {
            match *pair {
                ["--only", text] => wish.only = Some(text.to_owned()),
                ["--budget", seconds] => {
                    let seconds = seconds.parse().map_err(|_| USAGE.to_owned())?;
                    wish.budget = Some(Duration::from_secs(seconds));
                }
                ["--program", path] => wish.program = Some(PathBuf::from(path)),
                _ => return Err(USAGE.to_owned()),
            }
        }
        Ok(wish)
    }
}

/// Runs every plan and prints how well its time was estimated.
pub fn run(root: &Path, words: &[&str]) -> Result<String, String> {
    let wish = Wish::of(words)?;
    let program = match &wish.program {
        Some(program) => program.clone(),
        None => built(root)?,
    };
    files::must_be_built(&program)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_secs());
    let folder = std::env::temp_dir().join(format!("pontage-estimates-{now}"));
    let place = Place::new(program, folder.clone());
    let ended = measured(&place, &wish, &job::all(&place, &root.join("recipes"))?);
    let ended = ended.and_then(|text| match wish.keep {
        true => keep::keep(&place.states(), &root.join(USUAL)).map(|()| text),
        false => Ok(text),
    });
    // What cannot be removed is in the folder of temporary files.
    let _ = fs::remove_dir_all(folder);
    ended
}

fn built(root: &Path) -> Result<PathBuf, String> {
    succeed(cargo(root).args(["build", "-q", "--release", "-p", "pontage"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release/pontage"))
}

/// Runs the plans that were asked for, the cheapest first.
fn measured(place: &Place, wish: &Wish, jobs: &[Job]) -> Result<String, String> {
    let began = Instant::now();
    let wanted = |job: &&Job| {
        let only = wish.only.as_deref();
        only.is_none_or(|text| job.name.contains(text))
    };
    let mut chosen = Vec::new();
    for (number, job) in jobs.iter().filter(wanted).enumerate() {
        let state = place.fresh(number)?;
        chosen.push((job, place.estimate(job, &state)?, state));
    }
    if chosen.is_empty() {
        return Err(format!("no plan is called so\n{USAGE}"));
    }
    chosen.sort_by(|a, b| a.1.total_cmp(&b.1));
    println!("{}", Verdict::HEAD);
    let mut sum = Sum::default();
    for (job, estimated_s, state) in chosen {
        let twice = Duration::from_secs_f64(2.0 * estimated_s);
        if wish.budget.is_some_and(|b| began.elapsed() + twice > b) {
            sum.left_out(&job.name);
            continue;
        }
        for which in ["first", "second"] {
            let verdict = place.run(job, &state)?;
            println!("{}", verdict.row(&job.name, which));
            let skipped = verdict.is_skip();
            sum.add(&verdict);
            if skipped {
                break;
            }
        }
        place.clean()?;
    }
    Ok(sum.text())
}

#[cfg(test)]
mod tests {
    use super::{Wish, job, measured};
    use job::Place;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    #[test]
    fn the_words_are_three_options() {
        let wish = Wish::of(&["--only", "ipc", "--keep", "--budget", "90"]).unwrap();
        assert!(wish.keep);
        assert_eq!(wish.only.as_deref(), Some("ipc"));
        assert_eq!(wish.budget, Some(Duration::from_secs(90)));
        assert!(Wish::of(&["--budget"]).is_err());
        assert!(Wish::of(&["--budget", "long"]).is_err());
        assert!(Wish::of(&["--else", "1"]).is_err());
    }

    /// `a/skip` runs nowhere, `syscall/getppid` is over at once; both together and all else
    /// say that they take an hour.
    const FAKE: &str = r#"#!/bin/sh
[ "$1" = list ] && { echo '{"experiments":[{"id":"a/skip"},{"id":"syscall/getppid"}]}'; exit 0; }
case "$*" in
*both*--dry-run | *long*--dry-run | *sched*--dry-run) echo "together 4 points 3600.0 s with" ;;
*--dry-run) echo "together 4 points 0.0 s with" ;;
*a/skip*) echo "  SKIP  no such device" >&2; exit 77 ;;
esac
"#;

    #[test]
    fn plans_are_run_and_those_beyond_the_budget_are_named() {
        let folder = std::env::temp_dir().join(format!("estimates-test-{}", std::process::id()));
        let recipes = folder.join("recipes");
        fs::create_dir_all(&recipes).unwrap();
        fs::write(recipes.join("long.toml"), "").unwrap();
        let program = folder.join("pontage");
        fs::write(&program, FAKE).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let place = Place::new(program, folder.join("out"));
        let jobs = job::all(&place, &recipes).unwrap();
        let names: Vec<&str> = jobs.iter().map(|j| j.name.as_str()).collect();
        let expected = [
            "a/skip",
            "syscall/getppid",
            "a/skip full",
            "syscall/getppid full",
            "syscall/getppid both loads",
            "long",
            "sched/*",
        ];
        assert_eq!(names, expected);
        let wish = Wish {
            budget: Some(Duration::from_secs(600)),
            ..Wish::default()
        };
        let text = measured(&place, &wish, &jobs).unwrap();
        let expected = "within 25 %: 0 of 4 runs; 2 skipped, 0 ended with an error\n\
                        not run for lack of time (3): syscall/getppid both loads, long, sched/*";
        assert_eq!(text, expected);
        fs::remove_dir_all(folder).unwrap();
    }
}
