//! A recorded run as its readers see it.

use crate::summarise::{spread_of_run, summarise_measured};
use crate::view::RunView;
use record::{RecordError, Run};

/// Reads every table of a run and summarises its points.
///
/// # Errors
/// A table that is missing, changed or damaged; the others are then not read
/// either, because half a run silently shown is worse than none.
pub fn load(run: &Run) -> Result<RunView, RecordError> {
    let head = run.head();
    let samples = head
        .experiments
        .iter()
        .map(|experiment| run.samples(&experiment.id))
        .collect::<Result<Vec<_>, RecordError>>()?;
    let of_run = spread_of_run(samples.iter());
    let tables = head
        .experiments
        .iter()
        .zip(&samples)
        .map(|(experiment, samples)| {
            summarise_measured(
                experiment,
                &head.points,
                samples,
                Some(&head.instrument),
                of_run.as_ref(),
            )
        })
        .collect();
    Ok(RunView {
        head: head.clone(),
        tables,
    })
}
