//! From records to judgements: summaries with intervals, modes and a
//! contamination verdict for each point, and comparisons of two runs.
//!
//! Reads records, never live state; no drawing, no printing.

pub mod view;

pub use view::{Contamination, ExperimentTable, Mode, PointView, RunView, Summary};
