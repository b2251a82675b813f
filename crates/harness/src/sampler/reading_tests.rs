//! Batches that an instrument of the subject's own timed.

use super::*;
use crate::sampler::tests::NoWatch;
use crate::sampling::Shape;
use std::cell::Cell as Shared;
use std::rc::Rc;

/// Moves by one with every look.
#[derive(Default)]
struct Ticking(Shared<u64>);

impl Clock for Ticking {
    fn start(&self) -> u64 {
        self.now_ns()
    }
    fn stop(&self) -> u64 {
        self.now_ns()
    }
    fn tick_ns(&self) -> f64 {
        1.0
    }
    fn now_ns(&self) -> u64 {
        self.0.set(self.0.get() + 1);
        self.0.get()
    }
}

/// One of several channels: a turn is begun by the first that has seen the last.
struct Channel {
    /// The turn that others may still take part in.
    turns: Rc<Shared<u64>>,
    seen: u64,
    number: u16,
}

impl Subject for Channel {
    fn batch(&mut self, _part: u16, _ops: u64) {
        if self.seen == self.turns.get() {
            self.turns.set(self.seen + 1);
        }
        self.seen = self.turns.get();
    }

    fn sampling_begins(&mut self) {
        self.seen = self.turns.get();
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        Some(Reading {
            ops: 300,
            elapsed_ns: 30_000.0 + self.seen as f64,
            floor_ns: 600.0,
            cpu: Some(40 + self.number),
            turn: Some(self.seen),
        })
    }

    fn quantum(&self) -> u64 {
        300
    }
}

#[test]
fn a_reading_replaces_ours_and_turns_share_an_index() {
    let turns = Rc::new(Shared::new(0));
    let mut channels: Vec<Channel> = (0..3)
        .map(|number| Channel {
            turns: Rc::clone(&turns),
            seen: 0,
            number,
        })
        .collect();
    let sampling = Sampling {
        shape: Shape::Single { repetitions: 4 },
        batch_ns: 1000,
        budget_ns: 1_000_000,
        deadline_ns: 10_000_000,
        min_samples: 4,
        max_samples: 4,
        target_width: 0.0,
        singly: false,
    };
    let mut members: Vec<Member<'_>> = channels
        .iter_mut()
        .map(|subject| Member {
            subject,
            parts: 1,
            sampling,
        })
        .collect();
    let clock = Ticking::default();
    let stop = AtomicBool::new(false);
    let mut bench = Bench {
        clock: &clock,
        watch: &mut NoWatch,
        counters: None,
        yardstick: None,
        floor_ns: 20.0,
        resolution_ns: 1.0,
        process: 0,
        next_index: 7,
        stop: &stop,
    };
    let results = sample_block(&mut members, &mut bench);
    assert_eq!(bench.next_index, 11);
    for (number, result) in (40..).zip(&results) {
        let indices: Vec<u32> = result.samples.iter().map(|s| s.index).collect();
        assert_eq!(indices, [7, 8, 9, 10]);
        for (sample, first) in result.samples.iter().zip(&results[0].samples) {
            assert_eq!((sample.ops, sample.cpu), (300, number));
            assert_eq!(sample.elapsed_ns, first.elapsed_ns, "one turn");
            assert_eq!(sample.value, (sample.elapsed_ns - 600.0) / 300.0);
        }
    }
}

/// Three operations that happened before.
struct Recording {
    next: usize,
    taken: usize,
}

impl Subject for Recording {
    fn batch(&mut self, _part: u16, _ops: u64) {
        self.taken = self.next;
        self.next += 1;
    }

    fn sampling_begins(&mut self) {
        self.next = 0;
    }

    fn recorded(&self) -> Option<u32> {
        Some(3)
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        Some(Reading {
            ops: 1,
            elapsed_ns: [5e9, 7.0, 6e9][self.taken],
            floor_ns: 0.0,
            cpu: Some(1),
            turn: None,
        })
    }
}

/// Sees a fault in every batch.
struct Faults;

impl Watch for Faults {
    fn before(&mut self) {}
    fn after(&mut self) -> crate::watch::Seen {
        let mut seen = crate::watch::Seen::default();
        seen.disturbance.minor_faults = 1;
        seen
    }
}

#[test]
fn a_recording_is_handed_over_whole_and_undisturbed() {
    let sampling = Sampling {
        shape: Shape::Single { repetitions: 1 },
        batch_ns: 1000,
        // Far less than the operations took when they happened.
        budget_ns: 1_000,
        deadline_ns: 10_000_000,
        min_samples: 1,
        max_samples: 100,
        target_width: 0.0,
        singly: false,
    };
    let mut subject = Recording { next: 9, taken: 0 };
    let mut members = [Member {
        subject: &mut subject,
        parts: 1,
        sampling,
    }];
    let mut bench = Bench {
        clock: &Ticking::default(),
        watch: &mut Faults,
        counters: None,
        yardstick: None,
        floor_ns: 0.0,
        resolution_ns: 1.0,
        process: 0,
        next_index: 0,
        stop: &AtomicBool::new(false),
    };
    let results = sample_block(&mut members, &mut bench);
    let values: Vec<f64> = results[0].samples.iter().map(|s| s.value).collect();
    assert_eq!(values, [5e9, 7.0, 6e9]);
    assert!(
        results[0]
            .samples
            .iter()
            .all(|s| s.disturbance.minor_faults == 0)
    );
    assert!(results[0].notes.is_empty(), "{:?}", results[0].notes);
}
