//! A walk through an array that is larger than the caches.

use engines::memory::{Mapping, Pages};
use engines::verdict::must;
use harness::{Context, Fault, SetupError, Subject};

/// The array: 64 * 1024 * 80 integers.
const INTEGERS: usize = 64 * 1024 * 80;
/// Its bytes.
pub const BYTES: usize = INTEGERS * 4;

/// One access after the other, each squaring an integer.
pub struct Walk {
    integers: Mapping,
    /// Integers between neighbouring accesses.
    step: usize,
    at: usize,
    walked: u64,
}

/// Not 0 or 1, whose squares are themselves; odd, so that no square is 0.
const START: u32 = 3;

impl Walk {
    /// `step` integers from one access to the next.
    ///
    /// # Errors
    /// As of the mapping.
    pub fn new(step: usize, context: &Context) -> Result<Self, SetupError> {
        let integers = Mapping::new(INTEGERS * 4, Pages::Base, context)?;
        let mut walk = Walk {
            integers,
            step,
            at: 0,
            walked: 0,
        };
        walk.slice().fill(START);
        Ok(walk)
    }

    fn slice(&mut self) -> &mut [u32] {
        let base = self.integers.base().as_ptr().cast::<u32>();
        // SAFETY: the mapping is page-aligned, initialised by the kernel, at
        // least this long, and lent out only through &mut self.
        unsafe { std::slice::from_raw_parts_mut(base, INTEGERS) }
    }
}

impl Subject for Walk {
    fn batch(&mut self, _part: u16, ops: u64) {
        let (step, mut at) = (self.step, self.at);
        if let Some(machine) = self.integers.simulated() {
            let base = self.integers.base().as_ptr() as usize;
            // It multiplies once a cycle.
            let next = machine.walk(base + 4 * at, base..base + BYTES, 4 * step, ops, 1.0);
            self.at = (next - base) / 4;
            return;
        }
        let array = self.slice();
        for _ in 0..ops {
            let value = &mut array[at];
            *value = value.wrapping_mul(*value);
            at += step;
            if at >= INTEGERS {
                at = 0;
            }
        }
        self.at = at;
        self.walked += ops;
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let step = self.step;
        let places = INTEGERS.div_ceil(step);
        let touched = usize::try_from(self.walked).map_or(places, |w| w.min(places));
        let array = self.slice();
        // 3 squared again and again modulo 2^32 never comes back to 3.
        let visited = array.iter().step_by(step).filter(|v| **v != START).count();
        let changed = array.iter().filter(|v| **v != START).count();
        must(
            (visited, changed) == (touched, touched),
            format!(
                "{changed} integers changed, {visited} of them on the walk; expected \
                     {touched}"
            ),
        )
    }

    fn notes(&self) -> Vec<String> {
        vec![self.integers.note().to_owned()]
    }
}
