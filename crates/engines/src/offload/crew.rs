//! A worker on each CPU, each with ends of its own, all copying at the same time.
//!
//! The points of one block are the workers and their total, so they share a crew,
//! and one turn of it is a sample of each of them. The first point that has seen
//! the last turn begins the next one.

use super::desk::{Copier, Desk};
use super::ends::{Manner, Material};
use super::lane::{self, COPIES, Lane, Order, Stretch};
use crate::crew::in_use::InUse;
use crate::crew::threads::{self, Waiting};
use harness::{Context, Fault, SetupError};
use std::cell::RefCell;
use std::rc::Rc;
use uapi::{Class, Windows, begin_in};

/// From the order to the common start: enough to wake every worker.
const LEAD_NS: u64 = 2_000_000;

/// What a crew is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    pub manner: Manner,
    pub material: Material,
    /// CPUs of the workers; the first is the calling thread's.
    pub cpus: Vec<u32>,
    /// The first worker's copies are of the high class.
    pub first_is_high: bool,
}

impl Job {
    fn manner_of(&self, worker: usize) -> Manner {
        let mut manner = self.manner;
        if worker == 0 && self.first_is_high {
            manner.class = Class::High;
        }
        manner
    }
}

/// All workers of one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    pub stretches: Vec<Stretch>,
    /// Of the priority policy only.
    pub windows: Option<Achieved>,
}

/// What the gate did during a turn, to compare with what was requested.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Achieved {
    /// Mean length of a high window, and of it with the low one behind it, ns.
    pub quantum_ns: f64,
    pub window_ns: f64,
    /// High windows begun.
    pub windows: u64,
    /// Windows that passed without the gate moving.
    pub missed: u64,
}

/// The threads that order copies together, under one policy.
pub struct CopyCrew {
    job: Job,
    threads: threads::Crew<Lane>,
    /// Of each worker in a turn.
    copies: u32,
    /// Number of the last turn, and what it gave.
    number: u64,
    last: Option<Result<Rc<Turn>, Fault>>,
    /// The outcome of the check after that turn.
    checked: Option<(u64, Result<(), Fault>)>,
    // Dropped last: the policy outlives what uses it.
    desk: Rc<Desk>,
}

thread_local! {
    static CREWS: InUse<(Copier, Job), RefCell<CopyCrew>> = const { InUse::none() };
}

/// The crew for this job under this desk: the one in use, else a new one.
///
/// # Errors
/// What setting up the ends of a worker says.
pub fn shared(
    desk: &Rc<Desk>,
    job: Job,
    context: &Context,
) -> Result<Rc<RefCell<CopyCrew>>, SetupError> {
    CREWS.with(|crews| {
        crews.get((desk.copier, job.clone()), || {
            CopyCrew::new(desk, job, context).map(RefCell::new)
        })
    })
}

impl CopyCrew {
    fn new(desk: &Rc<Desk>, job: Job, context: &Context) -> Result<CopyCrew, SetupError> {
        let own_cpu = job.cpus.first().copied().unwrap_or(context.test_cpu);
        let (device, of, its) = (desk.device.clone(), job.clone(), context.clone());
        let lane =
            move |number, cpu| Lane::new(&device, of.manner_of(number), of.material, cpu, &its);
        let own = lane(0, own_cpu)?;
        let others = job.cpus.get(1..).unwrap_or_default();
        let threads = threads::Crew::start("offload", Waiting::Called, own, others, lane)?;
        let mut crew = CopyCrew {
            copies: lane::step(job.material.bytes),
            job,
            threads,
            number: 0,
            last: None,
            checked: None,
            desk: Rc::clone(desk),
        };
        crew.size_turns()?;
        Ok(crew)
    }

    /// A turn of the fewest copies shows how many a turn can have.
    fn size_turns(&mut self) -> Result<(), Fault> {
        let trial = self.turn()?;
        let slowest_ns = trial.stretches.iter().map(|s| s.elapsed_ns).max();
        let bytes = self.job.material.bytes;
        self.copies = lane::copies_in_turn(bytes, self.copies, slowest_ns.unwrap_or(0));
        Ok(())
    }

    /// Copies of each worker in a turn.
    pub fn copies(&self) -> u32 {
        self.copies
    }

    /// The turn after `seen`: the last one, or a new one where that is the last.
    /// Returns its number too.
    ///
    /// # Errors
    /// What the first worker that failed says.
    pub fn turn_after(&mut self, seen: u64) -> (u64, Result<Rc<Turn>, Fault>) {
        if let Some(last) = &self.last
            && seen < self.number
        {
            return (self.number, last.clone());
        }
        self.number += 1;
        let turn = self.turn().map(Rc::new);
        self.last = Some(turn.clone());
        (self.number, turn)
    }

