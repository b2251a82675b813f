//! Events that are counted around the batches.

use super::*;
use crate::counters::{Count, Counted, Judged, Turn};

/// Counts 3 an operation and a second event only in every other batch; the
/// group was on the counters for half of the time in each third batch.
struct Alternating(u32);

impl Count for Alternating {
    fn before(&mut self, member: usize, _part: u16) {
        assert_eq!(member, 0);
        self.0 += 1;
    }
    fn stop(&mut self, member: usize, _part: u16) {
        assert_eq!(member, 0);
    }
    fn counted(&mut self, ops: u64) -> Counted {
        assert!(ops > 0);
        let second = self.0.is_multiple_of(2).then_some(7.0);
        Counted {
            values: vec![Some(3.0), second],
            share: Some(if self.0.is_multiple_of(3) { 0.5 } else { 1.0 }),
            ..Counted::default()
        }
    }
}

fn counted(parts: u16) -> Sampled {
    let clock = FakeClock::default();
    let stop = AtomicBool::new(false);
    let mut subject = Known::new('A', &clock, &[7, 5, 4]);
    let mut members = [Member {
        subject: &mut subject,
        parts,
        sampling: Sampling {
            max_samples: 30,
            ..sampling()
        },
    }];
    let mut counters = Alternating(0);
    let mut watch = NoWatch;
    let mut bench = Bench {
        counters: Some(&mut counters),
        ..bench(&clock, &mut watch, &stop)
    };
    sample_block(&mut members, &mut bench).remove(0)
}

#[test]
fn counts_are_metrics_behind_the_parts_and_their_difference() {
    for (parts, first) in [(1, 1), (2, 3), (3, 3)] {
        let result = counted(parts);
        let of = |metric: u16| -> Vec<&record::Sample> {
            let samples = result.samples.iter();
            samples.filter(|s| s.metric == metric).collect()
        };
        let primary: Vec<u32> = of(0).iter().map(|s| s.index).collect();
        let every: Vec<u32> = of(first).iter().map(|s| s.index).collect();
        assert_eq!(every, primary, "{parts} parts: of the primary part alone");
        assert!(
            of(first)
                .iter()
                .all(|s| s.value == 3.0 && s.elapsed_ns == 0.0)
        );
        let some = of(first + 1).len();
        assert!(
            some < primary.len() || parts == 2,
            "not counted is no sample"
        );
        assert!(of(first + 2).is_empty());
    }
}

#[test]
fn scaled_counts_are_in_the_notes() {
    let notes = counted(1).notes.join("; ");
    assert!(notes.contains("scaled up in 10 of 30 samples"), "{notes}");
    assert!(notes.contains("50 %"), "{notes}");
}

/// Counts one event in the two middle passes of four, in which every batch takes 1000 ns
/// more.
struct Slowing {
    clock: FakeClock,
    turn: Turn,
    passes: Rc<RefCell<Vec<Turn>>>,
}

impl Count for Slowing {
    fn pass_begins(&mut self, pass: usize) {
        self.turn = match pass % 4 {
            1 | 2 => Turn::Counted,
            _ => Turn::Without,
        };
        self.passes.borrow_mut().push(self.turn);
    }
    fn turn(&self) -> Turn {
        self.turn
    }
    fn before(&mut self, _: usize, _: u16) {
        assert_eq!(self.turn, Turn::Counted);
    }
    fn stop(&mut self, _: usize, _: u16) {
        assert_eq!(self.turn, Turn::Counted);
    }
    fn counted(&mut self, _: u64) -> Counted {
        Counted {
            values: vec![Some(3.0), None, None],
            ..Counted::default()
        }
    }
    fn judge(&self, batches: &[(u64, &Counted)]) -> Judged {
        assert!(batches.iter().all(|(_, c)| c.values[0] == Some(3.0)));
        Judged {
            times: Some([1, 2]),
            ..Judged::default()
        }
    }
}

/// A subject that is slower where it is counted.
struct Slowed {
    known: Known,
    passes: Rc<RefCell<Vec<Turn>>>,
    recorded: Option<u32>,
}

