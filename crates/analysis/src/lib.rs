//! From records to judgements: summaries with intervals, modes and a
//! contamination verdict for each point, and comparisons of two runs.
//!
//! Reads records, never live state; no drawing, no printing.
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

pub mod around;
pub mod at_best;
pub mod claims;
pub mod compare;
pub mod compared;
pub mod conclusion;
pub mod contamination;
pub mod copies;
pub mod doubt;
pub mod in_parallel;
pub mod inference;
pub mod knees;
pub mod level;
pub mod line;
pub mod load;
pub mod numbers;
pub mod paired;
pub mod pick;
pub mod probe_effect;
pub mod rows;
pub mod sentence;
pub mod series;
pub mod singles;
pub mod speed;
pub mod staircase;
pub mod steps;
pub mod summarise;
pub mod two_levels;
pub mod under_load;
pub mod view;

pub use around::Around;
pub use at_best::AtBest;
pub use compare::{
    CompareOptions, Comparison, Difference, ExperimentChange, Outcome, PointChange, Side, compare,
    compare_with, machines_differ,
};
pub use contamination::{judge_point, judge_run};
pub use doubt::doubt;
pub use in_parallel::in_parallel;
pub use load::load;
pub use rows::rows;
pub use series::Likes;
pub use speed::{CpuSpeed, Usual};
pub use stats::{Abba, Interval, median, median_interval, whole, whole_index, whole_signed};
pub use summarise::{OfRun, summarise, summarise_measured};
pub use view::{
    Contamination, ContaminationLevel, ExperimentTable, Mode, PointView, RunView, Summary,
};
