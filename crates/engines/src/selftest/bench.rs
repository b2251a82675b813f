//! The real sampler, with a clock that may be wrapped.

use super::machine::Machine;
use super::planted::Planted;
use harness::self_test::{floor_ns, resolution_ns};
use harness::watch::Watch;
use harness::yardstick::{Gauge, Yardstick};
use harness::{Bench, Clock, Ended, Member, Sampling, Shape, sample_block};
use record::Sample;
use stats::{Rng, whole};
use std::sync::atomic::AtomicBool;

/// What one batch takes, ns: about as in a run. Drawn for each block between both, because a
/// tick of 4 ms falls on every tenth A B B A of batches of 100 us, always on the same side.
const SHORTEST_BATCH_NS: f64 = 80e3;
const LONGEST_BATCH_NS: f64 = 120e3;
/// Far more than the samples of a member take, ns: only a machine that stands still ends
/// them early.
const PATIENCE_NS: u64 = 2_000_000_000;
/// Readings behind the cost of a turn, and the turns of one.
const TRIES: usize = 31;
const TRIAL_TURNS: u64 = 1000;

const SEED: u64 = 18;

/// The self-test was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// What blocks are sampled with.
pub struct Tools<'a> {
    pub machine: &'a dyn Machine,
    pub clock: &'a dyn Clock,
    watch: Box<dyn Watch + 'a>,
    gauge: Option<Box<dyn Gauge + 'a>>,
    pub floor_ns: f64,
    pub resolution_ns: f64,
    /// Of the work, by the machine's own clock.
    pub turn_ns: f64,
    lengths: Rng,
    stop: &'a AtomicBool,
}

impl<'a> Tools<'a> {
    /// With the machine's own clock.
    pub fn of(machine: &'a dyn Machine, stop: &'a AtomicBool) -> Tools<'a> {
        let clock = machine.clock();
        let resolution_ns = resolution_ns(clock);
        Tools {
            machine,
            clock,
            watch: machine.watch(),
            gauge: machine.gauge(resolution_ns),
            floor_ns: floor_ns(clock),
            resolution_ns,
            turn_ns: cost_ns(machine, TRIAL_TURNS) / TRIAL_TURNS as f64,
            lengths: Rng::new(SEED),
            stop,
        }
    }

    /// With a clock that changes what the machine's own says; no yardstick, which reads by
    /// that one.
    pub fn with_clock<'b>(&self, clock: &'b dyn Clock) -> Tools<'b>
    where
        'a: 'b,
    {
        Tools {
            machine: self.machine,
            clock,
            watch: self.machine.watch(),
            gauge: None,
            floor_ns: floor_ns(clock),
            resolution_ns: resolution_ns(clock),
            turn_ns: self.turn_ns,
            lengths: self.lengths.clone(),
            stop: self.stop,
        }
    }

    /// An interval of the ratio or the difference of two batches reaches so far at least, as
    /// a share of a batch.
    pub fn step_of_batch(&self) -> f64 {
        self.resolution_ns / SHORTEST_BATCH_NS
    }

    /// Samples subjects in alternation, so many batches of each.
    ///
    /// # Errors
    /// The self-test is to end.
    pub fn batches(
        &mut self,
        subjects: &mut [Planted<'_>],
        samples: u32,
    ) -> Result<Vec<Vec<Sample>>, Stopped> {
        self.sample(subjects, Shape::Batched, samples, false)
    }

    /// The same, and single operations after them, as metric 1.
    ///
    /// # Errors
    /// As `batches`.
    pub fn batches_and_singles(
        &mut self,
        subjects: &mut [Planted<'_>],
        samples: u32,
    ) -> Result<Vec<Vec<Sample>>, Stopped> {
        self.sample(subjects, Shape::Batched, samples, true)
    }

    /// The same, of single operations.
    ///
    /// # Errors
    /// As `batches`.
    pub fn singles(
        &mut self,
        subjects: &mut [Planted<'_>],
        samples: u32,
    ) -> Result<Vec<Vec<Sample>>, Stopped> {
        let repetitions = samples;
        self.sample(subjects, Shape::Single { repetitions }, samples, false)
    }

    fn sample(
        &mut self,
        subjects: &mut [Planted<'_>],
        shape: Shape,
        samples: u32,
        singly: bool,
    ) -> Result<Vec<Vec<Sample>>, Stopped> {
        let more_ns = (LONGEST_BATCH_NS - SHORTEST_BATCH_NS) * self.lengths.uniform();
        let sampling = Sampling {
            shape,
            batch_ns: whole(SHORTEST_BATCH_NS + more_ns),
            budget_ns: PATIENCE_NS,
            deadline_ns: PATIENCE_NS,
            min_samples: samples,
            max_samples: samples,
            target_width: 0.0,
            singly,
        };
        let members = subjects.iter_mut().map(|subject| Member {
            subject,
            parts: 1,
            sampling,
        });
        let mut members: Vec<Member<'_>> = members.collect();
        let clock = self.clock;
        let gauge = self.gauge.as_deref_mut();
        let mut bench = Bench {
            clock,
            watch: &mut *self.watch,
            yardstick: gauge.map(|gauge| Yardstick::begin(gauge, clock)),
            counters: None,
            floor_ns: self.floor_ns,
            resolution_ns: self.resolution_ns,
            process: 0,
            next_index: 0,
            stop: self.stop,
        };
        let sampled = sample_block(&mut members, &mut bench);
        match sampled.iter().any(|s| s.ended == Ended::Stopped) {
            true => Err(Stopped),
            false => Ok(sampled.into_iter().map(|s| s.samples).collect()),
        }
    }
}

/// What work costs by the machine's own clock, ns: the middle of some tries.
pub fn cost_ns(machine: &dyn Machine, turns: u64) -> f64 {
    let clock = machine.clock();
    let timed = |turns: u64| {
        let tries = (0..TRIES).map(|_| {
            let start = clock.start();
            machine.work(turns);
            clock.elapsed_ns(start, clock.stop())
        });
        stats::median(&tries.collect::<Vec<f64>>()).unwrap_or(f64::NAN)
    };
    timed(turns) - floor_ns(clock)
}
