//! Verdicts on runs built with a known difference.

mod conditions;
mod cpu;
mod gate;
mod noise;
mod refusals;
mod runs;
mod thresholds;
mod verdicts;