    fn turn(&mut self) -> Result<Turn, Fault> {
        let before = self.desk.policy_state();
        let begin_at_ns = begin_in(LEAD_NS);
        let copies = self.copies;
        let answers = self.all(Order::Copy {
            begin_at_ns,
            copies,
        })?;
        let stretches: Option<Vec<Stretch>> = answers.into_iter().collect();
        let after = self.desk.policy_state();
        let windows = before.zip(after);
        Ok(Turn {
            stretches: stretches.ok_or_else(|| Fault::wrong("a worker did not copy"))?,
            windows: windows.and_then(|(b, a)| achieved(&b.windows, &a.windows)),
        })
    }

    /// Number of the last turn.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Every worker checks a copy of its own; once until the next turn.
    ///
    /// # Errors
    /// What the first worker whose bytes are wrong says.
    pub fn check(&mut self) -> Result<(), Fault> {
        if let Some((number, checked)) = &self.checked
            && *number == self.number
        {
            return checked.clone();
        }
        let checked = self.all(Order::Check).map(|_| ());
        self.checked = Some((self.number, checked.clone()));
        checked
    }

    fn all(&mut self, order: Order) -> Result<Vec<Option<Stretch>>, Fault> {
        let own = self.threads.turn(order)?;
        std::iter::once(own).chain(self.threads.answers()).collect()
    }

    /// What the engine and its memory are, for the record.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.desk.notes();
        notes.extend(self.threads.own.ends.notes());
        let stretches = self.last.iter().flatten().flat_map(|turn| &turn.stretches);
        let channels = stretches.filter_map(|s| Some(s.channel?.to_string()));
        let channels: Vec<String> = channels.collect();
        if self.copies < COPIES {
            notes.push(format!(
                "{} copies per worker and turn instead of {COPIES}: they take long here",
                self.copies
            ));
        }
        if !channels.is_empty() {
            notes.push(format!("last chunks on channels {}", channels.join(", ")));
        }
        notes
    }
}

/// None where the gate did not move: no priority policy, or a short turn.
fn achieved(before: &Windows, after: &Windows) -> Option<Achieved> {
    let more = |of: fn(&Windows) -> u64| of(after).saturating_sub(of(before));
    let (high, low) = (more(|w| w.high_count), more(|w| w.low_count));
    if high == 0 || low == 0 {
        return None;
    }
    let quantum_ns = more(|w| w.high_ns) as f64 / high as f64;
    Some(Achieved {
        quantum_ns,
        window_ns: quantum_ns + more(|w| w.low_ns) as f64 / low as f64,
        windows: high,
        missed: more(|w| w.missed),
    })
}

/// What a turn of all workers is as one row: the copies of all, in the time that
/// makes their rate the sum of the workers' rates.
pub fn total(turn: &[Stretch]) -> (u64, f64) {
    let copies: u64 = turn.iter().map(|s| u64::from(s.copies)).sum();
    let rates = turn
        .iter()
        .map(|s| f64::from(s.copies) / s.elapsed_ns.max(1) as f64);
    (copies, copies as f64 / rates.sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::{Stretch, achieved, total};
    use uapi::Windows;

    fn worker(elapsed_ns: u64) -> Stretch {
        Stretch {
            cpu: 0,
            copies: 300,
            elapsed_ns,
            began_ns: 0,
            dma_bytes: 0,
            channel: None,
        }
    }

    #[test]
    fn the_rate_of_all_is_the_sum_of_their_rates() {
        let (copies, elapsed_ns) = total(&[worker(30_000), worker(60_000)]);
        assert_eq!(copies, 600);
        // 300 in 30 us and 300 in 60 us: 15 copies a us.
        assert!((elapsed_ns / 600.0 - 1e3 / 15.0).abs() < 1e-9);
    }

    #[test]
    fn windows_are_those_of_the_turn() {
        let before = Windows {
            high_count: 10,
            high_ns: 999,
            low_count: 10,
            low_ns: 7,
            ..Windows::default()
        };
        let after = Windows {
            high_count: 14,
            high_ns: 999 + 4 * 31_000,
            low_count: 12,
            low_ns: 7 + 2 * 64_000,
            missed: 3,
            ..before
        };
        let a = achieved(&before, &after).expect("the gate moved");
        assert_eq!((a.quantum_ns, a.window_ns), (31_000.0, 95_000.0));
        assert_eq!((a.windows, a.missed), (4, 3));
        assert_eq!(achieved(&after, &after), None);
    }
}
