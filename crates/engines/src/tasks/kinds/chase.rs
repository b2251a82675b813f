//! Dependent loads: each gives the address of the next, so that their latency cannot
//! be hidden.

use super::{Built, sizes};
use crate::memory::card::card_line;
use crate::memory::chain::UNROLL;
use crate::memory::{Chain, Layout, Mapping};
use harness::{Context, SetupError};
use record::axis::human_bytes;
use std::num::NonZeroUsize;
use std::rc::Rc;
use workload::{Workload, WrongResult};

const LOADS_PER_UNIT: u64 = 8192;
/// Name, count in a unit and rate of its operation.
pub const LOADS: (&str, u64, &str) = ("load", LOADS_PER_UNIT, "loads/s");

/// Most that a set beyond the caches takes.
const MOST_BYTES: u64 = 512 << 20;
const SEED: u64 = 0x6368_6173;

/// A working set by the caches that it fits or does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// Half of the first level.
    L1,
    /// Three quarters of the second.
    L2,
    /// An eighth and a half of the last level.
    Eighth,
    Half,
    /// Twice the last level.
    Memory,
}

impl Set {
    /// Its size on this machine.
    pub fn bytes(self, context: &Context) -> usize {
        let sizes = sizes(&context.card);
        let bytes = match self {
            Set::L1 => sizes.l1d_bytes / 2,
            Set::L2 => sizes.l2_bytes / 4 * 3,
            Set::Eighth => sizes.last_level_bytes / 8,
            Set::Half => sizes.last_level_bytes / 2,
            Set::Memory => (sizes.last_level_bytes * 2).min(MOST_BYTES),
        };
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }

    /// Its memory, in huge pages where they are to be had: the caches shall decide,
    /// not the translation buffers.
    pub fn map(self, context: &Context) -> Result<Mapping, SetupError> {
        Mapping::huge_if_possible(self.bytes(context), context)
    }
}

struct Chase {
    chain: Chain,
    bytes: usize,
}

/// Dependent loads all over the set.
///
/// # Errors
/// `Skip` without the memory.
pub fn build(context: &Context, set: Set) -> Result<Built, SetupError> {
    let bytes = set.bytes(context);
    let line = NonZeroUsize::new(card_line(&context.card).unwrap_or(64))
        .ok_or_else(|| SetupError::fail("build a chain", "lines of no bytes"))?;
    let mapping = Rc::new(set.map(context)?);
    let chain = Chain::new(mapping, bytes, Layout::RandomLines { line }, SEED)?;
    let note = format!("chase over {}: {}", human_bytes(bytes as u64), chain.note());
    let units_per_run = (chain.count() as u64).div_ceil(LOADS_PER_UNIT);
    Ok(Built {
        units_per_run,
        units_to_warm: match set {
            Set::Memory => 1,
            _ => units_per_run,
        },
        ..Built::steps(Chase { chain, bytes }, note)
    })
}

impl Workload for Chase {
    fn run(&mut self, units: u64) {
        const { assert!(LOADS_PER_UNIT.is_multiple_of(UNROLL)) };
        self.chain.walk(units * LOADS_PER_UNIT);
    }

    fn verify(&self) -> Result<(), WrongResult> {
        self.chain
            .verify()
            .map_err(|fault| WrongResult::new(fault.to_string()))
    }

    fn working_set_bytes(&self) -> u64 {
        self.bytes as u64
    }
}
