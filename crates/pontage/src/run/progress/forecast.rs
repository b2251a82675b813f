//! How long a run still takes: what is known from runs before it, corrected by what this one took
//! so far.
//!
//! Each experiment is expected to take what the pace of this machine says. Once its points are
//! done, what they took counts with those that are left of it, for later processes do the same
//! again; and how far all of them differ from what was expected counts with experiments whose turn
//! has not come. The first points of an experiment are its smallest and the first experiments are
//! few, so both count little at first.

use harness::Status;
use std::time::Duration;

/// What a run is expected to take.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Expected {
    /// A point in one process, by the experiment's place in the plan, ns.
    pub point_ns: Vec<f64>,
    /// Time for points that are measured again, as a share of measuring.
    pub again: f64,
    /// From the last sample to the end of the program, ns.
    pub closing_ns: f64,
}

/// What an experiment took so far.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    done: u32,
    took_ns: f64,
    /// Since a point of it was last done.
    pending_ns: f64,
}

/// Follows a run.
pub struct Forecast {
    expected: Expected,
    seen: Vec<Seen>,
    last: Duration,
}

/// At its first point, what was expected of an experiment counts as much as this share of its
/// points in one process; when they are done, as much as one.
const EXPECTED_OF_POINTS: f64 = 0.5;
/// Measuring of this share of the run counts as much as what was expected of all, and at least so
/// long, ns.
const EXPECTED_OF_RUN: f64 = 0.1;
const EXPECTED_NS: f64 = 2e9;
/// What took less than this share of what was expected was not measured.
const SKIPPED: f64 = 0.05;

impl Forecast {
    pub fn new(expected: Expected) -> Forecast {
        Forecast {
            seen: vec![Seen::default(); expected.point_ns.len()],
            expected,
            last: Duration::ZERO,
        }
    }

    /// The run stands so, at this time since its first process was started.
    pub fn see(&mut self, status: &Status, now: Duration) {
        let passed_ns = now.saturating_sub(self.last).as_nanos() as f64;
        self.last = now;
        let counts = status.samplings.iter();
        for (at, (seen, count)) in self.seen.iter_mut().zip(counts).enumerate() {
            if at == status.at {
                seen.pending_ns += passed_ns;
            }
            if count.done > seen.done {
                seen.done = count.done;
                seen.took_ns += std::mem::take(&mut seen.pending_ns);
            }
        }
    }

    /// Time until the program ends.
    pub fn left(&self, status: &Status) -> Duration {
        let slower = self.slower(status);
        let left_of = |at: usize| {
            let seen = self.seen[at];
            let count = status.samplings.get(at).copied().unwrap_or_default();
            let points = f64::from(count.total.saturating_sub(count.done));
            let pending_ns = if at == status.at {
                seen.pending_ns
            } else {
                0.0
            };
            (points * self.point_ns(at, of_process(status, at), slower) - pending_ns).max(0.0)
        };
        let planned_ns: f64 = (0..self.seen.len()).map(left_of).sum();
        let again_ns = match status.process < status.processes {
            // It takes its share of all that was measured.
            true => self.expected.again * (planned_ns + self.last.as_nanos() as f64),
            false => 0.0,
        };
        let limit_ns = status.left_ns.map_or(f64::INFINITY, |ns| ns as f64);
        let measuring_ns = (planned_ns + again_ns).min(limit_ns);
        let ns = measuring_ns + self.expected.closing_ns;
        Duration::from_secs_f64((ns / 1e9).clamp(0.0, 1e9))
    }

    /// A point of an experiment that has so many in one process.
    fn point_ns(&self, at: usize, of_process: f64, slower: f64) -> f64 {
        let seen = self.seen[at];
        let done = f64::from(seen.done);
        let expected_ns = slower * self.expected.point_ns[at];
        let weight = 1.0 + EXPECTED_OF_POINTS * (of_process - done).max(0.0);
        (weight * expected_ns + seen.took_ns) / (weight + done)
    }

    /// How much longer experiments take than was expected of them: the geometric mean, in which
    /// one that is far off does not speak for all, and one that has just begun says little. Points
    /// that were skipped or left out say nothing of others.
    fn slower(&self, status: &Status) -> f64 {
        let expected = || self.expected.point_ns.iter().enumerate();
        let of_run: f64 = expected()
            .map(|(at, ns)| ns * of_process(status, at) * f64::from(status.processes))
            .sum();
        let mut known_ns = EXPECTED_NS.max(EXPECTED_OF_RUN * of_run);
        let mut log = 0.0;
        for (at, ns) in expected() {
            let seen = self.seen[at];
            let expected_ns = ns * f64::from(seen.done);
            if expected_ns > 0.0 && seen.took_ns > SKIPPED * expected_ns {
                let share = f64::from(seen.done) / of_process(status, at).max(1.0);
                let counts_ns = expected_ns * share.min(1.0);
                log += counts_ns * (seen.took_ns / expected_ns).ln();
                known_ns += counts_ns;
            }
        }
        (log / known_ns).exp()
    }
}

/// Points of an experiment in one process.
fn of_process(status: &Status, at: usize) -> f64 {
    let total = status.samplings.get(at).map_or(0, |count| count.total);
    f64::from(total) / f64::from(status.processes.max(1))
}

#[cfg(test)]
mod tests;
