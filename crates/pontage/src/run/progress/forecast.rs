//! How long a run still takes: what is known from runs before it, corrected by what this one took
//! so far.
//!
//! Each experiment is expected to take what the pace of this machine says. Once its points are
//! done, what they took counts with those that are left of it, for later processes do the same
//! again; and how far all of them differ from what was expected counts with experiments whose turn
//! has not come.

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

/// So many points that are done count as much as what was expected of them.
const EXPECTED_POINTS: f64 = 1.0;
/// Measuring of so long, ns, counts as much as what was expected of all.
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
        let slower = self.slower();
        let left_of = |at: usize| {
            let seen = self.seen[at];
            let count = status.samplings.get(at).copied().unwrap_or_default();
            let points = f64::from(count.total.saturating_sub(count.done));
            let pending_ns = if at == status.at {
                seen.pending_ns
            } else {
                0.0
            };
            (points * self.point_ns(at, slower) - pending_ns).max(0.0)
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

    /// A point of an experiment.
    fn point_ns(&self, at: usize, slower: f64) -> f64 {
        let seen = self.seen[at];
        let expected_ns = slower * self.expected.point_ns[at];
        (EXPECTED_POINTS * expected_ns + seen.took_ns) / (EXPECTED_POINTS + f64::from(seen.done))
    }

    /// How much longer points took than was expected of them. Those that were skipped or left
    /// out say nothing of others.
    fn slower(&self) -> f64 {
        let expected = self.expected.point_ns.iter().zip(&self.seen);
        let all = expected.map(|(ns, seen)| (seen.took_ns, ns * f64::from(seen.done)));
        let measured = all.filter(|(took_ns, expected_ns)| *took_ns > SKIPPED * expected_ns);
        let (took_ns, expected_ns) = measured.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        (EXPECTED_NS + took_ns) / (EXPECTED_NS + expected_ns)
    }
}

#[cfg(test)]
mod tests;
