//! One thread on each CPU, each with its own buffers, all starting together. A batch
//! runs from the starting shot until the last thread is done.

use super::work::{Lane, Work};
use engines::crew::in_use::InUse;
use engines::crew::threads::{self, Member, Waiting};
use harness::{Fault, SetupError};
use std::cell::RefCell;
use std::rc::Rc;

/// What every CPU does with its own buffers.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    /// So many passes.
    Run { work: Work, ops: u64 },
    /// One pass, with its result looked at.
    Check { work: Work },
}

impl Member for Lane {
    type Order = Order;
    type Answer = Result<(), Fault>;

    fn obey(&mut self, order: Order) -> Result<(), Fault> {
        match order {
            Order::Run { work, ops } => {
                self.run(work, ops);
                Ok(())
            }
            Order::Check { work } => self.check(work),
        }
    }
}

/// The calling thread and a worker on each further CPU.
pub type Crew = threads::Crew<Lane>;

/// Size of the buffers, whether the source is of zeros, CPUs of the workers.
type Key = (usize, bool, Vec<u32>);

thread_local! {
    static CREWS: InUse<Key, RefCell<Crew>> = const { InUse::none() };
}

/// The crew of this size, content and placement: the one in use, else a new one.
/// Points that are compared share it, so that they differ in nothing but the
/// kernel, not in which physical pages they were given.
///
/// # Errors
/// Memory or a thread cannot be had.
pub fn shared(bytes: usize, zeros: bool, others: &[u32]) -> Result<Rc<RefCell<Crew>>, SetupError> {
    let no_buffers = |cause| SetupError::fail("map the buffers of mem/bandwidth", cause);
    let lane = move |_, _| Lane::new(bytes, zeros).map_err(no_buffers);
    CREWS.with(|crews| {
        crews.get((bytes, zeros, others.to_vec()), || {
            let own = lane(0, 0)?;
            Crew::start("bandwidth", Waiting::OnTheLine, own, others, lane).map(RefCell::new)
        })
    })
}

/// The first fault of a check on any CPU.
///
/// # Errors
/// What is wrong with the bytes, or that a worker has ended.
pub fn check(crew: &mut Crew, work: Work) -> Result<(), Fault> {
    let own = crew.turn(Order::Check { work })?;
    let mut all = std::iter::once(own).chain(crew.answers());
    all.find(Result::is_err).unwrap_or(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::super::work::Work;
    use super::{Order, check, shared};
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
                let work = Work::Write(counting);
                assert_eq!(crew.turn(Order::Run { work, ops }), Ok(Ok(())));
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
        assert_eq!(check(&mut crew.borrow_mut(), copy), Ok(()));
        let wrong = check(&mut crew.borrow_mut(), Work::Write(idling));
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
