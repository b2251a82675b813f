//! Workloads that share a CPU, a core or a cache.

pub mod matrix;
pub mod pair;