impl Subject for Slowed {
    fn batch(&mut self, part: u16, ops: u64) {
        if self.passes.borrow().last() == Some(&Turn::Counted) {
            self.known.clock.advance(1000);
        }
        self.known.batch(part, ops);
    }
    fn recorded(&self) -> Option<u32> {
        self.recorded
    }
}

fn slowed(sampling: Sampling, recorded: Option<u32>) -> (Sampled, Vec<Turn>) {
    let clock = FakeClock::default();
    let stop = AtomicBool::new(false);
    let passes = Rc::new(RefCell::new(Vec::new()));
    let mut subject = Slowed {
        known: Known::new('A', &clock, &[2000]),
        passes: Rc::clone(&passes),
        recorded,
    };
    let mut members = [Member {
        subject: &mut subject,
        parts: 1,
        sampling,
    }];
    let mut counters = Slowing {
        clock: clock.clone(),
        turn: Turn::Without,
        passes: Rc::clone(&passes),
    };
    let mut watch = NoWatch;
    let mut bench = Bench {
        counters: Some(&mut counters),
        ..bench(&clock, &mut watch, &stop)
    };
    let sampled = sample_block(&mut members, &mut bench).remove(0);
    assert!(counters.clock.now_ns() > 0);
    let passes = passes.borrow().clone();
    (sampled, passes)
}

fn singles(repetitions: u32) -> Sampling {
    Sampling {
        shape: Shape::Single { repetitions },
        budget_ns: 1_000_000_000,
        deadline_ns: 2_000_000_000,
        ..sampling()
    }
}

#[test]
fn times_are_of_passes_without_counters_and_counts_of_those_with() {
    let (result, passes) = slowed(singles(20), None);
    let of = |metric| result.samples.iter().filter(move |s| s.metric == metric);
    let (without, with) = (Turn::Without, Turn::Counted);
    assert_eq!(
        passes[..8],
        [without, with, with, without, without, with, with, without]
    );
    assert_eq!(of(0).count(), 20, "as many times as were asked for");
    assert!(of(0).all(|s| s.value == 2000.0), "none with counters");
    assert_eq!(of(1).count(), 20, "and as many counts");
    assert!(of(3).all(|s| s.value == 3000.0 && s.elapsed_ns == 3020.0));
    assert_eq!(of(2).count(), 10, "a ratio for each block");
    assert!(of(2).all(|s| (s.value - 1.5).abs() < 1e-9 && s.elapsed_ns == 0.0));
    let indices: std::collections::BTreeSet<u32> = of(0).chain(of(1)).map(|s| s.index).collect();
    assert_eq!(indices.len(), 40, "other batches");
}

#[test]
fn batches_are_held_against_each_other_as_well_and_the_budget_holds() {
    let (result, passes) = slowed(sampling(), None);
    let count = |metric| result.samples.iter().filter(|s| s.metric == metric).count();
    assert!(
        count(0) >= 10 && count(0).abs_diff(count(1)) <= 1,
        "{} {}",
        count(0),
        count(1)
    );
    assert!(passes.len() >= 20);
    // A batch of 50 operations is 1 % slower.
    let effect = result.samples.iter().find(|s| s.metric == 2).unwrap();
    assert!((effect.value - 1.01).abs() < 1e-3, "{}", effect.value);
}

#[test]
fn one_slow_batch_is_counted_at_least_twice() {
    let slow = Sampling {
        budget_ns: 1000,
        ..sampling()
    };
    let (result, passes) = slowed(slow, None);
    let count = |metric| result.samples.iter().filter(|s| s.metric == metric).count();
    assert_eq!((count(0), count(1)), (1, 1), "{:?}", result.notes);
    assert_eq!(passes.len(), 2);
}

#[test]
fn what_happened_in_set_up_is_not_counted() {
    let (result, passes) = slowed(singles(6), Some(6));
    assert!(passes.is_empty());
    let all = result.samples.iter();
    assert!(all.clone().all(|s| s.metric == 0), "{result:?}");
    assert_eq!(all.count(), 6);
}
