//! what happened: interrupts, steal, counters that the kernel offers.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]

pub mod absence;
pub mod capability;
pub mod counters;
pub mod cpu_time;
pub mod function_profile;
pub mod interrupts;
pub mod lockdown;
pub mod perf;
pub mod perf_attr;
pub mod perf_open;
pub mod proc_file;
pub mod process_state;
pub mod process_time;
pub mod resctrl;
pub mod thread_time;
pub mod thread_usage;
pub mod tracefs;
