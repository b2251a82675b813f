//! What interrupts a CPU: ticks, timers, other CPUs, devices.

pub mod delta;
pub mod tick;
pub mod timer;
