//! How fast the CPU was around each batch.
//!
//! A core that clocks lower, a hypervisor that gives less of it, a neighbour on the other
//! thread of the core: none of them is reported by the kernel, and each changes every figure.
//! So known work is timed between the batches, for at most [`SHARE`] of the time. A reading
//! behind a batch is also the one before the next; batches too short for a reading each share
//! those around them. When a reading is made does not depend on what a batch took.

mod gauge;
mod registers;
mod test_of_self;

pub use gauge::{Gauge, Registers};
pub use registers::{KNOWN, TURN};
pub use test_of_self::test;

use crate::clock::Clock;
use record::Yardstick as Reading;

/// Work of known size for tests of the instrument: so many turns of [`TURN`] additions, each of
/// which waits for the one before it. Nothing where there is none for this instruction set
/// ([`KNOWN`]).
pub fn work(turns: u64) {
    let mut left = turns;
    while left > 0 {
        let next = u32::try_from(left).unwrap_or(u32::MAX);
        registers::links(next);
        left -= u64::from(next);
    }
}

/// Of the time, for readings.
pub const SHARE: f64 = 0.02;
/// A reading is old when so many times its cost have passed without one: what a subject
/// prepares may take long.
const OLD: f64 = 100.0;

/// The readings of a block of points.
pub struct Yardstick<'a> {
    gauge: &'a mut dyn Gauge,
    readings: Vec<Reading>,
    began_ns: u64,
    last_ns: u64,
    spent_ns: f64,
}

impl<'a> Yardstick<'a> {
    /// Of a block that begins now, with a first reading.
    pub fn begin(gauge: &'a mut dyn Gauge, clock: &dyn Clock) -> Yardstick<'a> {
        let now_ns = clock.now_ns();
        let mut yardstick = Yardstick {
            gauge,
            readings: Vec::new(),
            began_ns: now_ns,
            last_ns: now_ns,
            spent_ns: 0.0,
        };
        yardstick.read(clock);
        yardstick
    }

    /// Before a batch: a reading where the last one is old. The place of the batch among the
    /// readings.
    pub fn before(&mut self, clock: &dyn Clock) -> usize {
        let age_ns = clock.now_ns().saturating_sub(self.last_ns) as f64;
        if age_ns > OLD * self.gauge.cost_ns() && self.affordable(clock) {
            self.read(clock);
        }
        self.readings.len()
    }

    /// Behind a batch.
    pub fn after(&mut self, clock: &dyn Clock) {
        if self.affordable(clock) {
            self.read(clock);
        }
    }

    /// The readings, with one behind the last batch.
    pub fn end(mut self, clock: &dyn Clock) -> Readings {
        self.read(clock);
        Readings(self.readings)
    }

    fn affordable(&self, clock: &dyn Clock) -> bool {
        let passed_ns = clock.now_ns().saturating_sub(self.began_ns) as f64;
        self.spent_ns + self.gauge.cost_ns() <= SHARE * passed_ns
    }

    fn read(&mut self, clock: &dyn Clock) {
        self.readings.push(self.gauge.read(clock));
        self.spent_ns += self.gauge.cost_ns();
        self.last_ns = clock.now_ns();
    }
}

/// What was read in the course of a block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Readings(Vec<Reading>);

impl Readings {
    /// Of a batch at this place: of the reading before it and the one behind it the faster.
    /// One that an interrupt fell into says nothing of the batch; both are slow where the CPU
    /// was.
    pub fn around(&self, place: usize) -> Option<Reading> {
        let behind = self.0.get(place);
        let before = place.checked_sub(1).and_then(|at| self.0.get(at));
        match (before, behind) {
            (Some(a), Some(b)) => Some(Reading {
                link_ns: a.link_ns.min(b.link_ns),
                burst_ns: a.burst_ns.min(b.burst_ns),
            }),
            (one, other) => one.or(other).copied(),
        }
    }
}

#[cfg(test)]
mod tests;
