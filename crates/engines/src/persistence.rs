//! Persistent writes: places that blocks are written to, the medium behind them,
//! and the ways of making a block persistent.

pub mod log;
pub mod method;
pub mod region;
pub mod walk;
