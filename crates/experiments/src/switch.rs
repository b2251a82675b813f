//! From one task to another on a CPU.

pub mod context;
