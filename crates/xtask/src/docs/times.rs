//! How long commands take, in the pages: between two marks, held against `--dry-run`.
//!
//! `<!-- time of: pollution -->50 minutes<!-- end of time -->` is what `pontage run pollution`
//! takes by the times that come with the program, on a machine where nothing ran. A plan depends
//! on the machine (its caches, its CPUs), so a time that is near enough stays, and one that is
//! checked, anywhere, may be further off than one that is written anew.

use crate::command::succeed;
use crate::files;
use std::path::{Path, PathBuf};
use std::process::Command;

const BEGIN: &str = "<!-- time of: ";
const BEGUN: &str = " -->";
const END: &str = "<!-- end of time -->";
/// The time in a page and the estimate may differ by this factor where pages are written ...
pub const WRITTEN: f64 = 1.25;
/// ... and where they are checked.
pub const CHECKED: f64 = 3.0;

/// Estimates plans as on a machine where nothing ran.
pub struct Times<'a> {
    program: &'a Path,
    allowed: f64,
    /// A state folder without anything in it.
    state: PathBuf,
}

impl Times<'_> {
    /// By this program; what differs by no more than the factor `allowed` stays.
    pub fn of(program: &Path, allowed: f64) -> Times<'_> {
        let state = std::env::temp_dir().join(format!("pontage-no-state-{}", std::process::id()));
        Times {
            program,
            allowed,
            state,
        }
    }

    /// The page with its times as they are now.
    pub fn current(&self, page: &str) -> Result<String, String> {
        rewritten(page, self.allowed, |words| {
            let mut command = Command::new(self.program);
            command.arg("run").args(words.split_whitespace());
            command
                .arg("--dry-run")
                .env("PONTAGE_STATE_DIR", &self.state);
            let said = succeed(&mut command)?.stdout;
            crate::estimates::estimate_s(&said)
                .ok_or_else(|| format!("cannot read the estimate of pontage run {words}"))
        })
    }
}

/// Every page that may have times.
pub fn pages(root: &Path) -> Result<Vec<PathBuf>, String> {
    let guides = root.join("docs/guides");
    let entries =
        std::fs::read_dir(&guides).map_err(|e| format!("cannot list {}: {e}", guides.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let mut pages: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    pages.sort();
    let with_times = |path: &PathBuf| files::read(path).is_ok_and(|text| text.contains(BEGIN));
    Ok(pages.into_iter().filter(with_times).collect())
}

fn rewritten(
    page: &str,
    allowed: f64,
    seconds: impl Fn(&str) -> Result<f64, String>,
) -> Result<String, String> {
    let mut done = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (words, after) = after
            .split_once(BEGUN)
            .ok_or_else(|| format!("{BEGIN:?} without {BEGUN:?}"))?;
        let (time, after) = after
            .split_once(END)
            .ok_or_else(|| format!("the time of {words:?} has no {END:?}"))?;
        let now = seconds(words)?;
        let near = |said: f64| (said / now).ln().abs() <= allowed.ln();
        let time = match parsed(time).is_some_and(near) {
            true => time.to_owned(),
            false => in_words(now),
        };
        done.push_str(&format!("{before}{BEGIN}{words}{BEGUN}{time}{END}"));
        rest = after;
    }
    Ok(done + rest)
}

/// `50 minutes`: of a number and a unit.
fn parsed(time: &str) -> Option<f64> {
    let (number, unit) = time.split_once(' ')?;
    let number: f64 = number.parse().ok()?;
    let unit_s = match unit {
        "s" => 1.0,
        "minutes" => 60.0,
        "hours" => 3600.0,
        _ => return None,
    };
    Some(number * unit_s)
}

fn in_words(seconds: f64) -> String {
    match seconds {
        ..100.0 => format!("{seconds:.0} s"),
        100.0..7200.0 => format!("{:.0} minutes", (seconds / 60.0).max(2.0)),
        _ => format!("{:.0} hours", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::{CHECKED, WRITTEN, in_words, parsed, rewritten};

    #[test]
    fn a_time_that_is_near_enough_stays_and_another_is_rewritten() {
        let page = "It takes <!-- time of: a/b --full -->50 minutes<!-- end of time -->, or \
                    <!-- time of: c -->9 s<!-- end of time -->.";
        let of = |words: &str| match words {
            "a/b --full" => Ok(3300.0),
            "c" => Ok(14.2),
            other => Err(format!("{other}?")),
        };
        let now = rewritten(page, WRITTEN, of).unwrap();
        assert_eq!(now, page.replace("9 s", "14 s"));
        assert_eq!(rewritten(page, CHECKED, of).unwrap(), page);
        let of_text = |text| rewritten(text, WRITTEN, of);
        assert_eq!(of_text("no time").unwrap(), "no time");
        assert!(of_text("<!-- time of: c -->9 s").is_err());
        assert!(of_text("<!-- time of: d -->9 s<!-- end of time -->").is_err());
    }

    #[test]
    fn times_are_read_as_they_are_written() {
        for (seconds, text) in [(9.0, "9 s"), (3000.0, "50 minutes"), (18000.0, "5 hours")] {
            assert_eq!(in_words(seconds), text);
            assert_eq!(parsed(text), Some(seconds));
        }
        assert_eq!(parsed("a while"), None);
    }
}
