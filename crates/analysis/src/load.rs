//! A recorded run as its readers see it.

use crate::copies;
use crate::summarise::{spread_of_run, summarise_measured};
use crate::view::RunView;
use record::{RecordError, Run};

/// Reads every table of a run and summarises its points.
///
/// # Errors
/// A table that is missing, changed or damaged; the others are then not read
/// either, because half a run silently shown is worse than none.
pub fn load(run: &Run) -> Result<RunView, RecordError> {
    let mut head = run.head().clone();
    let mut samples = head
        .experiments
        .iter()
        .map(|experiment| run.samples(&experiment.id))
        .collect::<Result<Vec<_>, RecordError>>()?;
    for (point, taken) in copies::left_behind(run)? {
        let experiment = head
            .experiments
            .iter()
            .position(|e| e.id == point.experiment);
        if let Some(experiment) = experiment {
            if !taken.is_empty() {
                samples[experiment].insert(point.index, taken);
            }
            head.points.push(point);
        }
    }
    let of_run = spread_of_run(samples.iter());
    let tables = head
        .experiments
        .iter()
        .zip(&samples)
        .map(|(experiment, samples)| {
            let mut table = summarise_measured(
                experiment,
                &head.points,
                samples,
                Some(&head.instrument),
                of_run.as_ref(),
            );
            if copies::are_events_of(&experiment.id) {
                // Nobody watched what disturbed them.
                table.points.iter_mut().for_each(|p| p.contamination = None);
            }
            table
        })
        .collect();
    Ok(RunView { head, tables })
}
