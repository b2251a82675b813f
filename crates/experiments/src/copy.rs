//! Copies by the CPU: in user space, into the kernel and out of it.

pub mod from_user;
pub mod memcpy;
#[cfg(test)]
mod tests;
pub mod to_user;

use catalogue::Experiment;
use engines::crossing::{self, findings, layout};

/// What copies into the kernel and out of it have in common: all but their paths.
const CROSSING: Experiment = Experiment {
    parts: crossing::PARTS,
    shape: crossing::shape,
    bytes_per_op: |point| Some(point.size("size") as u64),
    figures: layout::figures,
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
    singly: true,
    ..Experiment::EMPTY
};
