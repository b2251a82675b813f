//! what happened: interrupts, steal, counters that the kernel offers.

pub mod capability;
pub mod perf;
pub mod perf_attr;
pub mod perf_open;
