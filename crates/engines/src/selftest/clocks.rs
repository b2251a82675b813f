//! Clocks that are not what they seem, made of a good one.

use harness::Clock;
use stats::whole;
use std::cell::Cell;

/// Advances in steps.
pub struct Coarse<'a> {
    clock: &'a dyn Clock,
    step: u64,
}

impl<'a> Coarse<'a> {
    /// Steps of about so many ns.
    pub fn new(clock: &'a dyn Clock, step_ns: f64) -> Coarse<'a> {
        let step = whole((step_ns / clock.tick_ns()).round()).max(1);
        Coarse { clock, step }
    }

    /// What its step really is, ns.
    pub fn step_ns(&self) -> f64 {
        self.step as f64 * self.clock.tick_ns()
    }

    fn of(&self, ticks: u64) -> u64 {
        ticks - ticks % self.step
    }
}

impl Clock for Coarse<'_> {
    fn start(&self) -> u64 {
        self.of(self.clock.start())
    }

    fn stop(&self) -> u64 {
        self.of(self.clock.stop())
    }

    fn tick_ns(&self) -> f64 {
        self.clock.tick_ns()
    }
}

/// How a clock is broken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// By this share faster.
    Fast(f64),
    /// From its first reading on ever faster: each second by this share more.
    Gains(f64),
    /// Once, so long after its first reading, it is ahead by `by_ns`.
    Jumps { after_ns: f64, by_ns: f64 },
    /// One of so many readings is behind by `by_ns`.
    RunsBack { one_of: u64, by_ns: f64 },
}

/// A clock with a fault, from its first reading on.
pub struct Broken<'a> {
    clock: &'a dyn Clock,
    fault: Fault,
    first: Cell<Option<u64>>,
    readings: Cell<u64>,
}

impl<'a> Broken<'a> {
    /// Nothing is wrong with `clock` itself.
    pub fn new(clock: &'a dyn Clock, fault: Fault) -> Broken<'a> {
        Broken {
            clock,
            fault,
            first: Cell::new(None),
            readings: Cell::new(0),
        }
    }

    fn of(&self, ticks: u64) -> u64 {
        let first = self.first.get().unwrap_or(ticks);
        self.first.set(Some(first));
        self.readings.set(self.readings.get() + 1);
        let passed = ticks.saturating_sub(first) as f64;
        let in_ticks = |ns: f64| ns / self.clock.tick_ns();
        match self.fault {
            Fault::Fast(share) => ticks + whole(passed * share),
            Fault::Gains(share) => {
                let passed_s = passed * self.clock.tick_ns() / 1e9;
                ticks + whole(passed * share * passed_s / 2.0)
            }
            Fault::Jumps { after_ns, by_ns } if passed > in_ticks(after_ns) => {
                ticks + whole(in_ticks(by_ns))
            }
            Fault::RunsBack { one_of, by_ns } if self.readings.get().is_multiple_of(one_of) => {
                ticks.saturating_sub(whole(in_ticks(by_ns)))
            }
            Fault::Jumps { .. } | Fault::RunsBack { .. } => ticks,
        }
    }
}

impl Clock for Broken<'_> {
    fn start(&self) -> u64 {
        self.of(self.clock.start())
    }

    fn stop(&self) -> u64 {
        self.of(self.clock.stop())
    }

    fn tick_ns(&self) -> f64 {
        self.clock.tick_ns()
    }
}
