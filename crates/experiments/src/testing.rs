//! Tables with the heads of listed experiments.

use analysis::{ExperimentTable, PointView};

/// A table of the experiment listed under `id`.
pub fn table(id: &str, points: Vec<PointView>) -> ExperimentTable {
    let listed = crate::all().find(id).expect("the experiment is listed");
    ExperimentTable {
        head: listed.head(&record::MachineCard::default()),
        points,
    }
}
