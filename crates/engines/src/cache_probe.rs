//! A copier that runs at the same time as a program, or before it, and what is left
//! of the program's data in the caches.

pub mod levels;
pub mod resident;
pub mod stage;
pub mod turn;
