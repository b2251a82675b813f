//! What is left of a plan for the instrument to measure, and what that is expected to take.

use super::pace::Pace;
use super::progress::Expected;
use catalogue::plan::{Plan, Planned};
use harness::PlannedExperiment;
use std::collections::BTreeSet;

/// The plan's blocks for the instrument, without points that are measured.
pub fn without(plan: &Plan, done: &BTreeSet<u32>) -> Vec<PlannedExperiment> {
    let without = |planned: &Planned| {
        let blocks = planned.blocks.iter().map(|block| {
            let points = block
                .points
                .iter()
                .filter(|point| !done.contains(&point.index));
            let points = points.map(|point| harness::PlannedPoint {
                point: point.clone(),
                sampling: block.sampling,
                parts: planned.listed.parts(),
                bytes_per_op: (planned.listed.experiment.bytes_per_op)(point),
            });
            harness::Block {
                points: points.collect(),
            }
        });
        PlannedExperiment {
            id: planned.listed.id.to_owned(),
            blocks: blocks.filter(|block| !block.points.is_empty()).collect(),
        }
    };
    let all = plan.experiments.iter().map(without);
    all.filter(|planned| !planned.blocks.is_empty()).collect()
}

/// What these experiments of a plan are expected to take.
pub fn expected(plan: &Plan, jobs: &[PlannedExperiment], pace: &Pace) -> Expected {
    let mut planned = plan.experiments.iter();
    let measured = jobs
        .iter()
        .filter_map(|job| planned.find(|p| p.listed.id == job.id));
    pace.expected(plan, measured)
}
