//! Reference machines.
//!
//! An [`Entry`] is what a run measured in some kilobytes of JSON that people can review: the
//! machine, the conditions, and one line for each value with its interval. Those of `docs/gallery`
//! are built in. [`Placed`] is a machine next to others: each value with the ratio to theirs.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
#![forbid(unsafe_code)]

mod built_in;
mod entry;
mod of_run;
mod placed;

pub use built_in::built_in;
pub use entry::{Entry, FORMAT, Machine, Measured, Unreadable, Value, ValueUnit};
pub use placed::{Next, Placed, Row, Side};
