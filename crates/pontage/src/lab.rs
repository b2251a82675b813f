//! `pontage lab`: virtual machines for kernel work. Arguments, summary, exit
//! status; what happens is in the crate `lab`.

use crate::arguments::LabCommand;
use crate::failure::{DONE, FAILED, Failure, INTERRUPTED, NOTHING_RUNS, Outcome};
use crate::flags::Format;
use crate::output;
use lab::cache::Cache;
use lab::data::Data;
use lab::{Lab, Stop, Verdict};
use report::document::{Document, Text};
use serde_json::json;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Columns of a name in a list.
const NAME: usize = 19;

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
        .map_err(|e| Failure::new(format!("cannot catch Ctrl-C: {e}")))?;
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
                .hint("the laboratory's files are in a clone of Pontage: change to its folder")
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
    format: Format,
) -> Outcome {
    let jobs = jobs
        .or_else(|| std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN);
    let mut printed = Ok(DONE);
    let outcomes = lab.all(names, out, jobs, |outcome| {
        if format != Format::Json && printed.is_ok() {
            printed = output::shown(format, &scenario(outcome));
        }
    });
    printed?;
    let (each, interrupted) = (&outcomes.each, outcomes.interrupted);
    let facts = || json!({"interrupted": interrupted, "scenarios": each});
    output::study(format, || summary(each, interrupted), facts)?;
    let any = |verdict: Verdict| each.iter().any(|o| o.verdict == verdict);
    Ok(match () {
        () if interrupted => INTERRUPTED,
        () if any(Verdict::Failed) => FAILED,
        () if any(Verdict::Passed) => DONE,
        () => NOTHING_RUNS,
    })
}

/// One scenario for people.
fn scenario(outcome: &lab::Outcome) -> Document {
    let word = match outcome.verdict {
        Verdict::Passed => "ok",
        Verdict::Failed => "FAILED",
        Verdict::Skipped => "SKIP",
    };
    let text = Text::line(facts(outcome)).label(0, word, 8);
    let mut document = Document::from(text.label(0, outcome.scenario.as_str(), 18));
    let counted = outcome
        .counted
        .iter()
        .map(|counted| counted.text().trim_end().to_owned());
    document.append(below(counted));
    document.append(below(&outcome.causes));
    let suspected = outcome.suspected.iter();
    document.append(below(
        suspected.map(|cause| format!("an earlier boot failed with: {cause}")),
    ));
    let remedy = outcome.remedy.as_ref();
    document.append(below(remedy.map(|remedy| format!("remedy: {remedy}"))));
    let folder = outcome.folder.as_ref();
    document.append(below(
        folder.map(|folder| format!("logs: {}", folder.display())),
    ));
    document
}

/// What is known of a scenario's run, on its line.
fn facts(outcome: &lab::Outcome) -> String {
    let tests = outcome.tests;
    let counts = (outcome.boots > 0).then(|| {
        format!(
            " {} passed, {} failed, {} skipped",
            tests.passed, tests.failed, tests.skipped
        )
    });
    let kernel = outcome.kernel.as_ref().map(|kernel| format!("; {kernel}"));
    let boot = outcome.boot_s;
    let boot = boot.map(|s| format!("; init after {s:.1} s (emulated)"));
    let host = outcome.host_s.map(|s| format!("; took {s:.0} s"));
    let trial = outcome.trial && outcome.verdict == Verdict::Passed;
    let trial = trial.then(|| "; failed, as this trial should".to_owned());
    let kills = outcome.kills;
    let kills = (kills > 0).then(|| format!("; killed {kills} times before"));
    let again = "; the emulation failed once, booted again";
    let again = outcome.retried.then(|| again.to_owned());
    let all = [counts, kernel, boot, host, trial, kills, again];
    all.into_iter().flatten().collect()
}

/// Lines under that of their scenario.
fn below<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Document {
    let mut document = Document::new();
    for text in texts {
        let lines = text.as_ref().split('\n');
        document.extend(lines.map(|line| Text::line(line).lead("        ")));
    }
    document
}

/// The count, and behind it once more what failed: between its line and the end
/// there may be an hour of others.
fn summary(outcomes: &[lab::Outcome], interrupted: bool) -> Document {
    let count = |verdict: Verdict| outcomes.iter().filter(|o| o.verdict == verdict).count();
    let mut document = Document::new();
    document.line(format!(
        "{} scenarios passed, {} failed, {} skipped{}",
        count(Verdict::Passed),
        count(Verdict::Failed),
        count(Verdict::Skipped),
        if interrupted { "; interrupted" } else { "" }
    ));
    for failed in outcomes.iter().filter(|o| o.verdict == Verdict::Failed) {
        document.line(format!("FAILED  {}", failed.scenario));
        document.append(below(&failed.causes));
    }
    document
}

fn list(lab: &Lab, format: Format) -> Outcome {
    let data = lab.data();
    let facts = || {
        let scenarios = data.scenarios.iter().map(|(name, scenario)| {
            let missing = lab.check(name).err().map(|stop| stop.to_string());
            let facts = json!({"scenario": scenario, "missing": missing});
            (name.clone(), facts)
        });
        let scenarios: serde_json::Map<_, _> = scenarios.collect();
        json!({"kernels": data.kernels, "machines": data.machines, "scenarios": scenarios})
    };
    output::study(format, || table(lab), facts)
}

fn table(lab: &Lab) -> Document {
    let data = lab.data();
    let mut document = Document::new();
    let named = |name: &str, about: &str| Text::line(about).label(2, name, NAME);
    document.line("kernels");
    for (name, kernel) in &data.kernels {
        document.text(named(name, &kernel.about));
    }
    document.line("machines");
    for (name, machine) in &data.machines {
        document.text(named(name, &machine.about));
    }
    document.line("scenarios");
    for (name, scenario) in &data.scenarios {
        let test = match (scenario.test, &scenario.group) {
            (true, _) => String::new(),
            (false, None) => " (not part of lab test)".to_owned(),
            (false, Some(group)) => format!(" (lab test --group {group})"),
        };
        document.text(named(name, &format!("{}{test}", scenario.about)));
        let on = format!("{} on {}", scenario.kernel, scenario.machine);
        document.text(named("", &on));
        if let Err(stop) = lab.check(name) {
            document.text(named("", &stop.to_string()));
        }
    }
    document
}
