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
/// Neighbours that evict more than these shares of a set spoil a turn: of one that fits the near
/// caches, from all caches; of a larger one, from a cache that many share. Counted is what they
/// evict in the time of the copying.
const MOST_LOST: f64 = 0.01;
const MOST_LOST_SHARED: f64 = 0.1;
/// The same of the near caches, in the whole turn without a copy: who uses them too, as the other
/// thread of a core does, has its part of them at once.
const MOST_LOST_NEAR: f64 = 0.1;

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
}

/// What a turn without a copy lost, and how long it was.
#[derive(Debug, Clone, Copy)]
struct Alone {
    lost: Lost,
    ns: u64,
}

impl Alone {
    /// Share of a set that is lost from all caches in the time of a copying: lines go one after the
    /// other, and none at once, as the control of lines just read shows.
    fn all_during(self, copying_ns: u64) -> f64 {
        let share = copying_ns as f64 / self.ns.max(1) as f64;
        1.0 - (1.0 - self.lost.all.min(1.0)).powf(share)
    }
}

/// Which of a turn's shares count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counts {
    all: bool,
    near: bool,
}

/// Turns that count: those on both sides lose little alone.
#[derive(Debug)]
struct Counted {
    fits_near: bool,
    /// So many are wanted.
    enough: u32,
    /// Of which the share lost from all caches counts, ...
    quiet: u32,
    /// ... and that from the near ones too.
    quiet_near: u32,
    all: u32,
    /// What was lost alone before the next turn.
    before: Option<Alone>,
}

impl Counted {
    fn of(fits_near: bool, enough: u32) -> Counted {
        Counted {
            fits_near,
            enough,
            quiet: 0,
            quiet_near: 0,
            all: 0,
            before: None,
        }
    }

    /// Forgets the turns of the warm-up, not what was lost after them.
    fn begin(&mut self) {
        (self.quiet, self.quiet_near, self.all) = (0, 0, 0);
    }

    /// What counts of a turn that copied for so long, and after which so much was lost alone.
    fn next(&mut self, copying_ns: u64, after: Alone) -> Counts {
        let before = self.before.replace(after).unwrap_or(after);
        let most = match self.fits_near {
            true => MOST_LOST,
            false => MOST_LOST_SHARED,
        };
        let both = [before, after];
        let all = both.iter().all(|a| a.all_during(copying_ns) <= most);
        let is_little = |near: f64| near.is_nan() || near <= MOST_LOST_NEAR;
        let near = all && (!self.fits_near || both.iter().all(|a| is_little(a.lost.near)));
        self.quiet += u32::from(all);
        self.quiet_near += u32::from(near);
        self.all += 1;
        Counts { all, near }
    }

    fn is_enough(&self) -> bool {
        self.quiet_near >= self.enough
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
        let alone_ns = copying_ns.max(LEAST_ALONE_NS);
        let after = self.alone(alone_ns);
        let alone = Alone {
            lost: after,
            ns: alone_ns,
        };
        let counts = self.counted.next(copying_ns, alone);
        // What does not count is marked by no number here; its values follow.
        let counted = |counts, share: f64| if counts { share } else { f64::NAN };
        let resident = &self.resident;
        vec![
            counted(counts.all, lost.all),
            resident.control.error,
            counted(counts.near, lost.near),
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
        let Counted {
            quiet,
            quiet_near,
            all,
            ..
        } = self.counted;
        notes.push(format!(
            "{quiet} of {all} turns count, {quiet_near} for the near caches: next to the others a \
             neighbour evicted too many lines while nothing was copied"
        ));
        notes.extend(self.notes.iter().cloned());
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::{Alone, Counted, Counts, Lost};

    const NS: u64 = 2_000_000;

    fn alone(all: f64, near: f64) -> Alone {
        Alone {
            lost: Lost { all, near },
            ns: NS,
        }
    }

    /// What counts of a turn of that length between two such turns without a copy.
    fn counts(all: f64, near: f64, fits_near: bool, copying_ns: u64) -> (bool, bool) {
        let mut counted = Counted::of(fits_near, 2);
        let Counts { all, near } = counted.next(copying_ns, alone(all, near));
        (all, near)
    }

    #[test]
    fn a_neighbour_is_suspected_by_what_is_lost_while_nothing_is_copied() {
        let of = |all, near, fits| counts(all, near, fits, NS);
        assert_eq!(of(0.009, 0.1, true), (true, true));
        assert_eq!(of(0.02, 0.1, true), (false, false), "gone from all caches");
        assert_eq!(of(0.0, 0.3, true), (true, false), "gone from the near ones");
        assert_eq!(of(0.0, f64::NAN, true), (true, true), "too coarse a clock");
        assert_eq!(of(0.08, f64::NAN, false), (true, true));
        assert_eq!(of(0.2, f64::NAN, false), (false, false));
    }

    #[test]
    fn what_neighbours_evict_from_all_caches_counts_for_the_time_of_the_copying() {
        assert!((alone(0.05, 0.0).all_during(300_000) - 0.0077).abs() < 1e-4);
        assert_eq!(counts(0.05, 0.0, true, 300_000), (true, true));
        assert_eq!(counts(0.05, 0.0, true, 500_000), (false, false));
        // A neighbour in the near caches has its part of them at once.
        assert_eq!(counts(0.05, 0.3, true, 300_000), (true, false));
        assert_eq!(counts(1.0, 0.0, true, 300_000), (false, false));
    }

    #[test]
    fn turns_between_quiet_controls_count_until_there_are_enough() {
        let of = |all| alone(all, f64::NAN);
        let mut counted = Counted::of(true, 2);
        let turns = [0.0, 0.5, 0.0, 0.0].map(|all| counted.next(NS, of(all)).all);
        assert_eq!(turns, [true, false, false, true]);
        assert!(counted.is_enough());
        assert_eq!([counted.quiet, counted.quiet_near, counted.all], [2, 2, 4]);
        counted.begin();
        assert!(counted.next(NS, of(0.0)).all && !counted.is_enough());
        assert!(!counted.next(NS, of(0.5)).all && !counted.is_enough());
    }
}
