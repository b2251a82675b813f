//! Whoever copies beside, or before, a program whose caches are in question, and
//! what is left in the caches.

pub mod copier;
pub mod levels;
pub mod resident;
mod ways;
