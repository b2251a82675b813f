//! Memory to be measured: buffers and mappings whose pages are known, chains
//! of dependent loads through them, and the curves these draw.

pub mod buffer;
pub mod card;
pub mod chain;
pub mod cycle;
pub mod file;
pub mod first_touch;
pub mod mapping;

pub use chain::{Chain, Layout};
pub use mapping::{Mapping, Pages};
