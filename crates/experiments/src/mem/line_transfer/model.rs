//! All interleavings, and all orders that the memory model allows, of a short
//! stream and a short exchange: two threads on the checker's atomics.

use super::ping_pong::{answer, answer_exchange, call, call_exchange};
use super::stream::{Line, Ring};
use super::word::{Wait, Word};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, Ordering};
use loom::thread;

impl Word for AtomicU64 {
    fn take(&self) -> u64 {
        self.load(Ordering::Acquire)
    }

    fn give(&self, value: u64) {
        self.store(value, Ordering::Release);
    }

    fn peek(&self) -> u64 {
        self.load(Ordering::Relaxed)
    }

    fn put(&self, value: u64) {
        self.store(value, Ordering::Relaxed);
    }

    fn swap_if(&self, from: u64, to: u64) -> Result<(), u64> {
        self.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
            .map(|_| ())
    }
}

/// The checker has to learn that a thread waits for another one. It never gives
/// up: where one side errs, the other waits until the checker has seen enough.
struct Checked;

impl Wait for Checked {
    fn again(&mut self) -> bool {
        thread::yield_now();
        true
    }
}

/// Every schedule with at most `switches` forced changes of thread.
fn explore(switches: usize, body: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(switches);
    model.check(body);
}

struct Shared {
    lines: Vec<Line<AtomicU64, 2>>,
    taken: AtomicU64,
}

impl Shared {
    fn new(lines: usize) -> Arc<Shared> {
        let line = |_| Line(std::array::from_fn(|_| AtomicU64::new(0)));
        Arc::new(Shared {
            lines: (0..lines).map(line).collect(),
            taken: AtomicU64::new(0),
        })
    }

    fn ring(&self) -> Ring<'_, AtomicU64, 2> {
        Ring {
            lines: &self.lines,
            taken: &self.taken,
        }
    }
}

/// A ring of two lines, three sent: the first place is used again while the
/// consumer may still be reading it.
#[test]
fn no_line_of_a_stream_is_lost_repeated_or_torn() {
    arrive(3);
}

#[test]
fn an_empty_turn_ends() {
    arrive(0);
}

/// So many lines through a ring of two.
fn arrive(lines: u64) {
    explore(3, move || {
        let shared = Shared::new(2);
        let there = Arc::clone(&shared);
        let consumer = thread::spawn(move || there.ring().receive(&mut Checked));
        assert_eq!(shared.ring().send(lines, &mut Checked), Ok(lines));
        assert_eq!(consumer.join().expect("no panic"), Ok(lines));
    });
}

#[test]
fn every_way_of_handing_a_word_over_ends_with_equal_counts() {
    explore(3, || {
        let line = Arc::new(AtomicU64::new(0));
        let there = Arc::clone(&line);
        let partner = thread::spawn(move || answer(&*there, &mut Checked));
        assert_eq!(call(&*line, 2, &mut Checked), Ok(2));
        assert_eq!(partner.join().expect("no panic"), Ok(2));
    });
    explore(3, || {
        let line = Arc::new(AtomicU64::new(0));
        let there = Arc::clone(&line);
        let partner = thread::spawn(move || answer_exchange(&*there, &mut Checked));
        assert_eq!(call_exchange(&*line, 2, &mut Checked), Ok(2));
        assert_eq!(partner.join().expect("no panic"), Ok(2));
    });
}
