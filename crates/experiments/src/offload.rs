//! Copies by a DMA engine, beside the same copies by the CPU.

pub mod bandwidth;
pub mod latency;
pub mod priority;
