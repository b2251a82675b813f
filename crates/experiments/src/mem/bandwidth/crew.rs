//! One thread on each CPU, each with its own buffers, all starting together.
//!
//! Between batches the workers sleep, so that other points set up at the same
//! time are not disturbed by their spinning. `gather` wakes them into a spin on
//! the starting line; that is outside the timed part. A batch then runs from the
//! starting shot until the last worker is done.

use super::work::{Lane, Work};
use harness::affinity;
use std::cell::RefCell;
use std::hint::spin_loop;
use std::io;
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, Thread};

/// Turns of a spin before the thread lets others run: reached only when a
/// partner has lost its CPU.
const PATIENCE: u32 = 1 << 16;

/// What the next start means.
#[derive(Debug, Clone, Copy)]
enum Order {
    Run { work: Work, ops: u64 },
    Check { work: Work },
    Leave,
}

/// What the threads of a crew have in common.
#[derive(Debug)]
struct Track {
    /// Raised once for each call to the starting line.
    gathered: AtomicU64,
    /// Raised once for each starting shot.
    started: AtomicU64,
    at_line: AtomicUsize,
    finished: AtomicUsize,
    order: Mutex<Order>,
    faults: Mutex<Vec<String>>,
}

/// The calling thread and a worker on each further CPU.
#[derive(Debug)]
pub struct Crew {
    own: Lane,
    track: Arc<Track>,
    workers: Vec<JoinHandle<()>>,
    threads: Vec<Thread>,
    waiting: bool,
}

/// What a crew is made for; equal keys may share one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    bytes: usize,
    zeros: bool,
    others: Vec<u32>,
}

thread_local! {
    static CURRENT: RefCell<Vec<(Key, Weak<RefCell<Crew>>)>> = const { RefCell::new(Vec::new()) };
}

/// The crew of this size, content and placement: the one in use, else a new one.
/// Points that are compared share it, so that they differ in nothing but the
/// kernel, not in which physical pages they were given.
///
/// # Errors
/// Memory or a thread cannot be had.
pub fn shared(bytes: usize, zeros: bool, others: &[u32]) -> io::Result<Rc<RefCell<Crew>>> {
    let key = Key {
        bytes,
        zeros,
        others: others.to_vec(),
    };
    CURRENT.with_borrow_mut(|current| {
        current.retain(|(_, crew)| crew.strong_count() > 0);
        let in_use = current.iter().find(|(k, _)| *k == key);
        if let Some(crew) = in_use.and_then(|(_, weak)| weak.upgrade()) {
            return Ok(crew);
        }
        let crew = Rc::new(RefCell::new(Crew::new(bytes, zeros, others)?));
        current.push((key, Rc::downgrade(&crew)));
        Ok(crew)
    })
}

impl Crew {
    fn new(bytes: usize, zeros: bool, others: &[u32]) -> io::Result<Crew> {
        let track = Arc::new(Track {
            gathered: AtomicU64::new(0),
            started: AtomicU64::new(0),
            at_line: AtomicUsize::new(0),
            finished: AtomicUsize::new(0),
            order: Mutex::new(Order::Leave),
            faults: Mutex::new(Vec::new()),
        });
        let mut crew = Crew {
            own: Lane::new(bytes, zeros)?,
            track: Arc::clone(&track),
            workers: Vec::new(),
            threads: Vec::new(),
            waiting: false,
        };
        for &cpu in others {
            let track = Arc::clone(&track);
            let worker = std::thread::Builder::new()
                .name(format!("bandwidth-{cpu}"))
                .spawn(move || work_on(cpu, bytes, zeros, &track))?;
            crew.threads.push(worker.thread().clone());
            crew.workers.push(worker);
        }
        // The first turn proves that every worker has its memory.
        crew.gather();
        let faults = crew.turn(Order::Run {
            work: Work::Fill(nothing),
            ops: 0,
        });
        match faults.first() {
            Some(fault) => Err(io::Error::other(fault.clone())),
            None => Ok(crew),
        }
    }

    /// Brings all workers to the starting line.
    pub fn gather(&mut self) {
        if self.waiting {
            return;
        }
        self.track.gathered.fetch_add(1, Ordering::Release);
        self.threads.iter().for_each(Thread::unpark);
        wait_until(|| self.track.at_line.load(Ordering::Acquire) == self.workers.len());
        self.waiting = true;
    }

    /// `ops` passes by every CPU over its own buffers.
    pub fn run(&mut self, work: Work, ops: u64) {
        if self.workers.is_empty() {
            self.own.run(work, ops);
        } else {
            self.turn(Order::Run { work, ops });
        }
    }

