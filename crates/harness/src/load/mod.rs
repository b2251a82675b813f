//! The load under which a run measures: how quiet the machine was, or a
//! reproducible load made by stress-ng.

mod heavy;
mod quiet;

pub use heavy::{Heavy, HeavyError, Load, lowest_use};
pub use quiet::Quiet;
