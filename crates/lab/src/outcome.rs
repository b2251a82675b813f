//! What a guest's logs mean.

use crate::counted::table::Counted;
use crate::data::Scenario;
use crate::expected::{ExpectedSkip, is_expected};
use crate::guard;
use crate::guest::life::{End, SILENCE};
use crate::ktap::{self, Counts};
use serde::Serialize;
use std::path::PathBuf;

/// How a scenario ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Passed,
    #[default]
    Failed,
    Skipped,
}

/// How a scenario went.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Outcome {
    pub scenario: String,
    pub verdict: Verdict,
    /// A trial of the laboratory itself, which passes by failing.
    pub trial: bool,
    /// Why it failed or was skipped.
    pub causes: Vec<String>,
    /// What would let a skipped one run.
    pub remedy: Option<String>,
    pub tests: Counts,
    /// Tests that were skipped, and why.
    pub skips: Vec<(String, String)>,
    /// The kernel, as `uname -r` says it.
    pub kernel: Option<String>,
    /// Guest time from power-on to init, s. Emulated.
    pub boot_s: Option<f64>,
    /// Time of the host from the first boot to the end of the last, s.
    pub host_s: Option<f64>,
    pub emulated: bool,
    pub boots: u32,
    /// Boots that were killed because the scenario says so, before the others.
    pub kills: u32,
    /// The emulation was at fault once: QEMU gave up, or the kernel fell or hung before its init.
    pub retried: bool,
    /// What a boot failed for that may have been the emulation; the verdict is of later ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suspected: Vec<String>,
    /// What plugins of QEMU counted.
    pub counted: Vec<Counted>,
    /// Logs and results.
    pub folder: Option<PathBuf>,
}

/// What a guest left behind.
#[derive(Debug)]
pub struct Traces<'a> {
    pub end: End,
    /// The kernel's log.
    pub console: &'a str,
    /// Output of the tests; the console's text where they had no port.
    pub tests: &'a str,
    /// Output of QEMU itself.
    pub qemu: &'a str,
}

impl Outcome {
    /// Of a scenario, without tests or causes.
    pub fn new(scenario: &str, verdict: Verdict) -> Outcome {
        Outcome {
            scenario: scenario.to_owned(),
            verdict,
            emulated: true,
            ..Outcome::default()
        }
    }

    /// Whether QEMU reported that it gave up for a fault of its own, or the kernel fell over
    /// one before anything of the scenario had run. Each with what it says then.
    pub fn blames_emulation(
        &self,
        (faults, qemu): (&[String], &str),
        (falls, console): (&[String], &str),
    ) -> bool {
        let says = |text: &str, parts: &[String]| parts.iter().any(|part| text.contains(part));
        says(qemu, faults) || self.boot_s.is_none() && says(console, falls)
    }
}

/// Judges one boot.
pub fn judge(
    name: &str,
    scenario: &Scenario,
    names: &[String],
    expected: &[ExpectedSkip],
    traces: &Traces,
) -> Outcome {
    let mut outcome = Outcome::new(name, Verdict::Passed);
    let causes = &mut outcome.causes;
    match traces.end {
        End::Done => {}
        End::Killed => causes.push("the guest was killed and should have survived".to_owned()),
        End::Gone => causes.push(gone(traces.qemu)),
        End::Deadline => causes.push(format!(
            "killed at its deadline of {} s; last line: {}",
            scenario.deadline_s,
            last_line(traces.console)
        )),
        End::Silent => causes.push(format!(
            "its console fell silent for {} s before init; last line: {}",
            SILENCE.as_secs(),
            last_line(traces.console)
        )),
    }
    for line in traces
        .console
        .lines()
        .filter_map(|l| l.split_once("pontage-lab: cannot "))
    {
        causes.push(format!("cannot {}", line.1.trim()));
    }
    let bad = guard::findings(traces.console, &scenario.benign);
    causes.extend(bad.iter().map(|line| format!("kernel log: {line}")));
    let sections = sections(traces.tests);
    for test in names {
        let section = sections.iter().find(|s| s.name == test);
        match section {
            Some(section) => judge_test(section, &mut outcome),
            None => outcome.causes.push(format!("test {test} did not run")),
        }
    }
    for (test, reason) in &outcome.skips {
        if !is_expected(expected, name, test, reason) {
            outcome.causes.push(format!(
                "unexpected skip: {test}: {reason} (expected ones: fixtures/skips/lab.toml)"
            ));
        }
    }
    outcome.boot_s = boot_s(traces.console);
    if !outcome.causes.is_empty() {
        outcome.verdict = Verdict::Failed;
    }
    as_it_must(outcome, scenario)
}

