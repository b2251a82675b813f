//! Between a core and its caches, memory and other cores.

pub mod associativity;
pub mod bandwidth;
pub mod latency;
pub mod line;
pub mod line_transfer;
#[cfg(test)]
mod smoke;
