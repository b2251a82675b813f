//! A set of lines that is brought into the caches, and a count of those that are
//! still there.

use crate::cache_probe::levels::{Displacer, Levels, near_bytes};
use crate::loops::flush::Flusher;
use crate::memory::chain::UNROLL;
use crate::memory::{Chain, Layout, Mapping};
use harness::{Context, Fault, SetupError};
use record::axis::human_bytes;
use stats::Rng;
use std::num::NonZeroUsize;
use std::rc::Rc;

/// One line in so many bytes is probed. Adjacent lines must not be: a miss on one
/// also fetches the other, and a quarter of the results would be wrong.
pub const STEP: usize = 1024;
/// Turns through the whole set that make it resident.
const PRIMING: u64 = 3;
/// Turns of each control: enough that interference by other tasks in one of them hardly
/// counts.
const CONTROLS: usize = 15;
const SEED: u64 = 0x7072_6f62;

/// The set, and what separates its hits from its misses.
#[derive(Debug)]
pub struct Resident {
    all: Chain,
    sample: Chain,
    mapping: Rc<Mapping>,
    bytes: usize,
    flusher: Flusher,
    times: Vec<u32>,
    pub control: Control,
    /// None where the set does not fit the caches below the last level.
    displacer: Option<Displacer>,
    /// Turns of loads on the set near and displaced, the last of many.
    known: [Vec<Vec<u32>>; 2],
    /// None where the clock cannot separate the near caches from the last level.
    pub levels: Option<Levels>,
}

/// How well a load that found its line is separated from one that did not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Control {
    /// A load of more ticks is a miss.
    pub threshold_ticks: u32,
    /// Share of both controls that this takes for the other kind, in the median of
    /// their turns: a line that a neighbour evicts for a moment is a true miss.
    pub error: f64,
    /// The same in all of their turns.
    pub error_with_neighbours: f64,
    pub hit_ticks: u32,
    pub miss_ticks: u32,
}

impl Resident {
    /// # Errors
    /// `Skip` where memory or a clock is missing.
    pub fn new(bytes: usize, line: usize, context: &Context) -> Result<Resident, SetupError> {
        if !harness::loads::is_available() {
            return Err(SetupError::skip(
                "single loads cannot be timed: no RDTSCP",
                "none: it needs a newer processor, or a hypervisor that exposes it",
            ));
        }
        if bytes < 4 * STEP {
            return Err(SetupError::skip(
                format!("a set of {bytes} B is too small for a sample of lines"),
                "use a set of at least 4 KiB: --axis set=512KiB",
            ));
        }
        let mapping = Rc::new(Mapping::huge_if_possible(bytes, context)?);
        let line = NonZeroUsize::new(line).unwrap_or(NonZeroUsize::MIN);
        let all = Chain::new(
            Rc::clone(&mapping),
            bytes,
            Layout::RandomLines { line },
            SEED,
        )?;
        let sample = Chain::visiting(Rc::clone(&mapping), &sampled(bytes))?;
        let flusher = Flusher::best(&context.card, context.memory_available_bytes)
            .map_err(|e| SetupError::fail("map memory to evict by", e))?;
        let mut resident = Resident {
            times: vec![0; sample.count()],
            all,
            sample,
            mapping,
            bytes,
            flusher,
            control: Control::of(&[vec![0]], &[vec![1]]),
            displacer: near_bytes(&context.card)
                .filter(|near| bytes <= *near)
                .map(|near| Displacer::new(near, line.get(), context))
                .transpose()?,
            known: [Vec::new(), Vec::new()],
            levels: None,
        };
        resident.control = resident.calibrate();
        for _ in 0..CONTROLS {
            resident.level();
        }
        Ok(resident)
    }

    /// Drops the set from all caches, and with it what their replacement policy has
    /// learned about it.
    pub fn renew(&self) {
        self.flush(self.bytes);
    }

    /// Brings the whole set into the caches.
    pub fn prime(&mut self) {
        walk(&mut self.all);
    }

    /// Probes the sampled lines, which brings them back.
    pub fn ask(&mut self) {
        self.sample.time_each(&mut self.times);
    }

    /// Share of the lines last probed that were gone from all caches.
    pub fn evicted(&self) -> f64 {
        let threshold = self.control.threshold_ticks;
        let gone = self.times.iter().filter(|t| **t > threshold).count();
        gone as f64 / self.times.len() as f64
    }