    /// One pass by every CPU, with its result looked at.
    pub fn check(&mut self, work: Work) -> Result<(), String> {
        let mut faults = self.turn(Order::Check { work });
        faults.pop().map_or(Ok(()), Err)
    }

    fn turn(&mut self, order: Order) -> Vec<String> {
        self.gather();
        let track = Arc::clone(&self.track);
        *track.order.lock().unwrap_or_else(PoisonError::into_inner) = order;
        track.at_line.store(0, Ordering::Relaxed);
        track.finished.store(0, Ordering::Relaxed);
        track.started.fetch_add(1, Ordering::Release);
        obey(order, &mut self.own, &track);
        wait_until(|| track.finished.load(Ordering::Acquire) == self.workers.len());
        self.waiting = false;
        std::mem::take(&mut *track.faults.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.turn(Order::Leave);
        for worker in self.workers.drain(..) {
            // A worker that panicked has already said so on its own.
            let _ = worker.join();
        }
    }
}

/// The life of a worker.
fn work_on(cpu: u32, bytes: usize, zeros: bool, track: &Track) {
    let mut lane = affinity::pin(&[cpu]).and_then(|()| Lane::new(bytes, zeros));
    if let Err(cause) = &lane {
        fault(track, format!("cannot set up CPU {cpu}: {cause}"));
    }
    for turn in 1.. {
        while track.gathered.load(Ordering::Acquire) < turn {
            std::thread::park();
        }
        track.at_line.fetch_add(1, Ordering::Release);
        wait_until(|| track.started.load(Ordering::Acquire) >= turn);
        let order = *track.order.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(lane) = &mut lane {
            obey(order, lane, track);
        }
        track.finished.fetch_add(1, Ordering::Release);
        if matches!(order, Order::Leave) {
            return;
        }
    }
}

fn obey(order: Order, lane: &mut Lane, track: &Track) {
    match order {
        Order::Run { work, ops } => lane.run(work, ops),
        Order::Check { work } => {
            if let Err(what) = lane.check(work) {
                fault(track, what);
            }
        }
        Order::Leave => {}
    }
}

fn fault(track: &Track, what: String) {
    let mut faults = track.faults.lock().unwrap_or_else(PoisonError::into_inner);
    faults.push(what);
}

fn wait_until(ready: impl Fn() -> bool) {
    let mut turns = 0;
    while !ready() {
        turns += 1;
        if turns < PATIENCE {
            spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}

/// # Safety
/// None needed: it does nothing.
unsafe fn nothing(_: *mut u8, _: u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::super::work::Work;
    use super::shared;
    use engines::loops;
    use std::rc::Rc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use testbed::cpus;

    static PASSES: AtomicU64 = AtomicU64::new(0);

    /// # Safety
    /// None needed: it only counts.
    unsafe fn counting(_: *mut u8, _: u64, _: usize) {
        PASSES.fetch_add(1, Ordering::Relaxed);
    }

    /// # Safety
    /// None needed: it does nothing. Another test's than `counting`: both run at once.
    unsafe fn idling(_: *mut u8, _: u64, _: usize) {}

    /// CPUs that this process may use, each as often as it takes: a machine
    /// with one has no other.
    fn places(n: usize) -> Vec<u32> {
        cpus().into_iter().cycle().take(n).collect()
    }

    #[test]
    fn every_worker_makes_every_pass() {
        for others in [0, 1, 2] {
            let crew = shared(4096, false, &places(others)).expect("a few pages and threads");
            let mut crew = crew.borrow_mut();
            PASSES.store(0, Ordering::Relaxed);
            for ops in [1, 5, 0, 3] {
                crew.gather();
                crew.run(Work::Write(counting), ops);
            }
            let expected = 9 * (others as u64 + 1);
            assert_eq!(PASSES.load(Ordering::Relaxed), expected);
        }
    }

    #[test]
    fn contents_are_checked_on_every_lane() {
        let libc = loops::find("libc").expect("every machine has libc");
        let copy = Work::pick("copy", &libc).expect("libc copies");
        let crew = shared(10_000, false, &places(1)).expect("a few pages and a thread");
        assert_eq!(crew.borrow_mut().check(copy), Ok(()));
        let wrong = crew.borrow_mut().check(Work::Write(idling));
        assert!(wrong.is_err());
    }

    #[test]
    fn one_crew_serves_all_points_of_a_size() {
        let of = |bytes, zeros| shared(bytes, zeros, &[]).expect("a few pages");
        let (a, c, d) = (of(4096, false), of(8192, false), of(4096, true));
        assert!(Rc::ptr_eq(&a, &of(4096, false)));
        assert!(Rc::ptr_eq(&d, &of(4096, true)));
        assert!(!Rc::ptr_eq(&a, &c) && !Rc::ptr_eq(&a, &d));
    }
}
