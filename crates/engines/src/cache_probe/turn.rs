//! Turns of priming, copying and probing, with a turn in between that copies nothing.

use crate::cache_probe::resident::Resident;
use crate::copier::Copier;
use crate::tasks::task::Task;
use harness::clock::monotonic_now_ns;
use harness::{Fault, Subject};
use workload::Workload;

/// Turns after which the replacement policy has learned that a set comes back.
const LEARNING: u32 = 50;
/// Turns from one measurement of the times of near and displaced lines to the next.
const LEVEL_EVERY: u32 = 4;
/// Shortest turn without a copy, ns: long enough to show a neighbour that evicts too
/// little to be seen during a short copy.
const LEAST_ALONE_NS: u64 = 2_000_000;
/// A turn without a copy that loses more than these shares of a set shows a neighbour at
/// work. For a set that fits the near caches: lost from all caches, and from the near
/// ones; for a larger set: lost from a cache that many share.
const MOST_LOST: f64 = 0.01;
const MOST_LOST_NEAR: f64 = 0.1;
const MOST_LOST_SHARED: f64 = 0.1;

/// Who evicts.
pub enum Polluter {
    None,
    /// So many bytes of the set, by an instruction.
    Flush(usize),
    Here(Copier),
    There(Task),
}

/// A set of lines that stays in the caches, and who may evict it.
pub struct Probe {
    resident: Resident,
    polluter: Polluter,
    /// Turns in which the caches learn that the set comes back; none where it is new
    /// in each.
    learning: Option<u32>,
    turn: u32,
    /// When the last copying began.
    began_ns: u64,
    counted: Counted,
    failed: Option<Fault>,
    notes: Vec<String>,
}

/// Shares of a set that are gone.
#[derive(Debug, Clone, Copy)]
struct Lost {
    /// From all caches.
    all: f64,
    /// From those below the last level; NAN where these cannot be separated.
    near: f64,
}

impl Lost {
    fn of(resident: &Resident) -> Lost {
        Lost {
            all: resident.evicted(),
            near: resident.displaced(),
        }
    }

    /// Whether the losses show no neighbour.
    fn is_little(self, fits_near: bool) -> bool {
        match fits_near {
            true => self.all <= MOST_LOST && (self.near.is_nan() || self.near <= MOST_LOST_NEAR),
            false => self.all <= MOST_LOST_SHARED,
        }
    }
}

/// Turns that count: with little lost alone on both sides.
#[derive(Debug)]
struct Counted {
    fits_near: bool,
    /// So many are wanted.
    enough: u32,
    quiet: u32,
    all: u32,
    /// What was lost alone before the next turn.
    before: Option<Lost>,
}

impl Counted {
    fn of(fits_near: bool, enough: u32) -> Counted {
        Counted {
            fits_near,
            enough,
            quiet: 0,
            all: 0,
            before: None,
        }
    }

    /// Forgets the turns of the warm-up, not what was lost after them.
    fn begin(&mut self) {
        (self.quiet, self.all) = (0, 0);
    }

    /// Whether a turn counts after which so much was lost alone.
    fn next(&mut self, after: Lost) -> bool {
        let before = self.before.replace(after);
        let is_little = |lost: Lost| lost.is_little(self.fits_near);
        let quiet = is_little(after) && before.is_none_or(is_little);
        self.quiet += u32::from(quiet);
        self.all += 1;
        quiet
    }

    fn is_enough(&self) -> bool {
        self.quiet >= self.enough
    }
}

impl Probe {
    /// `reused`: the set comes back, for some turns before one counts; else it is new
    /// in each. `enough`: turns that are to count.
    pub fn new(
        resident: Resident,
        polluter: Polluter,
        reused: bool,
        enough: u32,
        notes: Vec<String>,
    ) -> Probe {
        let counted = Counted::of(resident.fits_near(), enough);
        Probe {
            resident,
            polluter,
            learning: reused.then_some(enough.min(LEARNING)),
            turn: 0,
            began_ns: 0,
            counted,
            failed: None,
            notes,
        }
    }

