//! Operations of two kinds that a batch averages.

use super::*;
use record::Sample;

/// Every tenth operation takes three times as long.
struct TwoKinds {
    clock: FakeClock,
    done: u64,
    short_ns: u64,
    quantum: u64,
}

impl Subject for TwoKinds {
    fn batch(&mut self, _part: u16, ops: u64) {
        for _ in 0..ops {
            self.done += 1;
            let times = if self.done.is_multiple_of(10) { 3 } else { 1 };
            self.clock.advance(times * self.short_ns);
        }
    }
    fn quantum(&self) -> u64 {
        self.quantum
    }
    fn tally(&mut self, _part: u16) -> Vec<f64> {
        vec![5.0]
    }
}

/// Samples of the metric behind the part and the tally.
fn singles(short_ns: u64, quantum: u64, sampling: Sampling) -> Vec<Sample> {
    singles_of_clock(1.0, short_ns, quantum, sampling)
}

/// With a clock of this step.
fn singles_of_clock(
    resolution_ns: f64,
    short_ns: u64,
    quantum: u64,
    sampling: Sampling,
) -> Vec<Sample> {
    let clock = FakeClock::default();
    let stop = AtomicBool::new(false);
    let mut subject = TwoKinds {
        clock: clock.clone(),
        done: 0,
        short_ns,
        quantum,
    };
    let mut members = [Member {
        subject: &mut subject,
        parts: 1,
        sampling,
    }];
    let mut watch = NoWatch;
    let mut bench = bench(&clock, &mut watch, &stop);
    bench.resolution_ns = resolution_ns;
    let mut results = sample_block(&mut members, &mut bench);
    let mut samples = results.remove(0).samples;
    samples.retain(|s| s.metric == 2);
    samples
}

fn wanted() -> Sampling {
    Sampling {
        singly: true,
        budget_ns: 20_000_000,
        ..sampling()
    }
}

#[test]
fn single_operations_show_two_kinds_that_a_batch_averages() {
    let taken = singles(1000, 1, wanted());
    assert_eq!(taken.len(), 100);
    assert!(taken.iter().all(|s| s.ops == 1 && s.floor_ns == 20.0));
    let long = taken.iter().filter(|s| s.value == 3000.0).count();
    let short = taken.iter().filter(|s| s.value == 1000.0).count();
    assert_eq!((long, short), (10, 90));
    let indices: std::collections::HashSet<u32> = taken.iter().map(|s| s.index).collect();
    assert_eq!(indices.len(), 100);
}

#[test]
fn they_take_a_small_share_of_the_budget() {
    let taken = singles(20_000, 1, wanted());
    // 3 % of 20 ms are 600 us, an operation takes 24 us on average.
    assert!((15..=30).contains(&taken.len()), "{}", taken.len());
}

#[test]
fn operations_that_cannot_be_timed_apart_are_not() {
    let not_asked = Sampling {
        singly: false,
        ..wanted()
    };
    assert_eq!(singles(1000, 1, not_asked).len(), 0);
    assert_eq!(singles(1000, 4, wanted()).len(), 0, "they come in fours");
    assert_eq!(
        singles(15, 1, wanted()).len(),
        0,
        "too near to the clock's step"
    );
    for coarse in [100.0, f64::NAN] {
        assert_eq!(
            singles_of_clock(coarse, 1000, 1, wanted()).len(),
            0,
            "{coarse}"
        );
    }
    let alone = Sampling {
        shape: Shape::Single { repetitions: 60 },
        ..wanted()
    };
    assert_eq!(singles(1000, 1, alone).len(), 0, "each is a sample already");
}
