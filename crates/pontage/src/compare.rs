//! `pontage compare`: what changed between two runs beyond noise.

use crate::failure::{self, DONE, FAILED, Failure, NOTHING_RUNS};
use crate::{arguments, output, runs};
use analysis::{CompareOptions, Comparison, Outcome};

/// Compares run B with run A. Exit status 1 when something got worse, 77 when no point
/// could be compared.
///
/// # Errors
/// A run that cannot be read, a threshold that is none.
pub fn run(arguments: &arguments::Compare) -> failure::Outcome {
    let percent = arguments.threshold;
    if !(percent.is_finite() && (0.0..1000.0).contains(&percent)) {
        return Err(Failure::new(format!(
            "cannot compare with threshold {percent}: it must be a percentage from 0 to 1000"
        )));
    }
    let (_, a) = runs::open(&arguments.a)?;
    let (_, b) = runs::open(&arguments.b)?;
    let options = CompareOptions {
        threshold: percent / 100.0,
        across_machines: arguments.across_machines,
    };
    let comparison = analysis::compare_with(&a, &b, options);
    let document = || report::terminal::comparison(&comparison);
    output::study(arguments.format, document, || &comparison)?;
    if let Some(obstacle) = &comparison.obstacle {
        let (a, b) = (arguments.a.display(), arguments.b.display());
        harness::message!(
            "note: no point is judged: {obstacle}\nhint: to judge anyway: pontage compare {a} {b} \
             --across-machines"
        );
    }
    if comparison.regressions() > 0 {
        return Ok(FAILED);
    }
    if compared(&comparison) {
        return Ok(DONE);
    }
    nothing_compared(&comparison);
    Ok(NOTHING_RUNS)
}

/// Whether any point has a verdict.
fn compared(comparison: &Comparison) -> bool {
    let mut points = comparison.points.iter();
    points.any(|point| point.outcome != Outcome::NotComparable)
}

fn nothing_compared(comparison: &Comparison) {
    let cause = match (&comparison.obstacle, comparison.points.as_slice()) {
        (Some(_), _) => return harness::message!("pontage: SKIP: nothing was compared"),
        (None, []) => "the runs have no point in common",
        (None, _) => "no point was measured well enough in both runs",
    };
    harness::message!(
        "pontage: SKIP: nothing was compared: {cause}\nhint: measure the same experiments twice: \
         pontage run ID; to see what each has: pontage report RUN"
    );
}
