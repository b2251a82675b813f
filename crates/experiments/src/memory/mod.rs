//! Memory that experiments work on.

pub mod buffer;
