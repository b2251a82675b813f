//! `pontage compare`: what changed between two runs beyond noise.

mod history;

use crate::failure::{self, DONE, FAILED, Failure, NOTHING_RUNS};
use crate::flags::TableFormat;
use crate::{arguments, output, runs};
use analysis::compare::Verdict;
use analysis::{CompareOptions, Comparison, PointChange};
use std::path::{Path, PathBuf};

/// Columns in which no name of a point is broken: what shows Markdown breaks lines itself.
const UNBROKEN: usize = 1000;

/// Compares run B with run A. Exit status 1 when something got worse, 77 when the runs cannot
/// tell.
///
/// # Errors
/// A run that cannot be read, a threshold that is none.
pub fn run(arguments: &arguments::Compare) -> failure::Outcome {
    let threshold = threshold(arguments.threshold)?;
    let [of_a, of_b] = asked(arguments)?;
    let (_, a) = runs::open(&of_a)?;
    let (_, b) = runs::open(&of_b)?;
    let options = CompareOptions {
        threshold,
        across_machines: arguments.across_machines,
    };
    let history = history::of(arguments.history.as_ref(), (&of_a, &a), (&of_b, &b))?;
    let comparison = analysis::compare_with(&a, &b, options, &history);
    let document = || match arguments.all {
        true => report::terminal::comparison(&comparison),
        false => {
            let width = match arguments.format {
                TableFormat::Markdown => UNBROKEN,
                _ => output::width(),
            };
            report::terminal::comparison_brief(&comparison, [&a, &b], width)
        }
    };
    let sheet = || report::compared::sheet(&comparison);
    output::tabled(arguments.format, document, || &comparison, sheet)?;
    Ok(match comparison.gate.verdict {
        Verdict::Passed => DONE,
        Verdict::Failed => FAILED,
        Verdict::Unknown => {
            unknown([&of_a, &of_b], &comparison);
            NOTHING_RUNS
        }
    })
}

/// The baseline of a run, or that of a name, and the run.
fn with_baseline(asked: Option<&PathBuf>, name: Option<&str>) -> Result<[PathBuf; 2], Failure> {
    let b = runs::given_or_newest(asked)?;
    let a = runs::baseline_for(&b, name)?;
    if a.canonicalize().ok() == b.canonicalize().ok() {
        return Err(Failure::new(format!(
            "cannot compare {} with its baseline: it is the baseline",
            b.display()
        ))
        .hint("measure again: pontage run; or name another run: pontage compare --baseline RUN"));
    }
    Ok([a, b])
}

/// The folders of A and B: of one RUN, that and the newest; of none, the two newest.
fn asked(arguments: &arguments::Compare) -> Result<[PathBuf; 2], Failure> {
    if let Some(name) = &arguments.baseline {
        return with_baseline(arguments.a.as_ref(), name.as_deref());
    }
    // Of the run to judge, not of the newest.
    if arguments.a.as_deref() == Some(Path::new(runs::shelf::BASELINE)) {
        return with_baseline(arguments.b.as_ref(), None);
    }
    let a = match &arguments.a {
        Some(asked) => runs::find(asked)?,
        None => runs::shelf()?.previous()?.folder.clone(),
    };
    let b = runs::given_or_newest(arguments.b.as_ref())?;
    let same = || a.canonicalize().ok() == b.canonicalize().ok();
    if arguments.b.is_none() && same() {
        let a = a.display();
        return Err(Failure::new(format!(
            "cannot compare {a} with the latest run: it is that run"
        ))
        .hint(format!("name the run to judge: pontage compare {a} RUN")));
    }
    Ok([a, b])
}

/// As a share of what is compared.
///
/// # Errors
/// Where it is none.
pub fn threshold(percent: f64) -> Result<f64, Failure> {
    if !(percent.is_finite() && (0.0..1000.0).contains(&percent)) {
        return Err(Failure::new(format!(
            "cannot compare with threshold {percent}: it must be a percentage from 0 to 1000"
        )));
    }
    Ok(percent / 100.0)
}

/// Says why there is no verdict, and what would give one.
fn unknown(runs: [&Path; 2], comparison: &Comparison) {
    let [a, b] = runs.map(Path::display);
    if let Some(obstacle) = &comparison.obstacle {
        harness::message!(
            "pontage: SKIP: nothing was compared: {obstacle}\nhint: to judge anyway: pontage \
             compare {a} {b} --across-machines"
        );
        return;
    }
    let gate = &comparison.gate;
    let what = match gate.judged {
        0 => "nothing was compared",
        _ => "no verdict",
    };
    let worst = gate.worst.first().map(|at| &comparison.points[*at]);
    let hint = match (gate.judged, gate.history == 0, worst) {
        (0, ..) => "measure the same experiments twice: pontage run ID; to see what each has: \
                    pontage report RUN"
            .to_owned(),
        (_, true, Some(point)) => format!(
            "repeat A's run at least twice: those runs show how far this machine's runs differ; \
             or measure what changed in turn, with --binary, --between or --env: {}",
            in_turn(point)
        ),
        (_, true, None) => "repeat A's run at least twice: those runs show how far this \
                            machine's runs differ; or measure both sides in turn: pontage ab"
            .to_owned(),
        (_, false, _) => "measure both again on a quiet machine, or in turn: pontage ab".to_owned(),
    };
    harness::message!(
        "pontage: SKIP: {what}: {}\nhint: {hint}",
        gate.reasons.join("; ")
    );
}

/// The command that measures a point on both sides in turn.
fn in_turn(point: &PointChange) -> String {
    let axis = |s: &record::Setting| {
        let value = format!("{}={}", s.axis, s.value);
        // Words such as `4/10 ms`.
        match value.contains(' ') {
            true => format!(" --axis '{value}'"),
            false => format!(" --axis {value}"),
        }
    };
    let axes: String = point.settings.iter().map(axis).collect();
    format!("pontage ab {}{axes}", point.experiment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Setting, Unit};

    #[test]
    fn the_command_for_a_point_can_be_typed() {
        let setting = |axis: &str, value: &str| Setting {
            axis: axis.into(),
            value: value.into(),
        };
        let point = PointChange {
            experiment: "sched/slice".into(),
            settings: vec![setting("policy", "rr"), setting("rank", "4/10 ms")],
            metric: "slice".into(),
            unit: Unit::Nanoseconds,
            lower_is_better: true,
            a: None,
            b: None,
            ratio: None,
            cycle_ratio: None,
            core_ratio: None,
            adjusted_p: None,
            decides: true,
            outcome: analysis::Outcome::Worse,
            reason: None,
        };
        assert_eq!(
            in_turn(&point),
            "pontage ab sched/slice --axis policy=rr --axis 'rank=4/10 ms'"
        );
    }
}
