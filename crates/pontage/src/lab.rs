//! `pontage lab`: virtual machines for kernel work. Arguments, summary, exit
//! status; what happens is in the crate `lab`.

use crate::arguments::{LabCommand, TextOrJson};
use crate::failure::{DONE, FAILED, Failure, NOTHING_RUNS, Outcome};
use crate::output;
use lab::cache::Cache;
use lab::data::Data;
use lab::{Lab, Stop, Verdict};
use serde_json::json;
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// As a shell says of a program that SIGINT ended.
const INTERRUPTED: u8 = 130;

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Failed { message, hint } => Failure { message, hint },
            Stop::Skip { reason, remedy } => Failure::new(reason).hint(remedy),
            Stop::Interrupted => Failure::new("interrupted"),
        }
    }
}

pub fn run(command: &LabCommand) -> Outcome {
    let say = |line: &str| harness::message!("lab: {line}");
    let stop = harness::signals::stop_flag()
        .map_err(|e| Failure::new(format!("cannot listen to Ctrl-C: {e}")))?;
    let own = std::env::current_exe()
        .map_err(|e| Failure::new(format!("cannot find this program: {e}")))?;
    let lab = Lab::open(&root()?, Cache::of_user()?, own, &say, &stop)?;
    match command {
        LabCommand::List { format } => list(&lab, *format),
        LabCommand::Up {
            scenario,
            out,
            format,
        } => {
            // A name that is none is a mistake, not a scenario that failed.
            lab.data().scenario(scenario)?;
            let one = Some(NonZeroUsize::MIN);
            all(&lab, std::slice::from_ref(scenario), out, one, *format)
        }
        LabCommand::Test {
            scenarios,
            group,
            jobs,
            out,
            format,
        } => {
            let names = chosen(lab.data(), scenarios, group.as_deref())?;
            all(&lab, &names, out, *jobs, *format)
        }
        LabCommand::Shell { scenario, out } => shell(&lab, scenario, out),
    }
}

/// The scenarios that are named, those of a group, or the everyday tests.
fn chosen(data: &Data, named: &[String], group: Option<&str>) -> Result<Vec<String>, Stop> {
    if let Some(group) = group {
        return data.group(group);
    }
    if named.is_empty() {
        let tests = data.scenarios.iter().filter(|(_, s)| s.test);
        return Ok(tests.map(|(name, _)| name.clone()).collect());
    }
    for name in named {
        data.scenario(name)?;
    }
    Ok(named.to_vec())
}

/// The clone that the current folder is in.
fn root() -> Result<PathBuf, Failure> {
    let here = std::env::current_dir()
        .map_err(|e| Failure::new(format!("cannot find the current folder: {e}")))?;
    here.ancestors()
        .find(|folder| folder.join("lab/scenarios").is_dir())
        .map(Path::to_owned)
        .ok_or_else(|| {
            Failure::new("cannot find lab/scenarios: not here, nor in a folder above")
                .hint("the laboratory's files are in a clone of Pontage: cd there")
        })
}

fn shell(lab: &Lab, scenario: &str, out: &Path) -> Outcome {
    match lab.shell(scenario, out) {
        Ok(folder) => {
            harness::message!("lab: log and results in {}", folder.display());
            Ok(DONE)
        }
        Err(Stop::Skip { reason, remedy }) => {
            harness::message!("SKIP {scenario}: {reason}\n  remedy: {remedy}");
            Ok(NOTHING_RUNS)
        }
        Err(Stop::Interrupted) => Ok(INTERRUPTED),
        Err(stop) => Err(stop.into()),
    }
}

fn all(
    lab: &Lab,
    names: &[String],
    out: &Path,
    jobs: Option<NonZeroUsize>,
    format: TextOrJson,
) -> Outcome {
    let jobs = jobs
        .or_else(|| std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN);
    let mut printed = Ok(DONE);
    let outcomes = lab.all(names, out, jobs, |outcome| {
        if format == TextOrJson::Text && printed.is_ok() {
            printed = output::data(&line(outcome));
        }
    });
    printed?;
    let (each, interrupted) = (&outcomes.each, outcomes.interrupted);
    match format {
        TextOrJson::Text => output::data(&summary(each, interrupted))?,
        TextOrJson::Json => output::json(&json!({
            "interrupted": interrupted,
            "scenarios": each,
        }))?,
    };
    let any = |verdict: Verdict| each.iter().any(|o| o.verdict == verdict);
    Ok(match () {
        () if interrupted => INTERRUPTED,
        () if any(Verdict::Failed) => FAILED,
        () if any(Verdict::Passed) => DONE,
        () => NOTHING_RUNS,
    })
}

