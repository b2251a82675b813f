//! The calling thread and one thread on each further CPU, which obey an order
//! together.
//!
//! Between turns the threads sleep, so that other points set up at the same time are
//! not disturbed. How they wait for an order is the crew's policy. On a starting line
//! they spin: `gather` brings them there, outside the timed part, and a turn runs
//! from the starting shot until the last is done. Called, they sleep until the order
//! comes, and the caller sleeps until the last is done.

use super::body::Farewell;
use super::child::not_started;
use harness::{Fault, SetupError, affinity};
use std::hint::spin_loop;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, Thread};

/// Turns of a spin before the thread lets others run: reached only when another
/// member has lost its CPU.
const PATIENCE: u32 = 1 << 16;

/// What each thread has of its own, made on its CPU, and does when ordered.
pub trait Member: Sized + 'static {
    type Order: Copy + Send + 'static;
    type Answer: Send + 'static;

    fn obey(&mut self, order: Self::Order) -> Self::Answer;
}

/// How the threads wait for an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Spinning, once they are gathered.
    OnTheLine,
    /// Asleep.
    Called,
}

/// What the threads have in common.
struct Line<M: Member> {
    waiting: Waiting,
    caller: Thread,
    /// Raised once for each call to the starting line.
    gathered: AtomicU64,
    /// Raised once for each starting shot.
    started: AtomicU64,
    at_line: AtomicUsize,
    finished: AtomicUsize,
    /// A thread has ended that was not asked to.
    lost: AtomicBool,
    /// None: leave.
    order: Mutex<Option<M::Order>>,
    answers: Vec<Mutex<Option<M::Answer>>>,
}

/// The calling thread's member, and the threads of the others. Dropping it ends them.
pub struct Crew<M: Member> {
    pub own: M,
    line: Arc<Line<M>>,
    threads: Vec<JoinHandle<()>>,
    /// Whether all wait on the starting line.
    waiting: bool,
    /// Not `Send`: the threads wake the one that started them.
    _caller: PhantomData<*const ()>,
}

impl<M: Member> Crew<M> {
    /// `own` for the calling thread, on its present CPU, and a thread on each of
    /// `cpus` that makes its member there: `make(number, cpu)`, numbers from 1.
    ///
    /// # Errors
    /// Those of `make`; `Skip` where no thread can be had.
    pub fn start<F>(
        name: &str,
        waiting: Waiting,
        own: M,
        cpus: &[u32],
        make: F,
    ) -> Result<Crew<M>, SetupError>
    where
        F: Fn(usize, u32) -> Result<M, SetupError> + Clone + Send + 'static,
    {
        let mut crew = Crew {
            own,
            line: Arc::new(Line {
                waiting,
                caller: std::thread::current(),
                gathered: AtomicU64::new(0),
                started: AtomicU64::new(0),
                at_line: AtomicUsize::new(0),
                finished: AtomicUsize::new(0),
                lost: AtomicBool::new(false),
                order: Mutex::new(None),
                answers: cpus.iter().map(|_| Mutex::new(None)).collect(),
            }),
            threads: Vec::new(),
            waiting: false,
            _caller: PhantomData,
        };
        // All at once: a member may take seconds to fill its memory.
        let mut reports = Vec::new();
        for (at, cpu) in cpus.iter().copied().enumerate() {
            let (line, make) = (Arc::clone(&crew.line), make.clone());
            let (report, ready) = channel();
            let thread = std::thread::Builder::new()
                .name(format!("{name}-{cpu}"))
                .spawn(move || live(at, cpu, &make, &line, &report))
                .map_err(|cause| not_started("start a thread", &cause))?;
            crew.threads.push(thread);
            reports.push(ready);
        }
        for ready in reports {
            // Nothing arrives of one that panicked; its hook has reported why.
            let made = ready.recv().unwrap_or_else(|_| Err(gone().into()));
            if let Err(refused) = made {
                crew.line.lost.store(true, Ordering::Release);
                return Err(refused);
            }
        }
        Ok(crew)
    }

