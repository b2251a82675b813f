//! Recorded copies become points: by routine and size, and by caller. What is
//! drawn of them is drawn from these, so that a figure needs no table of millions
//! of rows.

mod heads;
mod tally;

pub use heads::{CALLERS, TRACE, heads};
pub use tally::Tally;

use record::{PointHead, RecordError, Run, RunState, Sample};

/// Whether an experiment's samples are sums over recorded copies.
pub(crate) fn are_events_of(experiment: &str) -> bool {
    [TRACE, CALLERS].contains(&experiment)
}

/// Points of copies that a recording left behind when it was killed: a record
/// that was closed has them.
///
/// # Errors
/// Copies that cannot be read.
pub(crate) fn left_behind(run: &Run) -> Result<Vec<(PointHead, Vec<Sample>)>, RecordError> {
    let head = run.head();
    let has_points = head.points.iter().any(|p| p.experiment == TRACE);
    if has_points || head.state == RunState::Complete {
        return Ok(Vec::new());
    }
    let Some(copies) = run.copies(TRACE)? else {
        return Ok(Vec::new());
    };
    let mut tally = Tally::default();
    copies.iter().for_each(|copy| tally.add(copy));
    let first = u32::try_from(head.points.len()).unwrap_or(u32::MAX);
    Ok(tally.points(first, &|_| None))
}
