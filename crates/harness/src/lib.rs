//! The instrument: it owns the clock, the number of operations, pinning, loads
//! and the watch for disturbance. Experiments only set up, operate and drop.

pub mod clock;
pub mod point;
pub mod sampler;
pub mod sampling;
pub mod self_test;
pub mod subject;
pub mod watch;

pub use clock::{Clock, ClockKind, ClockSpec};
pub use point::{Context, Point};
pub use sampler::{Bench, Ended, Member, Sampled, sample_block};
pub use sampling::{Sampling, Shape};
pub use self_test::self_test;
pub use subject::{SetupError, Subject};
pub use watch::{NoWatch, Seen, SystemWatch, Watch};
