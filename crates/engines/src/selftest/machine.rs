//! What a self-test runs on: the machine as it is, or a simulated one.

use harness::clock::raw_now_ns;
use harness::watch::Watch;
use harness::yardstick::{self, Gauge, Registers};
use harness::{Clock, ClockSpec, SystemWatch};
use probe::counters::selftest::SelfTest;
use std::path::Path;
use std::time::Duration;

/// A clock, work of known size, and what looks at the surroundings.
pub trait Machine {
    /// The clock under test.
    fn clock(&self) -> &dyn Clock;
    /// So many turns of work that all cost the same.
    fn work(&self, turns: u64);
    /// Time of a clock that is not under test, ns.
    fn reference_ns(&self) -> u64;
    /// Lets so many ns pass.
    fn wait(&self, ns: u64);
    /// The watch for disturbance.
    fn watch(&self) -> Box<dyn Watch + '_>;
    /// The yardstick, read by the clock under test; None where there is none.
    fn gauge(&self, resolution_ns: f64) -> Option<Box<dyn Gauge + '_>>;
    /// How the counters of the CPU stand their test with known work.
    fn counters(&self) -> SelfTest;
}

/// This machine, on the CPU that the calling thread is pinned to.
pub struct Here {
    clock: Box<dyn Clock>,
    cpu: u32,
}

impl Here {
    /// With the clock that runs here are timed with. None where this instruction set has no
    /// work of known size.
    pub fn pinned_to(cpu: u32, spec: &ClockSpec) -> Option<Here> {
        let clock = spec.build();
        yardstick::KNOWN.then_some(Here { clock, cpu })
    }
}

impl Machine for Here {
    fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    fn work(&self, turns: u64) {
        yardstick::work(turns);
    }

    fn reference_ns(&self) -> u64 {
        raw_now_ns()
    }

    fn wait(&self, ns: u64) {
        std::thread::sleep(Duration::from_nanos(ns));
    }

    fn watch(&self) -> Box<dyn Watch + '_> {
        Box::new(SystemWatch::open(Path::new("/"), self.cpu))
    }

    fn gauge(&self, resolution_ns: f64) -> Option<Box<dyn Gauge + '_>> {
        let fitted = Registers::fit(self.clock(), resolution_ns)?;
        Some(Box::new(fitted))
    }

    fn counters(&self) -> SelfTest {
        let root = Path::new("/");
        harness::counters::tested_on(Some(self.cpu), &machine::read(root), root)
    }
}