    /// Share of the lines last probed that had left the caches below the last
    /// level; NAN where these cannot be separated.
    pub fn displaced(&self) -> f64 {
        let of = |levels: &Levels| levels.displaced(&self.times, self.control.threshold_ticks);
        self.levels.as_ref().map_or(f64::NAN, of)
    }

    /// Whether the set fits the caches below the last level.
    pub fn fits_near(&self) -> bool {
        self.displacer.is_some()
    }

    /// Drops the first `bytes` of the set from all caches: an eviction of known
    /// share.
    pub fn flush(&self, bytes: usize) {
        // SAFETY: inside the mapping.
        unsafe {
            self.flusher
                .flush(self.mapping.base().as_ptr(), bytes.min(self.bytes))
        };
    }

    fn calibrate(&mut self) -> Control {
        let (mut primed, mut flushed) = (Vec::new(), Vec::new());
        for _ in 0..CONTROLS {
            self.prime();
            self.ask();
            primed.push(self.times.clone());
            self.renew();
            self.ask();
            flushed.push(self.times.clone());
        }
        Control::of(&primed, &flushed)
    }

    /// Measures again how long loads of a near and of a displaced set take, because
    /// clock rates change. Leaves the set displaced.
    pub fn level(&mut self) {
        let Some(displacer) = &self.displacer else {
            return;
        };
        for known in 0..2 {
            walk(&mut self.all);
            if known == 1 {
                displacer.displace();
            }
            self.sample.time_each(&mut self.times);
            let turns = &mut self.known[known];
            if turns.len() == CONTROLS {
                turns.remove(0);
            }
            turns.push(self.times.clone());
        }
        let [near, displaced] = &self.known;
        self.levels = Levels::of(near, displaced, self.control.threshold_ticks);
    }

    /// # Errors
    /// A sentence that says what is wrong with the chain.
    pub fn verify(&self) -> Result<(), Fault> {
        self.all.verify()?;
        self.sample.verify()
    }

    /// How good the instrument was, and on what.
    pub fn notes(&self) -> Vec<String> {
        let c = &self.control;
        let levels = match &self.levels {
            Some(l) => format!(
                "share of loads over {} ticks: {:.2} from the near caches, {:.2} from the last \
                 level; error of the estimated share on known sets {:.3}",
                l.split_ticks, l.near_late, l.last_late, l.error
            ),
            None => "losses from the near caches are unknown: the set does not fit in them, or \
                     the clock cannot separate them from the last level"
                .to_owned(),
        };
        vec![
            levels,
            format!(
                "control: {:.2} % of loads misclassified in the median of {} turns, {:.2} % in \
                 all (hit {}, miss {}, threshold {} ticks)",
                c.error * 100.0,
                CONTROLS,
                c.error_with_neighbours * 100.0,
                c.hit_ticks,
                c.miss_ticks,
                c.threshold_ticks
            ),
            format!(
                "set of {}: {}; {} lines asked for",
                human_bytes(self.bytes as u64),
                self.mapping.note(),
                self.times.len()
            ),
        ]
    }
}

/// Passes through the whole set often enough to make it resident.
fn walk(all: &mut Chain) {
    let turn = (all.count() as u64).next_multiple_of(UNROLL);
    all.walk(PRIMING * turn);
}

/// Places of the sample in random order: the second word of one line in each step.
fn sampled(bytes: usize) -> Vec<usize> {
    const SECOND_WORD: usize = 8;
    let mut offsets: Vec<usize> = (0..bytes / STEP).map(|i| i * STEP + SECOND_WORD).collect();
    let mut random = Rng::new(SEED);
    for last in (1..offsets.len()).rev() {
        offsets.swap(last, random.below(last + 1));
    }
    offsets
}

