//! A process that computes on a CPU for as long as a subject lives: a thread that
//! wakes there has to preempt it.

use super::policy::Policy;
use crate::crew::child::{Child, Departure, not_started};
use harness::SetupError;
use harness::name::be_called;

/// An ordinary process, whatever the caller's policy is. Dropping it ends it.
#[derive(Debug)]
pub struct Rival(#[expect(dead_code, reason = "kept")] Child);

impl Rival {
    /// # Errors
    /// `Skip` where no process can be had.
    pub fn start(cpu: u32) -> Result<Rival, SetupError> {
        harness::affinity::bindable(cpu)?;
        let process = Child::fork(cpu, &[], compute);
        process
            .map(Rival)
            .map_err(|cause| not_started("start a computing process", &cause))
    }
}

fn compute() -> Departure {
    be_called(c"rival");
    // A real-time one would never let go.
    let ordinary = Policy::Other { nice: 0 };
    if ordinary.take().is_err() {
        return Departure::NotScheduled;
    }
    loop {
        std::hint::spin_loop();
    }
}