    /// Brings in a set as new to the caches, or as often reused, as the next one.
    fn bring(&mut self) {
        if self.learning.is_none() {
            self.resident.renew();
        }
        self.resident.prime();
    }

    /// The same turn without a copy, for so long: what neighbours evict.
    fn alone(&mut self, wait_ns: u64) -> Lost {
        self.bring();
        let end_ns = monotonic_now_ns() + wait_ns;
        while monotonic_now_ns() < end_ns {
            std::hint::spin_loop();
        }
        self.resident.ask();
        Lost::of(&self.resident)
    }
}

impl Subject for Probe {
    fn sampling_begins(&mut self) {
        for _ in 0..self.learning.unwrap_or(0) {
            self.prepare(0);
            self.batch(0, 1);
            self.resident.ask();
        }
        self.counted.begin();
    }

    fn prepare(&mut self, _part: u16) {
        if self.learning.is_none() {
            if self.turn.is_multiple_of(LEVEL_EVERY) {
                self.resident.level();
            }
            self.turn += 1;
        }
        self.bring();
        self.began_ns = monotonic_now_ns();
    }

    fn batch(&mut self, _part: u16, _ops: u64) {
        match &mut self.polluter {
            Polluter::None => {}
            Polluter::Flush(bytes) => self.resident.flush(*bytes),
            Polluter::Here(copier) => copier.run(1),
            Polluter::There(task) => {
                if let Err(why) = task.unit_awake() {
                    self.failed.get_or_insert(why);
                }
            }
        }
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        let copying_ns = monotonic_now_ns() - self.began_ns;
        self.resident.ask();
        let lost = Lost::of(&self.resident);
        let after = self.alone(copying_ns.max(LEAST_ALONE_NS));
        let quiet = self.counted.next(after);
        // A turn that does not count is marked by no number here; its values follow.
        let counted = |share: f64| if quiet { share } else { f64::NAN };
        let resident = &self.resident;
        vec![
            counted(lost.all),
            resident.control.error,
            counted(lost.near),
            resident.levels.map_or(f64::NAN, |l| l.error),
            after.all,
            after.near,
            lost.all,
            lost.near,
        ]
    }

    fn has_enough(&self) -> bool {
        self.counted.is_enough()
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if let Some(why) = &self.failed {
            return Err(why.clone());
        }
        match &mut self.polluter {
            Polluter::Here(copier) => {
                copier.verify().map_err(|w| Fault::wrong(w.to_string()))?;
            }
            Polluter::There(task) => task.verify()?,
            Polluter::None | Polluter::Flush(_) => {}
        }
        self.resident.verify()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.resident.notes();
        let Counted { quiet, all, .. } = self.counted;
        notes.push(format!(
            "{quiet} of {all} turns count: in the others a neighbour evicted lines while \
             nothing was copied"
        ));
        notes.extend(self.notes.iter().cloned());
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::{Counted, Lost};

    #[test]
    fn a_neighbour_is_suspected_by_what_is_lost_while_nobody_copies() {
        let little = |all, near, fits| Lost { all, near }.is_little(fits);
        assert!(little(0.01, 0.1, true));
        assert!(!little(0.02, 0.1, true), "gone from all caches");
        assert!(!little(0.0, 0.3, true), "gone from the near ones");
        assert!(little(0.0, f64::NAN, true), "the clock is too coarse");
        assert!(little(0.08, f64::NAN, false));
        assert!(!little(0.2, f64::NAN, false));
    }

    #[test]
    fn turns_between_quiet_controls_count_until_there_are_enough() {
        let lost = |all| Lost {
            all,
            near: f64::NAN,
        };
        let mut counted = Counted::of(true, 2);
        let turns = [0.0, 0.5, 0.0, 0.0].map(|all| counted.next(lost(all)));
        assert_eq!(turns, [true, false, false, true]);
        assert!(counted.is_enough());
        assert_eq!([counted.quiet, counted.all], [2, 4]);
        counted.begin();
        assert!(counted.next(lost(0.0)) && !counted.is_enough());
        assert!(!counted.next(lost(0.5)) && !counted.is_enough());
    }
}