impl Control {
    /// The threshold with the fewest errors on turns of loads of lines that are known
    /// to be there and known to be gone.
    fn of(primed: &[Vec<u32>], flushed: &[Vec<u32>]) -> Control {
        let pooled = |turns: &[Vec<u32>]| {
            let mut all = turns.concat();
            all.sort_unstable();
            all
        };
        let (there, gone) = (pooled(primed), pooled(flushed));
        let wrong = |threshold: u32| {
            let alarms = there.len() - there.partition_point(|t| *t <= threshold);
            alarms + gone.partition_point(|t| *t <= threshold)
        };
        let candidates = there.iter().chain(gone.iter()).copied();
        let best = candidates.min_by_key(|t| wrong(*t)).unwrap_or(0);
        let (hit, miss) = (middle(&there), middle(&gone));
        // Of all thresholds with equally few errors, the middle one.
        let between = hit.midpoint(miss);
        let threshold = match wrong(between) <= wrong(best) {
            true => between,
            false => best,
        };
        let alarms = middle_share(primed, |t| t > threshold);
        let quick = middle_share(flushed, |t| t <= threshold);
        Control {
            threshold_ticks: threshold,
            error: f64::midpoint(alarms, quick),
            error_with_neighbours: wrong(threshold) as f64
                / (there.len() + gone.len()).max(1) as f64,
            hit_ticks: hit,
            miss_ticks: miss,
        }
    }
}

/// The median over turns of the share of loads that are so.
fn middle_share(turns: &[Vec<u32>], is: impl Fn(u32) -> bool) -> f64 {
    let share = |turn: &Vec<u32>| {
        let count = turn.iter().filter(|t| is(**t)).count();
        count as f64 / turn.len().max(1) as f64
    };
    let shares: Vec<f64> = turns.iter().map(share).collect();
    stats::median(&shares).unwrap_or(0.0)
}

fn middle(sorted: &[u32]) -> u32 {
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Control, Resident, STEP, sampled};
    use harness::SetupError;
    use std::collections::BTreeSet;
    use testbed::context;

    #[test]
    fn every_step_is_asked_once() {
        let offsets = sampled(64 * STEP);
        let met: BTreeSet<usize> = offsets.iter().map(|o| o / STEP).collect();
        assert_eq!((offsets.len(), met.len()), (64, 64));
        assert!(offsets.windows(2).any(|w| w[0] > w[1]), "not in order");
    }

    /// Over all turns, including those with interference by neighbours.
    #[test]
    fn a_flush_of_a_known_share_is_seen() {
        let (context, _keep) = context();
        let mut resident = match Resident::new(64 << 10, 64, &context) {
            Ok(resident) => resident,
            Err(SetupError::Skip { reason, .. }) => {
                assert!(reason.contains("RDTSCP"), "{reason}");
                return;
            }
            Err(SetupError::Fail(why)) => panic!("{why}"),
        };
        for (bytes, expected) in [(0, 0.0), (32 << 10, 0.5), (64 << 10, 1.0)] {
            let seen: Vec<f64> = (0..25)
                .map(|_| {
                    resident.prime();
                    resident.flush(bytes);
                    resident.ask();
                    resident.evicted()
                })
                .collect();
            let off = (stats::median(&seen).unwrap() - expected).abs();
            let error = resident.control.error;
            assert!(off < 0.15 || error > 0.1, "{bytes}: {seen:?}");
        }
    }

    #[test]
    fn the_threshold_lies_between_and_errs_as_stated() {
        let of =
            |primed: &[u32], flushed: &[u32]| Control::of(&[primed.to_vec()], &[flushed.to_vec()]);
        let c = of(&[52, 52, 78, 52], &[390, 338, 364, 390]);
        assert!((78..338).contains(&c.threshold_ticks), "{c:?}");
        assert_eq!(c.error, 0.0);
        // One of four hits was late, one of four misses quick.
        let c = of(&[50, 50, 50, 400], &[380, 380, 380, 40]);
        assert!((c.error - 0.25).abs() < 1e-9, "{c:?}");
        let c = of(&[100; 8], &[100; 8]);
        assert!(
            (c.error - 0.5).abs() < 1e-9,
            "no difference is a coin's throw"
        );
    }

    #[test]
    fn a_neighbour_in_one_turn_of_a_control_is_not_an_error() {
        let quiet = vec![50; 8];
        let disturbed = vec![400; 8];
        let gone = vec![390; 8];
        let primed = [quiet.clone(), disturbed, quiet];
        let c = Control::of(&primed, &[gone.clone(), gone.clone(), gone]);
        assert_eq!((c.error, c.threshold_ticks), (0.0, 220));
        assert!((c.error_with_neighbours - 8.0 / 48.0).abs() < 1e-9, "{c:?}");
    }
}
