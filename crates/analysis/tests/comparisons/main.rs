//! Verdicts on runs built with a known difference.

mod conditions;
mod noise;
mod refusals;
mod runs;
mod thresholds;
mod verdicts;
