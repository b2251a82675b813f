//! Work whose cost is known, with what is planted on top of it.

use super::machine::Machine;
use harness::Subject;
use stats::whole;

/// What is planted.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    Nothing,
    /// So many turns more in each operation.
    Extra(u64),
    /// Each so many-th operation costs so many times as much.
    Each {
        every: u64,
        times: u64,
    },
    /// A factor of the cost for each sample in turn.
    Factors(Vec<f64>),
}

/// Operations of `base` turns and what is planted. Nothing is, until sampling begins.
pub struct Planted<'a> {
    machine: &'a dyn Machine,
    base: u64,
    effect: Effect,
    /// Number of the next sample; None before the first.
    sample: Option<usize>,
    /// Operations so far.
    done: u64,
}

impl<'a> Planted<'a> {
    /// Operations of at least one turn.
    pub fn new(machine: &'a dyn Machine, base: u64, effect: Effect) -> Planted<'a> {
        Planted {
            machine,
            base: base.max(1),
            effect,
            sample: None,
            done: 0,
        }
    }

    fn factor(&self) -> f64 {
        match (&self.effect, self.sample) {
            (Effect::Factors(factors), Some(at)) => factors.get(at).copied().unwrap_or(1.0),
            _ => 1.0,
        }
    }
}

impl Planted<'_> {
    fn one_by_one(&mut self, ops: u64, every: u64, times: u64) {
        for _ in 0..ops {
            self.done += 1;
            let slow = self.done.is_multiple_of(every);
            self.machine
                .work(if slow { self.base * times } else { self.base });
        }
    }
}

impl Subject for Planted<'_> {
    fn batch(&mut self, _part: u16, ops: u64) {
        if let Effect::Each { every, times } = self.effect {
            return self.one_by_one(ops, every, times);
        }
        let turns = match self.effect {
            Effect::Nothing | Effect::Each { .. } => ops * self.base,
            Effect::Extra(more) => ops * (self.base + more),
            Effect::Factors(_) => whole(((ops * self.base) as f64 * self.factor()).round()),
        };
        self.machine.work(turns);
        self.sample = self.sample.map(|at| at + 1);
    }

    fn sampling_begins(&mut self) {
        self.sample = Some(0);
    }
}
