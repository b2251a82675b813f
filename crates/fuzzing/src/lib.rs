//! Fuzzing: everything that reads bytes from outside, each with a body that may
//! be handed any bytes at all. It must come back, without a panic, and what it
//! accepted must make sense.
//!
//! The fuzzer (`fuzz/`, a workspace of its own with its own compiler flags) and
//! the replay of the committed corpus (`tests/replay.rs`) call the same bodies.

#![forbid(unsafe_code)]

pub mod json;
mod parts;
pub mod targets;
mod traces;

pub use targets::{TARGETS, Target};
