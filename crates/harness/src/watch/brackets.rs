//! Steal and interrupts, read now and then: every batch lies between two readings.
//!
//! Reading /proc/stat and /proc/interrupts takes tens of microseconds, on machines with many
//! CPUs milliseconds: too much for every batch. So it is done for at most [`SHARE`] of the
//! time. The batches between two readings share what they say. Where that is 0 it is known of
//! each of them; of a single one it is known whatever it is; else it is known only of all
//! together.

use crate::clock::raw_now_ns;
use probe::cpu_time::StealReader;
use probe::interrupts::InterruptReader;
use std::path::Path;

/// Of the time, for readings.
const SHARE: f64 = 0.02;

/// Counts since the machine was booted.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    steal_ns: Option<u64>,
    interrupts: Option<u64>,
}

/// What lies between two readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bracket {
    /// Number of the first batch in it, and how many there are.
    pub first: usize,
    pub batches: usize,
    pub steal_ns: Option<u64>,
    pub interrupts: Option<u64>,
}

/// The readers, what a reading costs, and the brackets of the current block.
#[derive(Debug)]
pub struct Brackets {
    steal: Option<StealReader>,
    interrupts: Option<InterruptReader>,
    notes: Vec<String>,
    cost_ns: f64,
    last: Counts,
    last_at_ns: u64,
    /// Batches of the block so far, and those of them in closed brackets.
    batches: usize,
    closed: Vec<Bracket>,
}

impl Brackets {
    /// Of `cpu`; `root` is where /proc is found.
    pub fn open(root: &Path, cpu: u32) -> Self {
        let mut notes = Vec::new();
        let mut keep = |what: &str, why: &std::io::Error| {
            notes.push(format!("cannot read {what}: {why}"));
        };
        let steal = StealReader::open(root, cpu)
            .and_then(|mut r| r.read_ns().map(|_| r))
            .map_err(|e| keep("steal time from /proc/stat", &e))
            .ok();
        let interrupts = InterruptReader::open(root, cpu)
            .and_then(|mut r| r.read().map(|_| r))
            .map_err(|e| keep("interrupts from /proc/interrupts", &e))
            .ok();
        let mut brackets = Brackets {
            steal,
            interrupts,
            notes,
            cost_ns: 0.0,
            last: Counts::default(),
            last_at_ns: 0,
            batches: 0,
            closed: Vec::new(),
        };
        brackets.cost_ns = brackets.measure_cost();
        brackets
    }

    /// What is not readable here.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// A block begins: its first reading.
    pub fn begin(&mut self) {
        self.batches = 0;
        self.closed.clear();
        self.last = self.counts();
        self.last_at_ns = raw_now_ns();
    }

    /// The number of the batch that begins.
    pub fn next_batch(&mut self) -> usize {
        self.batches += 1;
        self.batches - 1
    }

    /// Before or behind a batch: a reading, where the last one is long enough ago.
    pub fn read_if_due(&mut self) {
        let passed_ns = raw_now_ns().saturating_sub(self.last_at_ns) as f64;
        let readable = self.steal.is_some() || self.interrupts.is_some();
        if readable && passed_ns * SHARE >= self.cost_ns {
            self.close();
        }
    }

    /// The last reading; the brackets of the block in order.
    pub fn end(&mut self) -> Vec<Bracket> {
        self.close();
        std::mem::take(&mut self.closed)
    }

    fn close(&mut self) {
        let (before, now) = (self.last, self.counts());
        let passed = |now: Option<u64>, before: Option<u64>| Some(now?.saturating_sub(before?));
        let first = self.closed.last().map_or(0, |b| b.first + b.batches);
        // Without a batch what is counted is kept all the same: the sum is the block's.
        self.closed.push(Bracket {
            first,
            batches: self.batches - first,
            steal_ns: passed(now.steal_ns, before.steal_ns),
            interrupts: passed(now.interrupts, before.interrupts),
        });
        self.last = now;
        self.last_at_ns = raw_now_ns();
    }

    fn counts(&mut self) -> Counts {
        Counts {
            steal_ns: self.steal.as_mut().and_then(|r| r.read_ns().ok()),
            interrupts: self.interrupts.as_mut().and_then(|r| r.read().ok()),
        }
    }

    /// Median of a few readings, ns.
    fn measure_cost(&mut self) -> f64 {
        let mut costs = [0u64; 7];
        for cost in &mut costs {
            let start = raw_now_ns();
            self.counts();
            *cost = raw_now_ns().saturating_sub(start);
        }
        costs.sort_unstable();
        costs[costs.len() / 2] as f64
    }
}

/// The bracket that a batch lies in.
pub fn around(brackets: &[Bracket], batch: usize) -> Option<&Bracket> {
    let at = brackets.partition_point(|b| b.first + b.batches <= batch);
    brackets.get(at).filter(|b| b.first <= batch)
}