    /// Brings all threads to the starting line; nothing where they wait to be called.
    pub fn gather(&mut self) {
        if self.waiting || self.line.waiting == Waiting::Called {
            return;
        }
        self.line.gathered.fetch_add(1, Ordering::Release);
        self.threads.iter().for_each(|t| t.thread().unpark());
        self.wait_for_all(|line| &line.at_line);
        self.waiting = true;
    }

    /// Has every member obey. Returns the caller's own answer; `answers` has those of
    /// the others.
    ///
    /// # Errors
    /// A thread has ended.
    pub fn turn(&mut self, order: M::Order) -> Result<M::Answer, Fault> {
        if self.threads.is_empty() {
            return Ok(self.own.obey(order));
        }
        self.shoot(Some(order));
        let own = self.own.obey(order);
        self.wait_for_all(|line| &line.finished);
        match self.line.lost.load(Ordering::Acquire) {
            true => Err(gone()),
            false => Ok(own),
        }
    }

    /// Answers of the others to the last turn, in the order of their CPUs; once.
    pub fn answers(&mut self) -> Vec<M::Answer> {
        let take = |answer: &Mutex<Option<M::Answer>>| locked(answer).take();
        self.line.answers.iter().filter_map(take).collect()
    }

    fn shoot(&mut self, order: Option<M::Order>) {
        self.gather();
        *locked(&self.line.order) = order;
        self.line.at_line.store(0, Ordering::Relaxed);
        self.line.finished.store(0, Ordering::Relaxed);
        // Publishes the order and the two counts with it.
        self.line.started.fetch_add(1, Ordering::Release);
        if self.line.waiting == Waiting::Called {
            self.threads.iter().for_each(|t| t.thread().unpark());
        }
        self.waiting = false;
    }

    /// Until so many have been counted as there are threads, or one is lost.
    fn wait_for_all(&self, count: impl Fn(&Line<M>) -> &AtomicUsize) {
        let all = |line: &Line<M>| count(line).load(Ordering::Acquire) == self.threads.len();
        self.line
            .wait_until(|line| all(line) || line.lost.load(Ordering::Acquire));
    }
}

impl<M: Member> Drop for Crew<M> {
    fn drop(&mut self) {
        self.shoot(None);
        for thread in self.threads.drain(..) {
            // A panic has already been reported by its hook.
            let _ = thread.join();
        }
    }
}

impl<M: Member> Line<M> {
    fn wait_until(&self, ready: impl Fn(&Self) -> bool) {
        let mut turns = 0;
        while !ready(self) {
            match self.waiting {
                Waiting::Called => std::thread::park(),
                Waiting::OnTheLine if turns < PATIENCE => {
                    turns += 1;
                    spin_loop();
                }
                Waiting::OnTheLine => std::thread::yield_now(),
            }
        }
    }

    /// For a thread: the order of this turn, None to leave.
    fn order(&self, turn: u64) -> Option<M::Order> {
        if self.waiting == Waiting::OnTheLine {
            while self.gathered.load(Ordering::Acquire) < turn {
                std::thread::park();
            }
            self.at_line.fetch_add(1, Ordering::Release);
        }
        self.wait_until(|line| line.started.load(Ordering::Acquire) >= turn);
        *locked(&self.order)
    }

    fn finish(&self) {
        self.finished.fetch_add(1, Ordering::Release);
        if self.waiting == Waiting::Called {
            self.caller.unpark();
        }
    }
}

