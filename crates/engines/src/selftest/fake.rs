//! A machine that exists in numbers only: time passes where it works, reads its clock, or
//! waits, and what all of it costs is known.

use super::counters;
use super::machine::Machine;
use harness::Clock;
use harness::watch::{Seen, Watch};
use harness::yardstick::Gauge;
use probe::counters::selftest::SelfTest;
use probe::counters::selftest::simulated::Planted;
use record::Yardstick;
use stats::{Rng, whole};
use std::cell::{Cell, RefCell};

/// What reading the clock costs, ns, and by how much that varies.
const READING_NS: f64 = 25.0;
const READING_SPREAD_NS: f64 = 4.0;
const TICK_NS: f64 = 0.25;
/// What a turn of work costs, ns.
pub const TURN_NS: f64 = 20.0;
/// A timer interrupts work so often, for so long, ns.
const INTERRUPT_EVERY_NS: f64 = 4e6;
const INTERRUPT_NS: f64 = 5000.0;

/// Its counters, and the place of one that is dead.
const SLOTS: usize = 6;
const DEAD_SLOT: usize = 5;

/// What is noisy of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Standard deviation of a piece of work, as a share.
    pub each: f64,
    /// Of what wanders, and how much of it stays from one piece of work to the next.
    pub wander: f64,
    pub stays: f64,
    /// The CPU runs 10 % slower for so long, ns, then as before, and so on; 0: never.
    pub slow_for_ns: f64,
}

/// A machine that does little else.
pub const CALM: Noise = Noise {
    each: 0.005,
    wander: 0.002,
    stays: 0.7,
    slow_for_ns: 0.0,
};

/// The simulated machine.
pub struct Fake {
    now_ns: Cell<f64>,
    rng: RefCell<Rng>,
    noise: Noise,
    wandered: Cell<f64>,
    interrupt_at_ns: Cell<f64>,
}

impl Fake {
    /// The same seed gives the same noise.
    pub fn new(seed: u64, noise: Noise) -> Fake {
        Fake {
            now_ns: Cell::new(1e6),
            rng: RefCell::new(Rng::new(seed)),
            noise,
            wandered: Cell::new(0.0),
            interrupt_at_ns: Cell::new(2e6),
        }
    }

    fn pass(&self, ns: f64) {
        self.now_ns.set(self.now_ns.get() + ns.max(0.0));
    }

    fn normal(&self) -> f64 {
        self.rng.borrow_mut().normal()
    }

    /// How much slower the CPU is than usual.
    fn pace(&self) -> f64 {
        let turns = self.now_ns.get() / self.noise.slow_for_ns;
        if turns.is_finite() && whole(turns).is_multiple_of(2) {
            1.1
        } else {
            1.0
        }
    }

    fn ticks(&self) -> u64 {
        whole(self.now_ns.get() / TICK_NS)
    }
}

impl Clock for Fake {
    fn start(&self) -> u64 {
        self.stop()
    }

    fn stop(&self) -> u64 {
        let ticks = self.ticks();
        self.pass(READING_NS + READING_SPREAD_NS * self.normal());
        ticks
    }

    fn tick_ns(&self) -> f64 {
        TICK_NS
    }
}

impl Machine for Fake {
    fn clock(&self) -> &dyn Clock {
        self
    }

    fn work(&self, turns: u64) {
        let Noise {
            each,
            wander,
            stays,
            ..
        } = self.noise;
        let fresh = wander * (1.0 - stays * stays).sqrt() * self.normal();
        self.wandered.set(stays * self.wandered.get() + fresh);
        let factor = self.pace() * (each * self.normal() + self.wandered.get()).exp();
        self.pass(turns as f64 * TURN_NS * factor);
        if self.now_ns.get() > self.interrupt_at_ns.get() {
            self.pass(INTERRUPT_NS);
            self.interrupt_at_ns
                .set(self.now_ns.get() + INTERRUPT_EVERY_NS);
        }
    }

    fn reference_ns(&self) -> u64 {
        self.pass(READING_NS);
        whole(self.now_ns.get())
    }

    fn wait(&self, ns: u64) {
        self.pass(ns as f64);
    }

    fn watch(&self) -> Box<dyn Watch + '_> {
        Box::new(Unwatched)
    }

    fn gauge(&self, _resolution_ns: f64) -> Option<Box<dyn Gauge + '_>> {
        Some(Box::new(Pace(self)))
    }

    fn counters(&self) -> SelfTest {
        counters::tested(&counters::table(), SLOTS, &[Planted::Dead(DEAD_SLOT)])
    }
}

/// Sees nothing.
struct Unwatched;

impl Watch for Unwatched {
    fn before(&mut self) {}

    fn after(&mut self) -> Seen {
        Seen::default()
    }
}

/// Reads how fast the CPU is.
struct Pace<'a>(&'a Fake);

impl Gauge for Pace<'_> {
    fn read(&mut self, _clock: &dyn Clock) -> Yardstick {
        self.0.pass(self.cost_ns());
        let noise = self.0.pace() * (1.0 + 0.003 * self.0.normal());
        Yardstick {
            link_ns: TURN_NS / 64.0 * noise,
            burst_ns: TURN_NS / 256.0 * noise,
        }
    }

    fn cost_ns(&self) -> f64 {
        800.0
    }
}
