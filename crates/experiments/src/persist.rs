//! From volatile memory to what outlives the power.

pub mod flush;
pub mod journal;
pub mod line;
