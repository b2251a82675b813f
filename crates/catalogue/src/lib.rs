//! What an experiment is: the form it fills in, the points it visits, the recipe
//! that asks for it, the plan of a run, and the prose that explains it. Knows no
//! experiment and no engine.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]
#![forbid(unsafe_code)]

pub mod axis_text;
mod catalogue;
mod conclude;
mod experiment;
mod figure;
mod grid;
#[cfg(test)]
mod made;
pub mod moment;
pub mod nearest;
pub mod plan;
mod preset;
pub mod prose;
pub mod recipe;
pub mod selection;

pub use catalogue::{Catalogue, Quantities};
pub use conclude::{answers, conclude, conclude_by, from_answers};
pub use experiment::{Claim, Experiment, Listed, Setup, Tally, part};
pub use figure::{Figure, toll_row};
pub use grid::{AxisSpec, Grid, KIB, MIB, MILLISECOND, doubling, geometric, joined, only, setting};
pub use preset::Preset;
pub use selection::Unknown;
