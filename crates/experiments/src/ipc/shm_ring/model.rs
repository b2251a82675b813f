//! The cursors under a model checker: every order of the two sides' accesses
//! that the memory model allows, on a ring of two bytes.

mod atomics {
    pub use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
}
// The same source with other atomics is the point.
#[allow(clippy::duplicate_mod, dead_code)]
#[path = "cursors.rs"]
mod cursors;

use cursors::{Consumer, Other, Positions, Producer, about_to_sleep};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

const CAPACITY: u64 = 2;

#[derive(Default)]
struct Ring {
    positions: Positions,
    bytes: [UnsafeCell<u64>; CAPACITY as usize],
}

// SAFETY: the model checker reports every access to a cell that is not ordered
// after the one before.
unsafe impl Sync for Ring {}
// SAFETY: as above.
unsafe impl Send for Ring {}

fn write(ring: &Ring, producer: &Producer, value: u64) {
    let cell = &ring.bytes[(producer.position() % CAPACITY) as usize];
    // SAFETY: checked by the model.
    cell.with_mut(|at| unsafe { *at = value });
}

fn read(ring: &Ring, consumer: &Consumer) -> u64 {
    let cell = &ring.bytes[(consumer.position() % CAPACITY) as usize];
    // SAFETY: checked by the model.
    cell.with(|at| unsafe { *at })
}

/// Three values through room for two, so that one place is used twice.
#[test]
fn values_arrive_in_order_and_no_access_races() {
    loom::model(|| {
        let ring = Arc::new(Ring::default());
        let shared = Arc::clone(&ring);
        let sender = thread::spawn(move || {
            let mut producer = Producer::new(CAPACITY);
            for value in 1..=3 {
                while producer.room(&shared.positions, 1) == 0 {
                    thread::yield_now();
                }
                write(&shared, &producer, value);
                producer.publish(&shared.positions, 1, Other::Spins);
            }
        });
        let mut consumer = Consumer::new(CAPACITY);
        for value in 1..=3 {
            while consumer.available(&ring.positions) == 0 {
                consumer.flush(&ring.positions, Other::Spins);
                thread::yield_now();
            }
            assert_eq!(read(&ring, &consumer), value);
            consumer.release(&ring.positions, 1, Other::Spins);
        }
        sender.join().unwrap();
    });
}

/// Either the producer wakes, or the consumer finds the byte before it sleeps.
#[test]
fn no_byte_is_published_past_a_consumer_that_falls_asleep() {
    loom::model(|| {
        let ring = Arc::new(Ring::default());
        let shared = Arc::clone(&ring);
        let sender = thread::spawn(move || {
            let mut producer = Producer::new(CAPACITY);
            producer.publish(&shared.positions, 1, Other::MaySleep)
        });
        let mut consumer = Consumer::new(CAPACITY);
        about_to_sleep(&ring.positions.consumer_sleeps.0);
        let found = consumer.available(&ring.positions) > 0;
        assert!(sender.join().unwrap() || found);
    });
}

/// Either the consumer wakes, or the producer finds the room before it sleeps.
#[test]
fn no_room_is_given_past_a_producer_that_falls_asleep() {
    loom::model(|| {
        let ring = Arc::new(Ring::default());
        let mut producer = Producer::new(CAPACITY);
        producer.publish(&ring.positions, CAPACITY, Other::MaySleep);
        let shared = Arc::clone(&ring);
        let receiver = thread::spawn(move || {
            let mut consumer = Consumer::new(CAPACITY);
            consumer.available(&shared.positions);
            consumer.release(&shared.positions, 1, Other::MaySleep)
        });
        about_to_sleep(&ring.positions.producer_sleeps.0);
        let found = producer.room(&ring.positions, 1) > 0;
        assert!(receiver.join().unwrap() || found);
    });
}

/// A call to be awake that the sleeper has not seen leaves its sign to be seen,
/// though no side passes a fence after publishing (see `other` in the ring).
#[test]
fn a_call_to_be_awake_replaces_the_fence() {
    use atomics::{AtomicU32, Ordering, fence};
    loom::model(|| {
        let ring = Arc::new((Ring::default(), AtomicU32::new(0)));
        let shared = Arc::clone(&ring);
        let main = thread::spawn(move || {
            let (ring, awake) = &*shared;
            awake.store(1, Ordering::Release);
            fence(Ordering::SeqCst);
            Producer::new(CAPACITY).publish(&ring.positions, 1, Other::Spins)
        });
        let (ring, awake) = &*ring;
        about_to_sleep(&ring.positions.consumer_sleeps.0);
        let found = Consumer::new(CAPACITY).available(&ring.positions) > 0;
        let called = awake.load(Ordering::Acquire) == 1;
        assert!(main.join().unwrap() || found || called);
    });
}
