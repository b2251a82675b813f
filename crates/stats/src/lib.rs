//! Pure numbers: quantiles, intervals, modes, knees, paired tests.
//!
//! No input, no output, no clock. Whatever resamples takes its random numbers
//! from a generator seeded with a constant, so equal data give equal answers.
//! Nothing here drops a value.
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

pub mod abba;
pub mod along;
pub mod change;
pub mod crossover;
pub mod curve;
pub mod dependence;
pub mod error;
pub mod family;
pub mod flips;
pub mod interval;
pub mod knees;
pub mod lattice;
pub mod moderated;
pub mod modes;
pub mod order;
pub mod overflow;
pub mod period;
pub mod plateau;
pub mod processes;
pub mod proportion;
pub mod quantile;
mod rank;
pub mod ratio;
pub mod rising;
mod rng;
mod segment;
mod student;
pub mod tail;
pub mod treads;
mod whole;

pub use abba::{Abba, mean_difference};
pub use change::{Change, ChangeKind, change};
pub use crossover::{Crossover, crossover};
pub use curve::CurvePoint;
pub use dependence::{Dependence, DependencePrior, dependence};
pub use error::StatsError;
pub use family::{Deviation, between, holm};
pub use flips::{Paired, flips};
pub use interval::{Interval, Method};
pub use knees::{Knee, KneeOptions, Knees, LogSegment, log_log_knees};
pub use lattice::step_of_differences;
pub use moderated::{SpreadPrior, moderated_interval, one_process_interval};
pub use modes::{Mode, modes, modes_on_grid};
pub use order::{effective_interval, median_interval};
pub use overflow::{Overflow, fit_overflow, overflowing};
pub use period::{Period, TimedMultiple, common_period};
pub use plateau::{Capacity, Plateau, PlateauOptions, Plateaus, plateaus};
pub use processes::process_interval;
pub use proportion::wilson;
pub use quantile::{mean, median, median_absolute_deviation, quantile, variance};
pub use ratio::{LogRatio, log_ratio, ratio_interval};
pub use rng::Rng;
pub use tail::{Tail, tail_interval};
pub use treads::{FlatPart, Rise, TreadOptions, Treads, treads};
pub use whole::{whole, whole_index, whole_signed};
