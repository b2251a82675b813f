//! When a point ends: enough samples, the budget, the deadline.

use super::*;

#[test]
fn a_steady_subject_stops_early_and_a_noisy_one_does_not() {
    let narrow = Sampling {
        target_width: 0.02,
        ..sampling()
    };
    let clock = FakeClock::default();
    let steady = one(Known::new('A', &clock, &[7]), narrow);
    assert_eq!(steady.ended, Ended::Narrow);
    assert!(steady.samples.len() < 20, "{}", steady.samples.len());

    let mut noisy = Known::new('A', &FakeClock::default(), &[7]);
    noisy.noise_ns = vec![0, 50_000, 20_000, 90_000, 70_000];
    let noisy = one(noisy, narrow);
    assert_eq!(noisy.ended, Ended::Budget);
}

#[test]
fn the_limit_of_samples_holds() {
    let few = Sampling {
        max_samples: 13,
        ..sampling()
    };
    let result = one(Known::new('A', &FakeClock::default(), &[7]), few);
    assert_eq!((result.samples.len(), result.ended), (13, Ended::Enough));
}

#[test]
fn an_operation_longer_than_the_budget_gives_one_sample_and_says_so() {
    let mut limits = sampling();
    limits.deadline_ns = 1_000_000_000;
    let result = one(
        Known::new('A', &FakeClock::default(), &[30_000_000]),
        limits,
    );
    assert_eq!(result.samples.len(), 1);
    assert_eq!(result.samples[0].value, 30_000_000.0);
    let notes = result.notes.join("; ");
    assert!(notes.contains("longer than the budget"), "{notes}");
    assert!(
        !notes.contains("the only sample is the calibration"),
        "{notes}"
    );
}

#[test]
fn an_operation_longer_than_the_deadline_is_run_once_and_kept() {
    let clock = FakeClock::default();
    let log = Log::default();
    let mut subject = Known::new('A', &clock, &[500_000_000]);
    subject.log = log.clone();
    let result = one(subject, sampling());
    assert_eq!(result.samples.len(), 1);
    assert_eq!(result.samples[0].ops, 1);
    let batches = log.borrow().iter().filter(|(n, ..)| *n == 'A').count();
    assert_eq!(batches, 1);
    let notes = result.notes.join("; ");
    assert!(
        notes.contains("the only sample is the calibration batch"),
        "{notes}"
    );
}

#[test]
fn the_deadline_ends_a_point_whose_preparation_is_slow() {
    let clock = FakeClock::default();
    let mut subject = Known::new('A', &clock, &[7]);
    subject.prepare_ns = 15_000_000;
    let result = one(subject, sampling());
    assert!(!result.samples.is_empty());
    assert!(clock.now_ns() <= 100_000_000, "{}", clock.now_ns());
    assert_eq!(result.ended, Ended::Deadline);
}

#[test]
fn single_operations_are_prepared_each_and_repeated_as_asked() {
    let clock = FakeClock::default();
    let mut subject = Known::new('A', &clock, &[1000]);
    subject.prepare_ns = 300;
    let log = subject.log.clone();
    let single = Sampling {
        shape: Shape::Single { repetitions: 300 },
        target_width: 0.5,
        ..sampling()
    };
    let result = one(subject, single);
    assert_eq!((result.samples.len(), result.ended), (300, Ended::Enough));
    assert!(
        result
            .samples
            .iter()
            .all(|s| s.ops == 1 && s.value == 1000.0)
    );
    let log = log.borrow();
    for pair in log.chunks(2) {
        assert_eq!((pair[0].0, pair[1].0), ('p', 'A'));
    }
}

/// Times one twentieth of its work by itself.
struct Partly {
    clock: FakeClock,
    ops: u64,
}

impl Subject for Partly {
    fn batch(&mut self, _part: u16, ops: u64) {
        self.ops = ops;
        self.clock.advance(100 * ops);
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        Some(Reading {
            ops: self.ops,
            elapsed_ns: 5.0 * self.ops as f64,
            floor_ns: 0.0,
            cpu: None,
            turn: None,
        })
    }
}

#[test]
fn what_a_subject_does_not_time_of_its_work_is_within_the_budget() {
    let clock = FakeClock::default();
    let stop = AtomicBool::new(false);
    let mut subject = Partly {
        clock: clock.clone(),
        ops: 0,
    };
    let mut members = [Member {
        subject: &mut subject,
        parts: 1,
        sampling: sampling(),
    }];
    let result = sample_block(&mut members, &mut bench(&clock, &mut NoWatch, &stop)).remove(0);
    // Ten samples of 100 us of what it times would take 20 ms.
    assert!(clock.now_ns() < 13_000_000, "{}", clock.now_ns());
    assert!(result.samples.len() >= 10, "{}", result.samples.len());
    assert!(result.samples.iter().all(|s| s.value == 5.0));
}
