//! The instrument: it owns the clock, the number of operations, pinning, loads
//! and the watch for disturbance. Experiments only set up, operate and drop.

pub mod card;
pub mod point;
pub mod sampling;
pub mod subject;

pub use point::{Context, Point};
pub use sampling::{Sampling, Shape};
pub use subject::{SetupError, Subject};
