//! Subjects of whose batches not each one yields a reading.

use super::*;

/// Every third batch yields a reading; so many are wanted.
struct Picky {
    known: Known,
    wanted: usize,
}

impl Subject for Picky {
    fn batch(&mut self, part: u16, ops: u64) {
        self.known.batch(part, ops);
    }
    fn sampling_begins(&mut self) {
        self.known.batches = 0;
    }
    fn has_enough(&self) -> bool {
        self.known.batches / 3 >= self.wanted
    }
}

fn taken(wanted: [usize; 2]) -> Vec<(usize, Ended)> {
    let clock = FakeClock::default();
    let stop = AtomicBool::new(false);
    let mut subjects = wanted.map(|wanted| Picky {
        known: Known::new('A', &clock, &[100]),
        wanted,
    });
    let sampling = Sampling {
        shape: Shape::Single { repetitions: 60 },
        max_samples: 1000,
        ..sampling()
    };
    let member = |subject| Member {
        subject,
        parts: 1,
        sampling,
    };
    let [first, second] = &mut subjects;
    let mut members = [member(first as &mut dyn Subject), member(second)];
    let mut watch = NoWatch;
    let results = sample_block(&mut members, &mut bench(&clock, &mut watch, &stop));
    results.iter().map(|r| (r.samples.len(), r.ended)).collect()
}

#[test]
fn points_go_on_until_all_of_a_block_have_enough() {
    assert_eq!(taken([5, 5]), [(15, Ended::Enough); 2]);
    assert_eq!(taken([2, 7]), [(21, Ended::Enough); 2]);
}

#[test]
fn who_never_has_enough_gets_no_more_than_was_asked_for() {
    assert_eq!(taken([0, 1000]), [(60, Ended::Enough); 2]);
}
