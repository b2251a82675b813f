//! Simulated machines of known make: what a method of measuring says of them can be held
//! against what they are.
//!
//! `cores` describes real cores as data. `hierarchy` is a machine made from such a
//! description: caches, TLBs, prefetchers, other tasks and stolen time, all from one seed.
//! Nothing here reads a clock or the machine it runs on, so equal seeds give equal times.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 indices are narrower than simulated addresses.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]
#![forbid(unsafe_code)]

pub mod conditions;
pub mod cores;
pub mod curves;
pub mod decidable;
pub mod hierarchy;
pub mod judge;
pub mod kept;
pub mod points;
pub mod recipe;
pub mod reliability;
pub mod stage;
pub mod truth;

pub use cores::Core;
pub use hierarchy::{Counts, Guest, Kernel, Memory, Neighbour, Surroundings};
