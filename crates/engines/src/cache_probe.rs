//! Whoever copies beside, or before, a program whose caches are in question, and
//! what is left in the caches.

pub mod levels;
pub mod resident;
pub mod stage;
pub mod turn;
