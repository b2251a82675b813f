//! One experiment is one file; `table.rs` lists them all.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

pub mod axis_text;
mod compared;
pub mod conclude;
pub mod conclusion;
pub mod crossing;
pub mod dma;
pub mod durable;
pub mod experiment;
pub mod grid;
pub mod kernels;
mod left_over;
pub mod memory;
pub mod nearest;
pub mod neighbour;
mod partner;
pub mod plan;
pub mod pollution;
pub mod prose;
mod reading;
pub mod recipe;
mod relation;
pub mod scene;
mod scratch;
// Loaded by path so that its inline area modules resolve beside it:
// src/<area>/<name>.rs.
#[path = "table.rs"]
pub mod table;
#[cfg(test)]
mod testing;
pub mod transport;
#[cfg(test)]
mod trial;

pub use conclude::conclude;
pub use experiment::{Claim, Experiment, Listed, Preset};
pub use grid::{AxisSpec, Grid};
