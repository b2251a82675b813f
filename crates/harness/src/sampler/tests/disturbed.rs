//! Samples that something else had a part in, and batches that lost the CPU.

use super::*;

/// Reports one migration at each third batch.
struct Thirds(u32);

impl Watch for Thirds {
    fn before(&mut self) {
        self.0 += 1;
    }
    fn after(&mut self) -> Seen {
        let mut seen = Seen {
            cpu: 3,
            ..Seen::default()
        };
        seen.disturbance.migrations = u32::from(self.0.is_multiple_of(3));
        seen
    }
}

#[test]
fn disturbed_samples_are_flagged_and_kept() {
    let clock = FakeClock::default();
    let stop = AtomicBool::new(false);
    let mut watch = Thirds(0);
    let mut subject = Known::new('A', &clock, &[7]);
    let mut members = [Member {
        subject: &mut subject,
        parts: 1,
        sampling: Sampling {
            max_samples: 30,
            ..sampling()
        },
    }];
    let result = sample_block(&mut members, &mut bench(&clock, &mut watch, &stop)).remove(0);
    let flagged = result
        .samples
        .iter()
        .filter(|s| s.disturbance.migrations == 1);
    assert_eq!((result.samples.len(), flagged.count()), (30, 10));
    assert!(result.samples.iter().all(|s| s.cpu == 3));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever the cost, quantum and preparation: at least one sample, exact
    /// values, indices in order, and no batch begun that should end after the
    /// deadline, but for the first.
    #[test]
    fn always_ends_with_true_samples(
        cost in 0u64..40_000_000,
        quantum in 1u64..5000,
        prepare in 0u64..2_000_000,
        budget in 1u64..50_000_000,
        batch in 0u64..2_000_000,
        single in any::<bool>(),
    ) {
        let clock = FakeClock::default();
        let mut subject = Known::new('A', &clock, &[cost]);
        subject.quantum = quantum;
        subject.prepare_ns = prepare;
        let deadline = budget.saturating_mul(5);
        let shape = if single { Shape::Single { repetitions: 50 } } else { Shape::Batched };
        let limits = Sampling { shape, batch_ns: batch, budget_ns: budget, deadline_ns: deadline,
            min_samples: 5, max_samples: 200, target_width: 0.01, singly: false };
        let result = one(subject, limits);
        prop_assert!(!result.samples.is_empty());
        for s in &result.samples {
            prop_assert!((s.value - cost as f64).abs() <= 1e-9 * cost as f64);
            prop_assert_eq!(s.ops % quantum, 0);
        }
        prop_assert!(result.samples.windows(2).all(|w| w[0].index < w[1].index));
        let first = prepare + cost * quantum + FLOOR_NS;
        prop_assert!(clock.now_ns() <= deadline + first + FLOOR_NS, "{} {}", clock.now_ns(), deadline);
    }
}

#[test]
fn one_interrupted_batch_does_not_make_an_operation_too_long() {
    let mut subject = Known::new('A', &FakeClock::default(), &[7]);
    // The third batch, still in calibration, loses the CPU for 30 ms.
    subject.noise_ns = vec![0; 1000];
    subject.noise_ns[2] = 30_000_000;
    let result = one(subject, sampling());
    assert!(result.samples.len() >= 10, "{:?}", result.notes);
    assert!(!result.notes.join("; ").contains("longer than the budget"));
}

#[test]
fn an_interrupted_batch_does_not_shrink_the_following_ones() {
    for at in 0..8 {
        let mut subject = Known::new('A', &FakeClock::default(), &[7]);
        subject.noise_ns = vec![0; 1000];
        subject.noise_ns[at] = 1_000_000;
        let result = one(subject, sampling());
        let batch_ns = 7 * result.samples[0].ops;
        assert!(
            (50_000..150_000).contains(&batch_ns),
            "batch {at}: {batch_ns}"
        );
    }
}

/// Prepares at once but for one time.
struct LateOnce {
    known: Known,
    late_ns: u64,
    prepared: usize,
    late_at: usize,
}

impl Subject for LateOnce {
    fn prepare(&mut self, part: u16) {
        if self.prepared == self.late_at {
            self.known.clock.advance(self.late_ns);
        }
        self.prepared += 1;
        self.known.prepare(part);
    }

    fn batch(&mut self, part: u16, ops: u64) {
        self.known.batch(part, ops);
    }

    fn verify(&mut self) -> Result<(), crate::Fault> {
        self.known.verify()
    }
}

#[test]
fn a_partner_that_comes_late_once_does_not_shrink_batches() {
    let clock = FakeClock::default();
    for late_at in 0..6 {
        let mut subject = LateOnce {
            known: Known::new('A', &clock, &[7]),
            late_ns: sampling().budget_ns / 2,
            prepared: 0,
            late_at,
        };
        let stop = AtomicBool::new(false);
        let mut members = [Member {
            subject: &mut subject,
            parts: 1,
            sampling: sampling(),
        }];
        let all = sample_block(&mut members, &mut bench(&clock, &mut NoWatch, &stop));
        let batch_ns = 7 * all[0].samples[0].ops;
        assert!(batch_ns >= 50_000, "preparation {late_at}: {batch_ns}");
    }
}

#[test]
fn a_stall_that_is_longer_than_all_calibration_does_not_shrink_batches() {
    let budget_ns = sampling().budget_ns;
    for at in 0..8 {
        let mut subject = Known::new('A', &FakeClock::default(), &[7]);
        subject.noise_ns = vec![0; 1000];
        subject.noise_ns[at] = budget_ns / 3;
        let result = one(subject, sampling());
        let batch_ns = 7 * result.samples[0].ops;
        assert!(batch_ns >= 50_000, "batch {at}: {batch_ns}");
    }
}

#[test]
fn a_first_batch_that_stalls_for_many_budgets_does_not_shrink_batches() {
    let far = Sampling {
        deadline_ns: 2_000_000_000,
        ..sampling()
    };
    let mut subject = Known::new('A', &FakeClock::default(), &[7]);
    subject.noise_ns = vec![0; 1000];
    subject.noise_ns[0] = 10 * far.budget_ns;
    let result = one(subject, far);
    let batch_ns = 7 * result.samples[0].ops;
    assert!(batch_ns >= 50_000, "{batch_ns}");
}

/// The other CPU was away for a whole calibration, which then saw nothing but stalls.
#[test]
fn a_calibration_of_stalls_alone_is_made_again() {
    for stalls in [2, 3, 5, 8] {
        let mut subject = Known::new('A', &FakeClock::default(), &[7]);
        subject.noise_ns = vec![0; 1000];
        subject.noise_ns[..stalls].fill(sampling().budget_ns / 3);
        let far = Sampling {
            deadline_ns: 2_000_000_000,
            ..sampling()
        };
        let result = one(subject, far);
        let short = result.samples.iter().filter(|s| 7 * s.ops < 25_000);
        let (short, all) = (short.count(), result.samples.len());
        assert!(
            short * 10 <= all && all >= 5,
            "{stalls} stalls: {short} of {all}"
        );
    }
}
