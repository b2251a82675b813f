//! The sampler against subjects of known cost on a clock that only they move.

mod counted;
mod disturbed;
mod enough;
mod limits;
mod singly;

use super::*;
use crate::sampling::Shape;
use crate::watch::Seen;
use proptest::prelude::*;
use std::cell::{Cell as Shared, RefCell};
use std::rc::Rc;

/// Sees nothing.
pub struct NoWatch;

impl Watch for NoWatch {
    fn before(&mut self) {}

    fn after(&mut self) -> Seen {
        Seen::default()
    }
}

const FLOOR_NS: u64 = 20;

/// Moves only when a subject works, and by `FLOOR_NS` between start and stop.
#[derive(Clone, Default)]
struct FakeClock(Rc<Shared<u64>>);

impl FakeClock {
    fn advance(&self, ns: u64) {
        self.0.set(self.0.get().saturating_add(ns));
    }
}

impl Clock for FakeClock {
    fn start(&self) -> u64 {
        self.0.get()
    }
    fn stop(&self) -> u64 {
        self.advance(FLOOR_NS);
        self.0.get()
    }
    fn tick_ns(&self) -> f64 {
        1.0
    }
    fn now_ns(&self) -> u64 {
        self.0.get()
    }
}

/// What was called: (name, part, ops).
type Log = Rc<RefCell<Vec<(char, u16, u64)>>>;

struct Known {
    name: char,
    clock: FakeClock,
    /// Cost of an operation by part, ns, then of each preparation.
    cost_ns: Vec<u64>,
    prepare_ns: u64,
    quantum: u64,
    /// Added to each further batch in turn, ns.
    noise_ns: Vec<u64>,
    batches: usize,
    log: Log,
    failing: &'static str,
    verified: u32,
}

impl Known {
    fn new(name: char, clock: &FakeClock, cost_ns: &[u64]) -> Self {
        Known {
            name,
            clock: clock.clone(),
            cost_ns: cost_ns.to_vec(),
            prepare_ns: 0,
            quantum: 1,
            noise_ns: vec![0],
            batches: 0,
            log: Log::default(),
            failing: "",
            verified: 0,
        }
    }
}

impl Subject for Known {
    fn batch(&mut self, part: u16, ops: u64) {
        self.log.borrow_mut().push((self.name, part, ops));
        let noise = self.noise_ns[self.batches % self.noise_ns.len()];
        self.batches += 1;
        self.clock
            .advance(self.cost_ns[usize::from(part)].saturating_mul(ops) + noise);
    }
    fn prepare(&mut self, part: u16) {
        self.log.borrow_mut().push(('p', part, 0));
        self.clock.advance(self.prepare_ns);
    }
    fn quantum(&self) -> u64 {
        self.quantum
    }
    fn verify(&mut self) -> Result<(), crate::Fault> {
        self.verified += 1;
        match (self.failing, self.verified) {
            ("before", 1) | ("after", 2) => Err(crate::Fault::wrong("wrong contents")),
            ("late", 2) => Err(crate::Fault::Silent {
                who: "the partner".to_owned(),
                seconds: 10,
            }),
            _ => Ok(()),
        }
    }
}

fn sampling() -> Sampling {
    Sampling {
        shape: Shape::Batched,
        batch_ns: 100_000,
        budget_ns: 10_000_000,
        deadline_ns: 100_000_000,
        min_samples: 10,
        max_samples: 1000,
        target_width: 0.0,
        singly: false,
    }
}

fn run(subjects: &mut [Known], parts: u16, sampling: Sampling) -> Vec<Sampled> {
    let clock = subjects[0].clock.clone();
    let stop = AtomicBool::new(false);
    let mut members: Vec<Member<'_>> = subjects
        .iter_mut()
        .map(|subject| Member {
            subject,
            parts,
            sampling,
        })
        .collect();
    sample_block(&mut members, &mut bench(&clock, &mut NoWatch, &stop))
}

fn bench<'a>(clock: &'a FakeClock, watch: &'a mut dyn Watch, stop: &'a AtomicBool) -> Bench<'a> {
    Bench {
        clock,
        watch,
        counters: None,
        yardstick: None,
        floor_ns: FLOOR_NS as f64,
        resolution_ns: 1.0,
        process: 0,
        next_index: 0,
        stop,
    }
}

fn one(subject: Known, sampling: Sampling) -> Sampled {
    run(&mut [subject], 1, sampling).remove(0)
}

#[test]
fn the_batch_converges_to_the_wanted_time_and_the_floor_comes_off_exactly() {
    let clock = FakeClock::default();
    let result = one(Known::new('A', &clock, &[7]), sampling());
    assert!(result.samples.len() >= 10);
    for s in &result.samples {
        assert_eq!(s.value, 7.0, "{s:?}");
        assert_eq!(s.floor_ns, FLOOR_NS as f64);
        assert_eq!(s.elapsed_ns, (7 * s.ops + FLOOR_NS) as f64);
        let batch_ns = 7 * s.ops;
        assert!((90_000..110_000).contains(&batch_ns), "{batch_ns}");
    }
    assert_eq!(result.ended, Ended::Budget);
}

