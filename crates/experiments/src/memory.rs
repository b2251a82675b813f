//! Memory to be measured: mappings whose page size is known, and chains of
//! dependent loads through them.

pub mod card;
pub mod chain;
#[cfg(test)]
pub mod fixture;
pub mod mapping;
pub mod smaps;
pub mod staircase;

pub use chain::{Chain, Layout};
pub use mapping::{Mapping, Pages};
