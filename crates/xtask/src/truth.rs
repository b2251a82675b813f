//! Simulations with known truth, one table each: how often what the product says is right.

mod real_family;
mod real_gate;

use crate::command::cargo;
use std::path::Path;

/// Each with the crate and the example that prints it.
const TABLES: &[(&str, &str, &str)] = &[
    ("intervals", "pontage-analysis", "interval_truth"),
    ("levels", "pontage-stats", "change_rates"),
    ("speeds", "pontage-analysis", "speed_rates"),
    ("processes", "pontage-stats", "coverage"),
    ("widths", "pontage-engines", "quick_widths"),
    ("gate", "pontage-analysis", "gate_rates"),
    ("gate", "pontage-analysis", "ab_rates"),
    ("modes", "pontage-stats", "mode_rates"),
    ("plateaus", "pontage-stats", "plateau_rates"),
    ("knees", "pontage-stats", "knee_rates"),
    ("counters", "pontage-probe", "counter_truth"),
    ("selftest", "pontage-engines", "selftest_truth"),
];

/// Prints the table of this name, or all; further words go to its program.
pub fn run(root: &Path, words: &[&str]) -> Result<String, String> {
    let (name, rest) = words
        .split_first()
        .map_or(("all", &[][..]), |(n, r)| (*n, r));
    if name == "real-gate" {
        return real_gate::run(root, rest);
    }
    let chosen = |table: &&(&str, _, _)| name == "all" || table.0 == name;
    let chosen: Vec<_> = TABLES.iter().filter(chosen).collect();
    if chosen.is_empty() {
        let mut names: Vec<&str> = TABLES.iter().map(|t| t.0).collect();
        names.dedup();
        return Err(format!(
            "truth has no table {name:?}: {}, all; measured here: real-gate",
            names.join(", ")
        ));
    }
    for (name, package, example) in chosen {
        println!("== {name}");
        let status = cargo(root)
            .args([
                "run",
                "-q",
                "--release",
                "-p",
                package,
                "--example",
                example,
                "--",
            ])
            .args(rest)
            .status()
            .map_err(|e| format!("cannot run {example}: {e}"))?;
        if !status.success() {
            return Err(format!("{example} ended with {status}"));
        }
    }
    Ok(String::new())
}
