//! Events that are counted around the batches.

use super::*;
use crate::counters::{Count, Counted};

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
