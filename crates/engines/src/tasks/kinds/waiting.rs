//! Occupies a CPU and shares nothing: the neighbour that others are compared with. An
//! idle CPU would not do, because it changes its clock, has to wake up and may run other
//! programs.

use super::Built;
use harness::{Context, SetupError};
use workload::{Workload, WrongResult};

/// Pauses in a unit; some microseconds.
const PAUSES: u32 = 200;

struct Spin;

/// A pause loop.
///
/// # Errors
/// None.
pub fn spin(_: &Context) -> Result<Built, SetupError> {
    Ok(Built::steps(Spin, ""))
}

impl Workload for Spin {
    fn run(&mut self, units: u64) {
        for _ in 0..units {
            for _ in 0..PAUSES {
                std::hint::spin_loop();
            }
        }
    }

    fn verify(&self) -> Result<(), WrongResult> {
        Ok(())
    }

    fn working_set_bytes(&self) -> u64 {
        0
    }
}
