//! What was recorded in set-up, handed out one by one: a subject for
//! measurements that happen at their own pace.

use harness::{Reading, Subject};
use std::any::Any;
use std::rc::Rc;

/// One thing of a recording.
pub trait Recorded {
    /// What it is as a sample.
    fn reading(&self) -> Reading;

    /// One value for each of the experiment's tallies, for all operations of the
    /// reading together; NaN is not counted.
    fn tally(&self) -> Vec<f64>;
}

/// Hands out a recording in its order.
pub struct Replay<T> {
    all: Vec<T>,
    next: usize,
    notes: Vec<String>,
    /// What several replays share, kept until the last of them goes.
    _shared: Option<Rc<dyn Any>>,
}

impl<T: Recorded> Replay<T> {
    /// A recording, and notes about it.
    pub fn of(all: Vec<T>, notes: Vec<String>) -> Replay<T> {
        Replay {
            all,
            next: 0,
            notes,
            _shared: None,
        }
    }

    /// Keeps `shared` for as long as it lives.
    pub fn keeping(mut self, shared: Rc<dyn Any>) -> Replay<T> {
        self._shared = Some(shared);
        self
    }

    fn current(&self) -> Option<&T> {
        self.all.get(self.next.checked_sub(1)?)
    }
}

impl<T: Recorded> Subject for Replay<T> {
    fn batch(&mut self, _part: u16, _ops: u64) {
        self.next += 1;
    }

    fn sampling_begins(&mut self) {
        self.next = 0;
    }

    fn recorded(&self) -> Option<u32> {
        u32::try_from(self.all.len()).ok()
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        self.current().map(Recorded::reading)
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        self.current().map(Recorded::tally).unwrap_or_default()
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::{Recorded, Replay};
    use harness::{Reading, Subject};
    use std::rc::Rc;

    struct Tick(f64);

    impl Recorded for Tick {
        fn reading(&self) -> Reading {
            Reading {
                ops: 1,
                elapsed_ns: self.0,
                floor_ns: 0.0,
                cpu: None,
                turn: None,
            }
        }

        fn tally(&self) -> Vec<f64> {
            vec![self.0 / 2.0]
        }
    }

    #[test]
    fn each_batch_is_the_next_one_and_sampling_begins_with_the_first() {
        let mut replay = Replay::of(vec![Tick(4.0), Tick(6.0)], vec!["note".to_owned()]);
        assert_eq!((replay.recorded(), replay.reading(0)), (Some(2), None));
        for _ in 0..2 {
            replay.sampling_begins();
            for ns in [4.0, 6.0] {
                replay.batch(0, 1);
                assert_eq!(replay.reading(0).unwrap().elapsed_ns, ns);
                assert_eq!(replay.tally(0), [ns / 2.0]);
            }
        }
        replay.batch(0, 1);
        assert_eq!((replay.reading(0), replay.tally(0).len()), (None, 0));
        assert_eq!(replay.notes(), ["note"]);
    }

    #[test]
    fn what_is_shared_goes_with_the_last() {
        let shared = Rc::new(5);
        let of = || Replay::of(Vec::<Tick>::new(), Vec::new()).keeping(shared.clone());
        let (first, second) = (of(), of());
        drop(first);
        assert_eq!(Rc::strong_count(&shared), 2);
        drop(second);
        assert_eq!(Rc::strong_count(&shared), 1);
    }
}
