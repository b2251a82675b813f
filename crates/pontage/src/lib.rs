//! What the commands of `pontage` do, apart from their arguments.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
#![forbid(unsafe_code)]

pub mod doctor;
pub mod pending;