#[test]
fn the_budget_is_kept() {
    let clock = FakeClock::default();
    one(Known::new('A', &clock, &[7]), sampling());
    let spent = clock.now_ns();
    // Budget plus at most a fifth for calibration and one pass over.
    assert!((9_000_000..12_300_000).contains(&spent), "{spent}");
}

#[test]
fn operations_come_in_whole_quanta() {
    let clock = FakeClock::default();
    let mut subject = Known::new('A', &clock, &[7]);
    subject.quantum = 96;
    let log = subject.log.clone();
    one(subject, sampling());
    assert!(log.borrow().iter().all(|(_, _, ops)| ops % 96 == 0));
}

#[test]
fn two_subjects_are_sampled_abba_with_their_parts() {
    let clock = FakeClock::default();
    let log = Log::default();
    let mut subjects = [
        Known::new('A', &clock, &[700, 70]),
        Known::new('B', &clock, &[900, 90]),
    ];
    for subject in &mut subjects {
        subject.log = log.clone();
    }
    let results = run(&mut subjects, 2, sampling());
    let measured: Vec<(char, u16)> = log
        .borrow()
        .iter()
        .filter(|(name, ..)| *name != 'p')
        .map(|(name, part, _)| (*name, *part))
        .collect();
    let taken: usize = results
        .iter()
        .map(|r| r.samples.iter().filter(|s| s.metric < 2).count())
        .sum();
    let passes = &measured[measured.len() - taken..];
    let forwards = [('A', 0), ('A', 1), ('B', 0), ('B', 1)];
    for (number, pair) in passes.chunks(8).enumerate() {
        let (first, second) = pair.split_at(4);
        let back: Vec<(char, u16)> = second.iter().rev().copied().collect();
        assert_eq!(first, back, "passes {number}");
        let mut sorted = first.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, forwards, "passes {number}");
    }
    let ahead = passes.chunks(8).filter(|pair| pair[0] == forwards[0]);
    let ahead = ahead.count();
    assert!(ahead > 0 && ahead < passes.len() / 8, "{ahead}");
    assert_eq!(taken % 8, 0, "a pass without its reverse");
}

#[test]
fn two_parts_give_their_paired_difference() {
    let clock = FakeClock::default();
    let result = run(&mut [Known::new('A', &clock, &[70, 20])], 2, sampling()).remove(0);
    let of = |metric| result.samples.iter().filter(|s| s.metric == metric).count();
    assert_eq!((of(0), of(0)), (of(1), of(NET)));
    for net in result.samples.iter().filter(|s| s.metric == NET) {
        assert_eq!((net.value, net.elapsed_ns), (50.0, 0.0));
    }
}

const NET: u16 = 2;

#[test]
fn three_parts_have_no_difference() {
    let clock = FakeClock::default();
    let result = run(&mut [Known::new('A', &clock, &[70, 20, 10])], 3, sampling()).remove(0);
    let of_two = result.samples.iter().find(|s| s.metric == 2).unwrap();
    assert_eq!(of_two.value, 10.0);
}

#[test]
fn a_subject_that_fails_its_check_is_left_out_and_the_other_goes_on() {
    let clock = FakeClock::default();
    let mut bad = Known::new('A', &clock, &[7]);
    bad.failing = "before";
    let results = run(&mut [bad, Known::new('B', &clock, &[9])], 1, sampling());
    assert!(results[0].samples.is_empty());
    assert!(results[0].failure.as_ref().unwrap().contains("before"));
    assert!(results[1].samples.len() >= 10);

    let mut bad = Known::new('A', &clock, &[7]);
    bad.failing = "after";
    let result = one(bad, sampling());
    assert!(result.failure.unwrap().contains("after sampling"));
    assert!(!result.samples.is_empty() && !result.late);

    let mut slow = Known::new('A', &clock, &[7]);
    slow.failing = "late";
    let result = one(slow, sampling());
    let why = "the partner has not answered for 10 s";
    assert_eq!((result.failure.as_deref(), result.late), (Some(why), true));
}

#[test]
fn further_processes_verify_once_and_find_what_is_wrong_all_the_same() {
    let clock = FakeClock::default();
    let stop = AtomicBool::new(false);
    let verified = |process, failing| {
        let mut subject = Known::new('A', &clock, &[7]);
        subject.failing = failing;
        let mut members = [Member {
            subject: &mut subject,
            parts: 1,
            sampling: sampling(),
        }];
        let mut watch = NoWatch;
        let mut bench = Bench {
            process,
            ..bench(&clock, &mut watch, &stop)
        };
        let failure = sample_block(&mut members, &mut bench).remove(0).failure;
        (subject.verified, failure.is_some())
    };
    assert_eq!((verified(0, ""), verified(1, "")), ((2, false), (1, false)));
    assert_eq!(verified(1, "before"), (1, true), "found by the only look");
}

#[test]
fn asked_to_stop_it_stops() {
    let clock = FakeClock::default();
    let stop = AtomicBool::new(true);
    let mut subject = Known::new('A', &clock, &[7]);
    let mut members = [Member {
        subject: &mut subject,
        parts: 1,
        sampling: sampling(),
    }];
    let result = sample_block(&mut members, &mut bench(&clock, &mut NoWatch, &stop));
    assert_eq!(result[0].ended, Ended::Stopped);
    assert!(result[0].samples.is_empty());
}
