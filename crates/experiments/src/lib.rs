//! One experiment is one file; `table.rs` lists them all.

pub mod conclusion;
pub mod experiment;
pub mod grid;
pub mod memory;
pub mod prose;
// Loaded by path so that its inline area modules resolve beside it:
// src/<area>/<name>.rs.
#[path = "table.rs"]
pub mod table;

pub use experiment::{Claim, Experiment, Listed, Preset};
pub use grid::{AxisSpec, Grid};