/// The life of a thread.
fn live<M: Member>(
    at: usize,
    cpu: u32,
    make: &impl Fn(usize, u32) -> Result<M, SetupError>,
    line: &Line<M>,
    report: &Sender<Result<(), SetupError>>,
) {
    // Marks the crew as lost if it panics, so that no other member waits for it.
    let _presence = Farewell(|| {
        if std::thread::panicking() {
            line.lost.store(true, Ordering::Release);
            line.caller.unpark();
        }
    });
    let made = affinity::pin(&[cpu])
        .map_err(|cause| SetupError::fail(&format!("pin a thread to CPU {cpu}"), cause))
        .and_then(|()| make(at + 1, cpu));
    let (mut member, outcome) = match made {
        Ok(member) => (Some(member), Ok(())),
        Err(refused) => (None, Err(refused)),
    };
    // Fails where the caller has gone.
    let _ = report.send(outcome);
    for turn in 1.. {
        let Some(order) = line.order(turn) else {
            return;
        };
        if let Some(member) = &mut member {
            *locked(&line.answers[at]) = Some(member.obey(order));
        }
        line.finish();
    }
}

fn locked<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn gone() -> Fault {
    Fault::wrong("a worker has ended")
}

#[cfg(test)]
mod tests {
    use super::{Crew, Member, Waiting};
    use harness::SetupError;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    /// Counts; panics when it comes to 13.
    struct Counter(u64);

    impl Member for Counter {
        type Order = u64;
        type Answer = u64;

        fn obey(&mut self, order: u64) -> u64 {
            self.0 = self.0.wrapping_add(order);
            assert_ne!(self.0, 13, "asked to panic");
            self.0
        }
    }

    /// CPUs that this process may use, each as often as it takes: a machine with one
    /// has no other.
    fn places(n: usize) -> Vec<u32> {
        testbed::cpus().into_iter().cycle().take(n).collect()
    }

    fn crew(waiting: Waiting, others: usize) -> Crew<Counter> {
        let make = |number: usize, _| Ok(Counter(number as u64 * 100));
        Crew::start("test", waiting, Counter(0), &places(others), make).unwrap()
    }

    #[test]
    fn every_member_obeys_every_order() {
        for waiting in [Waiting::OnTheLine, Waiting::Called] {
            for others in [0, 1, 3] {
                let mut crew = crew(waiting, others);
                for turn in 1..=3 {
                    crew.gather();
                    assert_eq!(crew.turn(1), Ok(turn));
                    let of = |number: u64| number * 100 + turn;
                    let expected: Vec<u64> = (1..=others as u64).map(of).collect();
                    assert_eq!(crew.answers(), expected);
                }
            }
        }
    }

    #[test]
    fn members_are_made_at_the_same_time() {
        let begun = Arc::new(AtomicUsize::new(0));
        let make = move |_: usize, _| {
            begun.fetch_add(1, Ordering::AcqRel);
            let last = Instant::now() + Duration::from_secs(20);
            while begun.load(Ordering::Acquire) < 2 {
                if Instant::now() > last {
                    return Err(SetupError::Fail("the other was not begun".to_owned()));
                }
                std::thread::yield_now();
            }
            Ok(Counter(0))
        };
        let crew = Crew::start("test", Waiting::OnTheLine, Counter(0), &places(2), make);
        assert!(crew.is_ok(), "{:?}", crew.err());
    }

    #[test]
    fn a_member_that_cannot_be_made_ends_the_crew() {
        let make = |number: usize, _| match number {
            1 => Ok(Counter(0)),
            _ => Err(SetupError::skip("none here", "make one")),
        };
        let crew = Crew::start("test", Waiting::OnTheLine, Counter(0), &places(2), make);
        let refused = crew.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(refused.contains("none here"), "{refused}");
    }

    #[test]
    fn a_thread_that_panicked_is_not_waited_for() {
        for waiting in [Waiting::OnTheLine, Waiting::Called] {
            let mut crew = crew(waiting, 1);
            assert_eq!(crew.turn(1), Ok(1));
            // 101 becomes 13, 1 becomes less.
            assert!(crew.turn(13u64.wrapping_sub(101)).is_err());
        }
    }
}
