//! Whether the tests would notice: a seeded sample of small changes to a crate
//! (cargo-mutants), each tried against the crate's own tests.

mod arguments;
mod sample;

pub use arguments::Arguments;

use crate::command::cargo;
use crate::files;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What is believed of a record and of a trace is decided in these.
const CRATES: [&str; 4] = ["stats", "record", "analysis", "trace"];
/// Of the mutants that compile, so many must be noticed.
const LEAST_CAUGHT: f64 = 0.85;
/// A mutant that never ends is noticed too, by this.
const LEAST_TIMEOUT_S: &str = "30";

#[derive(Debug, Default)]
struct Count {
    caught: u64,
    missed: u64,
    timeout: u64,
    unviable: u64,
}

impl Count {
    fn share(&self) -> f64 {
        let noticed = self.caught + self.timeout;
        noticed as f64 / (noticed + self.missed).max(1) as f64
    }
}

/// Tries a sample of mutants of each crate; the table of how many were caught.
pub fn run(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let wanted = Arguments::parse(arguments, &CRATES)?;
    let row = |name: &String| Ok((name.clone(), tried(root, name, &wanted)?));
    let rows: Vec<(String, Count)> = wanted
        .crates
        .iter()
        .map(row)
        .collect::<Result<_, String>>()?;
    let text = table(&rows, &wanted);
    let poor: Vec<&str> = rows
        .iter()
        .filter(|(_, count)| count.share() < LEAST_CAUGHT)
        .map(|(name, _)| name.as_str())
        .collect();
    match poor.as_slice() {
        [] => Ok(text),
        some => Err(format!(
            "{text}\ncannot call the tests of {} good: fewer than {:.0} % were noticed\n\
             hint: see target/mutants/CRATE/mutants.out/missed.txt",
            some.join(", "),
            LEAST_CAUGHT * 100.0
        )),
    }
}

fn tried(root: &Path, name: &str, wanted: &Arguments) -> Result<Count, String> {
    let all = listed(root, name)?;
    let chosen = sample::sample(&all, wanted.seed, wanted.sample);
    eprintln!("{name}: {} of {} mutants", chosen.len(), all.len());
    let out = root.join("target/mutants").join(name);
    files::make_folder(&out)?;
    let mut command = mutants(root, name);
    command
        .args(["--minimum-test-timeout", LEAST_TIMEOUT_S, "-j", "1", "-o"])
        .arg(&out);
    for mutant in &chosen {
        command.arg("--re").arg(format!("^{}$", escaped(mutant)));
    }
    // 2 and 3: some were missed or never ended; both are counted below.
    let status = command.status().map_err(|e| cannot_run(&e))?;
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        return Err(format!("cannot try the mutants of {name}: {status}"));
    }
    let count = counted(&out.join("mutants.out/outcomes.json"), &chosen)?;
    let tried = count.caught + count.missed + count.timeout + count.unviable;
    let all = chosen.len();
    match tried == all as u64 {
        true => Ok(count),
        false => Err(format!(
            "cannot try the mutants of {name}: {tried} of {all} were tried"
        )),
    }
}

fn mutants(root: &Path, name: &str) -> Command {
    let mut command = cargo(root);
    command.args(["mutants", "-p", &format!("pontage-{name}")]);
    command
}

fn cannot_run(cause: &dyn std::fmt::Display) -> String {
    format!("cannot run cargo mutants: {cause}\nhint: cargo install --locked cargo-mutants")
}

/// The names of all mutants of a crate.
fn listed(root: &Path, name: &str) -> Result<Vec<String>, String> {
    let output = mutants(root, name)
        .args(["--list", "--json"])
        .output()
        .map_err(|e| cannot_run(&e))?;
    if !output.status.success() {
        return Err(cannot_run(&String::from_utf8_lossy(&output.stderr).trim()));
    }
    let list: Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("cannot read the list of mutants: {e}"))?;
    let names = list.as_array().into_iter().flatten();
    let names = names.filter_map(|mutant| mutant["name"].as_str());
    Ok(names.map(str::to_owned).collect())
}

/// Of the chosen ones: cargo-mutants 27 tries mutants that delete a field whether
/// they are asked for or not.
fn counted(path: &Path, chosen: &[&str]) -> Result<Count, String> {
    let outcomes: Value = serde_json::from_str(&files::read(path)?)
        .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    Ok(count(&outcomes, chosen))
}

fn count(outcomes: &Value, chosen: &[&str]) -> Count {
    let mut count = Count::default();
    for outcome in outcomes["outcomes"].as_array().into_iter().flatten() {
        let name = outcome["scenario"]["Mutant"]["name"].as_str();
        if !name.is_some_and(|name| chosen.contains(&name)) {
            continue;
        }
        match outcome["summary"].as_str() {
            Some("CaughtMutant") => count.caught += 1,
            Some("Timeout") => count.timeout += 1,
            Some("Unviable") => count.unviable += 1,
            _ => count.missed += 1,
        }
    }
    count
}

/// The mutant's name as a regular expression that only it matches. `\<` and `\>`
/// would be the ends of a word.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

fn table(rows: &[(String, Count)], wanted: &Arguments) -> String {
    let mut text = format!(
        "{} mutants of each crate, seed {}\n{:10} {:>8} {:>8} {:>9} {:>9} {:>9}\n",
        wanted.sample, wanted.seed, "crate", "caught", "missed", "timeouts", "unviable", "noticed"
    );
    for (name, count) in rows {
        text += &format!(
            "{name:10} {:>8} {:>8} {:>9} {:>9} {:>7.1} %\n",
            count.caught,
            count.missed,
            count.timeout,
            count.unviable,
            count.share() * 100.0
        );
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Count, count, escaped};
    use serde_json::json;

    #[test]
    fn mutants_that_do_not_compile_count_for_nothing() {
        let count = Count {
            caught: 16,
            missed: 3,
            timeout: 1,
            unviable: 80,
        };
        assert!((count.share() - 0.85).abs() < 1e-12);
        assert!(Count::default().share() < 1e-12);
    }

    #[test]
    fn only_the_sample_counts() {
        let one = |name: &str, summary: &str| json!({"scenario": {"Mutant": {"name": name}}, "summary": summary});
        let outcomes = json!({"outcomes": [
            {"scenario": "Baseline", "summary": "Success"},
            one("a", "CaughtMutant"), one("b", "MissedMutant"), one("c", "Timeout"),
            one("d", "Unviable"), one("e", "MissedMutant"),
        ]});
        let found = count(&outcomes, &["a", "b", "c", "d"]);
        let numbers = (found.caught, found.missed, found.timeout, found.unviable);
        assert_eq!(numbers, (1, 1, 1, 1));
    }

    #[test]
    fn a_name_is_no_pattern() {
        assert_eq!(escaped("a/b.rs:1:2: x + y"), r"a/b\.rs:1:2: x \+ y");
        assert_eq!(escaped("f -> Vec<u8>"), r"f \-> Vec<u8>");
    }
}
