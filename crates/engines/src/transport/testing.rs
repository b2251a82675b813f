//! Tables as every transport measures them.

use super::{PARTS, TALLIES};
use analysis::{ExperimentTable, PointView};
use catalogue::Experiment;
use testbed::table_of;

/// A table of these points with the metrics of all transports.
pub fn measured_by(id: &str, points: Vec<PointView>) -> ExperimentTable {
    let transport = Experiment {
        parts: PARTS,
        tallies: TALLIES,
        ..Experiment::EMPTY
    };
    table_of(id, transport.metrics(), points)
}