/// A trial of the laboratory itself passes by failing for the right cause.
fn as_it_must(mut outcome: Outcome, scenario: &Scenario) -> Outcome {
    let Some(wanted) = &scenario.must_fail else {
        return outcome;
    };
    outcome.trial = true;
    if outcome.causes.iter().any(|cause| cause.contains(wanted)) {
        outcome.verdict = Verdict::Passed;
        outcome.causes.clear();
    } else {
        outcome.verdict = Verdict::Failed;
        outcome
            .causes
            .push(format!("should have failed with {wanted:?} and did not"));
    }
    outcome
}

fn judge_test(section: &Section, outcome: &mut Outcome) {
    let name = section.name;
    let report = ktap::parse(&section.text);
    let counts = report.counts();
    outcome.tests.passed += counts.passed;
    outcome.tests.failed += counts.failed;
    outcome.tests.skipped += counts.skipped;
    let causes = &mut outcome.causes;
    for (test, diagnostics) in report.failures() {
        let diagnostics = diagnostics
            .iter()
            .map(|line| format!("\n    # {line}"))
            .collect::<String>();
        causes.push(format!("not ok: {name}: {test}{diagnostics}"));
    }
    causes.extend(report.problems.iter().map(|p| format!("{name}: {p}")));
    if report.tests.is_empty() {
        causes.push(format!("{name}: no KTAP result"));
    }
    match section.status {
        Some(0) => {}
        Some(status) => causes.push(format!("{name}: exit status {status}")),
        None => causes.push(format!("{name}: did not end")),
    }
    let skips = report.skips().into_iter();
    outcome
        .skips
        .extend(skips.map(|(test, reason)| (format!("{name}/{test}"), reason)));
}

/// Output of one test command.
#[derive(Debug, PartialEq, Eq)]
struct Section<'a> {
    name: &'a str,
    text: String,
    status: Option<i32>,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    const MARK: &str = "pontage-lab: ";
    let mut found: Vec<Section> = Vec::new();
    for line in text.lines() {
        let marked = line.split_once(MARK).map(|(_, rest)| rest.trim());
        if let Some(name) = marked.and_then(|s| s.strip_prefix("begin ")) {
            found.push(Section {
                name,
                text: String::new(),
                status: None,
            });
        } else if let Some(section) = found.last_mut().filter(|s| s.status.is_none()) {
            let ended = marked.and_then(|s| s.strip_prefix("end ")?.strip_prefix(section.name));
            match ended.and_then(|status| status.trim().parse().ok()) {
                Some(status) => section.status = Some(status),
                None => {
                    section.text.push_str(line);
                    section.text.push('\n');
                }
            }
        }
    }
    found
}

/// The time stamp of init's first line.
fn boot_s(console: &str) -> Option<f64> {
    let (before, _) = console.split_once("pontage-lab: ready")?;
    let line = before.rsplit('\n').next()?;
    let (_, stamp) = line.rsplit_once('[')?;
    stamp.trim_end().trim_end_matches(']').trim().parse().ok()
}

/// QEMU says why when it does not start.
fn gone(qemu: &str) -> String {
    let ended = "the guest ended without its END marker";
    match qemu.trim() {
        "" => ended.to_owned(),
        output => format!("{ended}; QEMU: {}", last_line(output)),
    }
}

fn last_line(log: &str) -> String {
    let line = log.lines().rev().map(str::trim).find(|l| !l.is_empty());
    line.map_or("the log is empty".to_owned(), |l| {
        l.chars().filter(|c| !c.is_control()).collect()
    })
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
