//! The clock, the watch and the gauge of a simulated machine.

use super::machine::Stage;
use harness::Clock;
use harness::counters::{Count, Counted};
use harness::watch::{Bracket, Seen, Watch, Whole};
use harness::yardstick::Gauge;
use record::{MetricHead, Unit, Yardstick};
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

/// Counts the lines that come into the first cache, as a processor does that counts exactly.
pub struct Refills<'a> {
    stage: &'a Stage,
    before: u64,
    counted: u64,
}

impl<'a> Refills<'a> {
    /// Whether they are counted: of the experiment that has a method which reads them.
    pub fn are_counted(experiment: &str) -> bool {
        experiment == "mem/line"
    }

    /// As counters of a run name what they count.
    pub fn head() -> MetricHead {
        MetricHead {
            name: "L1D_CACHE_REFILL".to_owned(),
            unit: Unit::Count,
            doc: "lines that come into the first cache in one operation".to_owned(),
            lower_is_better: true,
            explains: false,
        }
    }

    /// None yet.
    pub fn new(stage: &'a Stage) -> Refills<'a> {
        Refills {
            stage,
            before: 0,
            counted: 0,
        }
    }

    fn so_far(&self) -> u64 {
        self.stage.lock().memory.counts().l1_refills
    }
}

impl Count for Refills<'_> {
    fn before(&mut self, _member: usize, _part: u16) {
        self.before = self.so_far();
    }

    fn stop(&mut self, _member: usize, _part: u16) {
        self.counted = self.so_far() - self.before;
    }

    fn counted(&mut self, ops: u64) -> Counted {
        let each = self.counted as f64 / ops.max(1) as f64;
        Counted {
            values: vec![Some(each)],
            ..Counted::default()
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
