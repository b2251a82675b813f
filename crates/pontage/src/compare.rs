//! `pontage compare`: what changed between two runs beyond noise.

use crate::failure::{DONE, FAILED, Failure, Outcome};
use crate::{arguments, output, runs};
use analysis::CompareOptions;

/// Compares run B with run A. Exit status 1 when something got worse.
///
/// # Errors
/// A run that cannot be read, a threshold that is none.
pub fn run(arguments: &arguments::Compare) -> Outcome {
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
    if arguments.format == arguments::TextOrJson::Json {
        output::json(&comparison)?;
    } else {
        let text =
            report::terminal::render_comparison(&comparison, output::width(), output::colour());
        output::data(&text)?;
    }
    if let Some(obstacle) = &comparison.obstacle {
        let (a, b) = (arguments.a.display(), arguments.b.display());
        harness::message!(
            "note: no point is judged: {obstacle}\n\
             hint: judge all the same with: pontage compare {a} {b} --across-machines"
        );
    }
    Ok(if comparison.regressions() > 0 {
        FAILED
    } else {
        DONE
    })
}
