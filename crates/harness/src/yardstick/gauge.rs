//! One reading of the speed of the CPU.

use super::registers::{self, TURN};
use crate::clock::Clock;
use record::Yardstick as Reading;

/// Readings of which the typical one is taken.
const TRIES: usize = 31;
/// A reading lasts so many steps of the clock: 1 % of it is one step.
const STEPS: f64 = 100.0;
/// And not less than this, ns, so that one interrupt is seen as what it is.
const SHORTEST_NS: f64 = 300.0;
/// The burst has half the time: another thread takes a quarter of a core and more, or none.
const BURST_SHARE: f64 = 0.5;
/// Turns that a length is found with.
const TRIAL_TURNS: u32 = 16;
/// More turns than any core needs for a reading, at 1 GHz and a clock of 32 kHz.
const MOST_TURNS: u32 = 1 << 20;

/// Says how fast the CPU is right now.
pub trait Gauge {
    /// One reading, by `clock`.
    fn read(&mut self, clock: &dyn Clock) -> Reading;
    /// What a reading takes, ns.
    fn cost_ns(&self) -> f64;
}

/// Known work in registers, as long as the clock needs to tell 1 % apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Registers {
    link_turns: u32,
    burst_turns: u32,
    /// What the clock reads of no turns, ns.
    floor_ns: f64,
    cost_ns: f64,
}

impl Registers {
    /// Finds the length of a reading on the calling CPU; None where this instruction set has
    /// no such loops.
    pub fn fit(clock: &dyn Clock, resolution_ns: f64) -> Option<Registers> {
        if !registers::KNOWN {
            return None;
        }
        let floor_ns = typical(clock, registers::links, 0);
        let turn_ns = |work: fn(u32)| {
            let all = typical(clock, work, TRIAL_TURNS) - floor_ns;
            (all / f64::from(TRIAL_TURNS)).max(0.1)
        };
        let lasting_ns = (STEPS * resolution_ns).max(SHORTEST_NS);
        let turns = |lasting_ns: f64, turn_ns: f64| {
            let turns = stats::whole((lasting_ns / turn_ns).ceil());
            u32::try_from(turns)
                .unwrap_or(MOST_TURNS)
                .clamp(1, MOST_TURNS)
        };
        let mut fitted = Registers {
            link_turns: turns(lasting_ns, turn_ns(registers::links)),
            burst_turns: turns(BURST_SHARE * lasting_ns, turn_ns(registers::burst)),
            floor_ns,
            cost_ns: 0.0,
        };
        let mut costs: Vec<f64> = (0..TRIES)
            .map(|_| {
                let start = clock.start();
                fitted.read(clock);
                clock.elapsed_ns(start, clock.stop())
            })
            .collect();
        fitted.cost_ns = middle(&mut costs);
        Some(fitted)
    }

    /// Of one multiplication that waits for the one before it, ns: one reading.
    pub fn product_ns(&self, clock: &dyn Clock) -> f64 {
        let all = timed(clock, registers::products, self.link_turns) - self.floor_ns;
        all / f64::from(self.link_turns * TURN)
    }

    /// What a link lasts at the step of the clock, ns.
    pub fn step_of_link_ns(&self, resolution_ns: f64) -> f64 {
        resolution_ns / f64::from(self.link_turns * TURN)
    }
}

impl Gauge for Registers {
    fn read(&mut self, clock: &dyn Clock) -> Reading {
        let each =
            |elapsed_ns: f64, turns: u32| (elapsed_ns - self.floor_ns) / f64::from(turns * TURN);
        let link_ns = timed(clock, registers::links, self.link_turns);
        let burst_ns = timed(clock, registers::burst, self.burst_turns);
        Reading {
            link_ns: each(link_ns, self.link_turns),
            burst_ns: each(burst_ns, self.burst_turns),
        }
    }

    fn cost_ns(&self) -> f64 {
        self.cost_ns
    }
}

fn timed(clock: &dyn Clock, work: fn(u32), turns: u32) -> f64 {
    let start = clock.start();
    work(turns);
    clock.elapsed_ns(start, clock.stop())
}

/// Middle of a few tries, ns.
fn typical(clock: &dyn Clock, work: fn(u32), turns: u32) -> f64 {
    let mut tries: Vec<f64> = (0..TRIES).map(|_| timed(clock, work, turns)).collect();
    middle(&mut tries)
}

/// Mean of the middle half: a median lies on a step of the clock.
fn middle(tries: &mut [f64]) -> f64 {
    tries.sort_unstable_by(f64::total_cmp);
    let half = &tries[tries.len() / 4..tries.len() - tries.len() / 4];
    stats::mean(half).unwrap_or(f64::NAN)
}
