//! What is asked, by area: one experiment is one file, and `table.rs` lists them all.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]

pub mod built_in;
pub mod colocate;
pub mod copy;
pub mod cpu;
pub mod ipc;
pub mod irq;
pub mod mem;
pub mod offload;
pub mod persist;
pub mod pollute;
pub mod quantities;
pub mod sched;
pub mod switch;
pub mod syscall;
mod table;
pub mod task;
#[cfg(test)]
mod testing;
pub mod trace;

pub use table::all;
