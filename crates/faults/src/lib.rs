//! Faults that an environment has in store for a program, and what the program ends with
//! then: limits, sandboxes, files that cannot be written, readers that leave. For tests
//! and for `cargo xtask faults`.
#![forbid(unsafe_code)]

mod bench;
mod fault;
mod refusal;
mod table;

pub use bench::{Bench, Verdict};
pub use fault::{Fault, Needs, Refused};
pub use refusal::Refusal;
pub use table::FAULTS;
