//! What all programs of the list have in common: a unit is done, and its result entered.

use crate::digest::Ledger;
use crate::{Workload, WrongResult};

/// Work that can be done again and again, each time with the same result.
pub(crate) trait Unit {
    /// Does it once; what came out, as one number.
    fn once(&mut self) -> u64;

    /// As [`Workload::working_set_bytes`].
    fn bytes(&self) -> u64 {
        0
    }

    /// As [`Workload::vectors`].
    fn vectors(&self) -> Option<&'static str> {
        None
    }
}

/// The program of this work, every unit of which must come out as `known`.
pub(crate) fn program(unit: impl Unit + 'static, known: u64) -> Box<dyn Workload> {
    let ledger = Ledger::expecting(known);
    Box::new(Checked { unit, ledger })
}

struct Checked<U> {
    unit: U,
    ledger: Ledger,
}

impl<U: Unit> Workload for Checked<U> {
    fn run(&mut self, units: u64) {
        for _ in 0..units {
            let result = self.unit.once();
            self.ledger.enter(result);
        }
    }

    fn verify(&self) -> Result<(), WrongResult> {
        self.ledger.verify()
    }

    fn working_set_bytes(&self) -> u64 {
        self.unit.bytes()
    }

    fn vectors(&self) -> Option<&'static str> {
        self.unit.vectors()
    }
}
