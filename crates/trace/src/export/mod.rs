//! A trace in the formats of other programs.

pub mod chrome;
pub mod perfetto;

#[cfg(test)]
mod sample_tests;
