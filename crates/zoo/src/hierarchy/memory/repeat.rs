//! Rounds that are all alike, without each of their loads.
//!
//! A chain that is walked round and round comes to a state in which every round hits and
//! misses as the one before, until something disturbs the caches. Two rounds in a row with
//! the same counts are taken for that state.

use super::Memory;
use crate::hierarchy::counts::Counts;

/// One round of a chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    counts: Counts,
    passed_ns: f64,
    /// Of a cycle, when it was walked.
    cycle_ns: f64,
    /// Nothing disturbed it.
    alone: bool,
}

/// A round that has begun.
#[derive(Debug, Clone, Copy)]
pub struct Begun {
    counts: Counts,
    at_ns: f64,
    disturbances: u64,
}

impl Round {
    /// Whether this is the state that rounds stay in.
    pub fn is_as(&self, before: &Round) -> bool {
        self.alone && before.alone && self.counts == before.counts
    }
}

impl Memory {
    /// A round begins.
    pub fn round_begins(&self) -> Begun {
        Begun {
            counts: self.counts,
            at_ns: self.time.now_ns,
            disturbances: self.disturbances,
        }
    }

    /// The round has ended.
    pub fn round_ends(&self, begun: &Begun) -> Round {
        Round {
            counts: self.counts.since(&begun.counts),
            passed_ns: self.time.now_ns - begun.at_ns,
            cycle_ns: self.time.cycle_ns,
            alone: self.disturbances == begun.disturbances,
        }
    }

    /// As many rounds like this one as are wanted, or as pass before something disturbs the
    /// caches; how many passed.
    pub fn repeat(&mut self, round: &Round, wanted: u64) -> u64 {
        let before = self.disturbances;
        let mut passed = 0;
        while passed < wanted && self.disturbances == before {
            let each_ns = round.passed_ns * self.time.cycle_ns / round.cycle_ns;
            let free = (self.events.next_ns() - self.time.now_ns) / each_ns;
            let fit = super::whole(free.clamp(1.0, 1e9));
            let now = fit.min(wanted - passed);
            self.counts.again(&round.counts, now);
            self.pass(each_ns * now as f64);
            passed += now;
        }
        passed
    }
}
