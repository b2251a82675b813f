//! Simulated machines of known make: what a method of measuring says of them can be held
//! against what they are.
//!
//! `cores` describes real cores as data.
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

pub mod cores;

pub use cores::Core;
