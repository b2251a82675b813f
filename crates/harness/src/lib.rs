//! The instrument: it owns the clock, the number of operations, pinning, loads
//! and the watch for disturbance. Experiments only set up, operate and drop.
#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]
// With 64 bits: on armv7 types of the C library are narrower than elsewhere.
#![cfg_attr(
    all(not(test), target_pointer_width = "64"),
    deny(clippy::cast_possible_truncation)
)]

pub mod affinity;
pub mod begun;
pub mod card;
pub mod children;
pub mod clock;
pub mod counters;
pub mod deadline;
pub mod error;
pub mod fault;
pub mod interrupts;
pub mod journal;
pub mod lateness;
pub mod load;
pub mod loads;
pub mod long_wait;
pub mod looks;
pub mod messages;
pub mod name;
mod path_bytes;
pub mod point;
pub mod queue_keys;
pub mod refused;
pub mod resctrl;
pub mod sampler;
pub mod sampling;
pub mod scheduling;
pub mod scratch;
pub mod self_test;
pub mod session;
pub mod settings;
pub mod signals;
pub mod simulated;
pub mod slices;
pub mod stack;
pub mod subject;
pub mod ticks;
pub mod traces;
pub mod tracing;
pub mod unbegun;
pub mod wakeups;
pub mod watch;
pub mod widths;
pub mod windows;
pub mod worker;
pub mod yardstick;

pub use clock::{Clock, ClockKind, ClockSpec};
pub use deadline::Deadline;
pub use error::HarnessError;
pub use fault::Fault;
pub use point::{Context, Point};
pub use sampler::{Bench, Ended, Member, Sampled, sample_block};
pub use sampling::{Sampling, Shape};
pub use scheduling::Scheduling;
pub use self_test::{self_test, self_test_on};
pub use session::{
    Ending, Launcher, PlannedExperiment, Progress, Samplings, Session, Sink, Status,
};
pub use simulated::{Measured, RealTimeLimits, Simulated};
pub use subject::{Reading, SetupError, Subject};
pub use watch::{Seen, SystemWatch, Watch};
pub use worker::{Block, PlannedPoint};
