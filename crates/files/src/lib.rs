//! Outputs that replace nothing but files, inputs that are what they seem.
//!
//! Every file that the program leaves for a user is written through
//! [`output`], every file that a user hands it is opened through [`input`].
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
#![forbid(unsafe_code)]

pub mod input;
pub mod output;
pub mod owner;
