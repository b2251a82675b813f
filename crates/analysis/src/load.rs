//! A recorded run as its readers see it.

use crate::summarise::summarise_measured;
use crate::view::RunView;
use record::{RecordError, Run};

/// Reads every table of a run and summarises its points.
///
/// # Errors
/// A table that is missing, changed or damaged; the others are then not read
/// either, because half a run silently shown is worse than none.
pub fn load(run: &Run) -> Result<RunView, RecordError> {
    let head = run.head();
    let tables = head
        .experiments
        .iter()
        .map(|experiment| {
            let samples = run.samples(&experiment.id)?;
            Ok(summarise_measured(
                experiment,
                &head.points,
                &samples,
                Some(&head.instrument),
            ))
        })
        .collect::<Result<_, RecordError>>()?;
    Ok(RunView {
        head: head.clone(),
        tables,
    })
}
