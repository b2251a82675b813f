//! Which points are exported where nothing is selected: few enough to scrape from many hosts,
//! and the same ones in each run, so that a dashboard stays true.
//!
//! The points of the toll map are its ways to move bytes at its sizes. An experiment that has no
//! row in it counts where it has a single point, because then its median is the whole result. A
//! sweep over many points has no single number to watch: it has to be named.

use crate::toll::COLUMNS_BYTES;
use analysis::{ExperimentTable, PointView};
use record::{PointState, TollHead};
use std::collections::BTreeSet;

/// Points of an experiment by their number in the run.
pub(super) fn points(table: &ExperimentTable) -> BTreeSet<u32> {
    let index = |p: &PointView| p.head.index;
    let done = || table.points.iter().filter(|p| is_done(p));
    if table.head.toll.is_empty() {
        let only = done().map(index).collect::<BTreeSet<u32>>();
        return match only.len() {
            1 => only,
            _ => BTreeSet::new(),
        };
    }
    let rows = table.head.toll.iter();
    let cells = rows.flat_map(|row| COLUMNS_BYTES.map(|bytes| (row, bytes)));
    let points = cells.filter_map(|(row, bytes)| done().find(|p| fills(p, row, bytes)));
    points.map(index).collect()
}

fn is_done(point: &PointView) -> bool {
    point.head.state == PointState::Done && !point.summaries.is_empty()
}

fn fills(point: &PointView, row: &TollHead, bytes: u64) -> bool {
    let has = |s: &record::Setting| point.head.value(&s.axis) == Some(&s.value);
    row.only.iter().all(has) && point.int(&row.size_axis) == i64::try_from(bytes).ok()
}
