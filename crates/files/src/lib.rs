//! Outputs that replace nothing but files, inputs that are what they seem.
//!
//! Every file that the program leaves for a user is written through
//! [`output`], every file that a user hands it is opened through [`input`].
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

pub mod input;
pub mod output;
pub mod owner;
