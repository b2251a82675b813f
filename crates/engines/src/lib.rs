//! What does the work that experiments time: memory and loops over it, tasks and
//! who runs where, transports, copies by the CPU, the kernel and DMA engines,
//! schedules, persistence. Knows no experiment.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]

pub mod cache_probe;
pub mod copier;
pub mod crew;
pub mod crossing;
pub mod interrupts;
pub mod left_over;
pub mod loops;
pub mod memory;
pub mod offload;
pub mod persistence;
pub mod placement;
pub mod reading;
pub mod scheduler;
pub mod scratch;
pub mod selftest;
pub mod tasks;
pub mod transport;
pub mod verdict;