/// One scenario for people.
fn line(outcome: &lab::Outcome) -> String {
    let word = match outcome.verdict {
        Verdict::Passed => "ok",
        Verdict::Failed => "FAILED",
        Verdict::Skipped => "SKIP",
    };
    let mut text = format!("{word:<7} {:<18}", outcome.scenario);
    if outcome.boots > 0 {
        let tests = outcome.tests;
        let _ = write!(
            text,
            " {} passed, {} failed, {} skipped",
            tests.passed, tests.failed, tests.skipped
        );
    }
    if let Some(kernel) = &outcome.kernel {
        let _ = write!(text, "; {kernel}");
    }
    if let Some(boot_s) = outcome.boot_s {
        let _ = write!(text, "; init after {boot_s:.1} s (emulated)");
    }
    if let Some(host_s) = outcome.host_s {
        let _ = write!(text, "; took {host_s:.0} s");
    }
    if outcome.trial && outcome.verdict == Verdict::Passed {
        text.push_str("; failed, as this trial must");
    }
    if outcome.kills > 0 {
        let _ = write!(text, "; killed {} times before", outcome.kills);
    }
    if outcome.retried {
        let _ = write!(text, "; the emulation was at fault once, booted again");
    }
    text.push('\n');
    for counted in &outcome.counted {
        let _ = writeln!(
            text,
            "        {}",
            counted.text().trim_end().replace('\n', "\n        ")
        );
    }
    write_causes(&mut text, outcome);
    if let Some(remedy) = &outcome.remedy {
        let _ = writeln!(text, "        remedy: {remedy}");
    }
    if let Some(folder) = &outcome.folder {
        let _ = writeln!(text, "        logs: {}", folder.display());
    }
    text
}

fn write_causes(text: &mut String, outcome: &lab::Outcome) {
    for cause in &outcome.causes {
        let _ = writeln!(text, "        {}", cause.replace('\n', "\n        "));
    }
}

/// The count, and behind it once more what failed: between its line and the end
/// there may be an hour of others.
fn summary(outcomes: &[lab::Outcome], interrupted: bool) -> String {
    let count = |verdict: Verdict| outcomes.iter().filter(|o| o.verdict == verdict).count();
    let mut text = format!(
        "{} scenarios passed, {} failed, {} skipped{}\n",
        count(Verdict::Passed),
        count(Verdict::Failed),
        count(Verdict::Skipped),
        if interrupted { "; interrupted" } else { "" }
    );
    for failed in outcomes.iter().filter(|o| o.verdict == Verdict::Failed) {
        let _ = writeln!(text, "FAILED  {}", failed.scenario);
        write_causes(&mut text, failed);
    }
    text
}

fn list(lab: &Lab, format: TextOrJson) -> Outcome {
    let data = lab.data();
    if format == TextOrJson::Json {
        let scenarios = data.scenarios.iter().map(|(name, scenario)| {
            let missing = lab.check(name).err().map(|stop| stop.to_string());
            (
                name.clone(),
                json!({"scenario": scenario, "missing": missing}),
            )
        });
        let scenarios: serde_json::Map<_, _> = scenarios.collect();
        return output::json(&json!({
            "kernels": data.kernels, "machines": data.machines, "scenarios": scenarios,
        }));
    }
    let mut text = String::from("kernels\n");
    for (name, kernel) in &data.kernels {
        let _ = writeln!(text, "  {name:<18} {}", kernel.about);
    }
    text.push_str("machines\n");
    for (name, machine) in &data.machines {
        let _ = writeln!(text, "  {name:<18} {}", machine.about);
    }
    text.push_str("scenarios\n");
    for (name, scenario) in &data.scenarios {
        let test = match (scenario.test, &scenario.group) {
            (true, _) => String::new(),
            (false, None) => " (not part of lab test)".to_owned(),
            (false, Some(group)) => format!(" (lab test --group {group})"),
        };
        let _ = writeln!(text, "  {name:<18} {}{test}", scenario.about);
        let _ = writeln!(
            text,
            "  {:<18} {} on {}",
            "", scenario.kernel, scenario.machine
        );
        if let Err(stop) = lab.check(name) {
            let _ = writeln!(text, "  {:<18} {stop}", "");
        }
    }
    output::data(&text)
}
