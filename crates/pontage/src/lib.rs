//! What the commands of `pontage` do, apart from their arguments.
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

pub mod doctor;
pub mod last_selftest;
pub mod pending;
pub mod state_file;

/// With the commit it was built from.
pub const VERSION: &str = env!("PONTAGE_VERSION");
