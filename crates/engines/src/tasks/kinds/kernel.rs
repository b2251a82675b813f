//! The way into the kernel and back, and nothing there.

use super::Built;
use harness::{Context, SetupError};
use workload::{Workload, WrongResult};

/// Calls in a unit.
pub const CALLS: u64 = 256;

struct Calls {
    wrong: u64,
    parent: libc::pid_t,
}

/// System calls that do nothing.
///
/// # Errors
/// None.
pub fn calls(_: &Context) -> Result<Built, SetupError> {
    // SAFETY: takes nothing and cannot fail.
    let parent = unsafe { libc::getppid() };
    Ok(Built::steps(Calls { wrong: 0, parent }, ""))
}

impl Workload for Calls {
    fn run(&mut self, units: u64) {
        for _ in 0..units * CALLS {
            // SAFETY: takes nothing and cannot fail.
            let parent = unsafe { libc::syscall(libc::SYS_getppid) };
            self.wrong += u64::from(parent != libc::c_long::from(self.parent));
        }
    }

    fn verify(&self) -> Result<(), WrongResult> {
        match self.wrong {
            0 => Ok(()),
            n => Err(WrongResult::new(format!(
                "{n} calls returned another parent"
            ))),
        }
    }

    fn working_set_bytes(&self) -> u64 {
        0
    }
}
