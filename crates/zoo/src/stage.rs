//! Simulated machines under the real harness: plan, batches, statistics and findings are those
//! of a run.

mod instruments;
mod machine;
mod run;

pub use machine::Stage;
pub use run::{Ran, card, run, unmeasured};
