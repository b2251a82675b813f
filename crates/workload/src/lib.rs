//! Programs of known result, small enough to read, that stand for the programs
//! people run: what a copy or a neighbour does to them is the question.
//!
//! No input, no output, no clock, no system call. A unit of work is the same
//! work every time, so the time of a unit may be compared between two
//! neighbours, and every unit's result is held against one that a slow and
//! plain implementation gives.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod alu;
mod digest;
mod events;
mod fma;
mod graph;
mod image;
mod interpreter;
mod kind;
mod random;
mod sort;
mod strings;
pub mod susan;
mod tree;
mod unit;
mod vector;

use std::fmt;

pub use kind::{ALL, Program, Quoted, find};

/// A unit of work did not have the result that it must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongResult(String);

impl WrongResult {
    /// The sentence names the unit, what came out and what should have.
    pub fn new(sentence: impl Into<String>) -> WrongResult {
        WrongResult(sentence.into())
    }
}

impl fmt::Display for WrongResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongResult {}

/// A program that does the same work again and again.
pub trait Workload {
    /// Does `units` units of work and keeps what came out for `verify`. Allocates
    /// nothing: a page fault would be taken for the neighbour's doing.
    fn run(&mut self, units: u64);

    /// Whether every unit so far had the right result.
    ///
    /// # Errors
    /// What is wrong.
    fn verify(&self) -> Result<(), WrongResult>;

    /// Bytes that units read or write, counted once.
    fn working_set_bytes(&self) -> u64;

    /// The vector instructions that it was built for here, if it asks for any:
    /// `AVX-512`, `AVX2`, `SSE2`, `NEON` or `plain`.
    fn vectors(&self) -> Option<&'static str> {
        None
    }
}

/// Sizes of the machine that some programs are cut to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    pub l1d_bytes: u64,
    pub l2_bytes: u64,
    pub last_level_bytes: u64,
}

/// Why a program cannot be had on this processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub reason: String,
    pub remedy: String,
}
