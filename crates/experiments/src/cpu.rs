//! The processor itself.

pub mod clock;
