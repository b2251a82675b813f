//! What tracing itself costs.

pub mod profile;
