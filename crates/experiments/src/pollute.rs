//! What a copy leaves in a cache that others use.

pub mod probe;
pub mod victim;
