//! The clock, the watch and the gauge of a simulated machine.

use super::machine::Stage;
use harness::Clock;
use harness::watch::{Bracket, Seen, Watch, Whole};
use harness::yardstick::Gauge;
use record::Yardstick;
use stats::whole;

/// What reading the clock takes, ns, and its tick.
const READING_NS: f64 = 25.0;
const TICK_NS: f64 = 0.4;
/// Batches between two readings of what was stolen.
const BATCHES: usize = 8;
/// Additions of one reading of the gauge, each of a cycle.
const LINKS: f64 = 2000.0;
/// Additions that are made at once, in a burst.
const AT_ONCE: f64 = 4.0;

impl Clock for Stage {
    fn start(&self) -> u64 {
        self.stop()
    }

    fn stop(&self) -> u64 {
        let mut inner = self.lock();
        let ticks = whole(inner.memory.now_ns() / TICK_NS);
        inner.memory.pass_ns(READING_NS);
        ticks
    }

    fn tick_ns(&self) -> f64 {
        TICK_NS
    }
}

/// Sees what the hypervisor took and how often the timer came, some batches together, as
/// /proc does.
pub struct Watching<'a> {
    stage: &'a Stage,
    batches: usize,
    first: usize,
    stolen_ns: f64,
    ticks: u64,
    closed: Vec<Bracket>,
}

impl<'a> Watching<'a> {
    /// From now on.
    pub fn new(stage: &'a Stage) -> Watching<'a> {
        Watching {
            stage,
            batches: 0,
            first: 0,
            stolen_ns: 0.0,
            ticks: 0,
            closed: Vec::new(),
        }
    }

    fn close(&mut self) {
        let inner = self.stage.lock();
        let (stolen_ns, ticks) = (inner.memory.stolen_ns(), inner.memory.ticks());
        self.closed.push(Bracket {
            first: self.first,
            batches: self.batches - self.first,
            steal_ns: Some(whole(stolen_ns - self.stolen_ns)),
            interrupts: Some(ticks - self.ticks),
        });
        self.first = self.batches;
        (self.stolen_ns, self.ticks) = (stolen_ns, ticks);
    }
}

impl Watch for Watching<'_> {
    fn block_begins(&mut self) {
        let inner = self.stage.lock();
        (self.stolen_ns, self.ticks) = (inner.memory.stolen_ns(), inner.memory.ticks());
        (self.batches, self.first) = (0, 0);
    }

    fn before(&mut self) {}

    fn after(&mut self) -> Seen {
        let batch = self.batches;
        self.batches += 1;
        if self.batches - self.first >= BATCHES {
            self.close();
        }
        Seen {
            batch,
            ..Seen::default()
        }
    }

    fn block_ends(&mut self) -> Whole {
        self.close();
        Whole {
            brackets: std::mem::take(&mut self.closed),
            ..Whole::default()
        }
    }
}

/// Reads how fast the core is.
pub struct Pace<'a>(pub &'a Stage);

impl Gauge for Pace<'_> {
    fn read(&mut self, _clock: &dyn Clock) -> Yardstick {
        let mut inner = self.0.lock();
        let mut timed = |cycles: f64| {
            let before_ns = inner.memory.now_ns();
            inner.memory.compute(cycles);
            (inner.memory.now_ns() - before_ns) / LINKS
        };
        Yardstick {
            link_ns: timed(LINKS),
            burst_ns: timed(LINKS / AT_ONCE),
        }
    }

    fn cost_ns(&self) -> f64 {
        800.0
    }
}
