//! Between a core and its caches, memory and other cores.

pub mod associativity;
pub mod bandwidth;
mod dropping;
pub mod latency;
pub mod line;
pub mod line_transfer;
pub mod prefetch;
#[cfg(test)]
mod smoke;

use engines::memory::Chain;
use engines::memory::chain::UNROLL;
use harness::{Fault, Subject};

/// Walks a chain of loads, of which each needs the result of the one before.
struct Chased(Chain);

impl Subject for Chased {
    fn batch(&mut self, _part: u16, ops: u64) {
        self.0.walk(ops);
    }

    fn quantum(&self) -> u64 {
        UNROLL
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.0.verify()
    }

    fn notes(&self) -> Vec<String> {
        vec![self.0.note()]
    }
}
