//! What counting did to the time of a point, from passes without and with counters in turn.

use crate::view::{ExperimentTable, PointView};
use record::PROBE_EFFECT;

/// Times that differ by more are of another operation than the one that is counted: the
/// share above which two runs are said to differ, too.
pub const SLOWED: f64 = 0.05;

/// Says that counters slow the operation of a point down: where the middle of the ratios of
/// all blocks is above the threshold, and their interval above 1.
pub fn alarm(table: &ExperimentTable, point: &PointView) -> Option<String> {
    let metric = table
        .head
        .metrics
        .iter()
        .position(|m| m.name == PROBE_EFFECT)?;
    let effect = point.summary(u16::try_from(metric).ok()?)?;
    let ratio = &effect.median;
    let sure = !ratio.is_none() && ratio.low > 1.0;
    (ratio.center > 1.0 + SLOWED && sure).then(|| {
        format!(
            "with counters this takes {:.2} times as long as without ({:.2} to {:.2}): its counts \
             are of a slowed operation, its time is of passes without",
            ratio.center, ratio.low, ratio.high
        )
    })
}
