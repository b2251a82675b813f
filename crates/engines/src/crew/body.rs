//! A second task: a thread of this process, or a process.

use super::child::{Child, Departure};
use harness::affinity;
use std::io;
use std::os::fd::RawFd;
use std::thread::JoinHandle;

/// What a task is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// A process: an address space of its own.
    Process,
    /// A thread of this process: all see one address space.
    Thread,
}

/// A running task. Dropping it kills and reaps a process, and waits for a thread,
/// which has been asked to leave before.
#[derive(Debug)]
pub enum Body {
    Process(Child),
    /// None: it has been waited for.
    Thread(Option<JoinHandle<()>>),
}

impl Body {
    /// Runs `life` on `cpu`: in a thread of this name, or in a process that keeps these
    /// descriptors open. A thread hears whether it could be bound; a process that could
    /// not exits at once. Only this process drops what `life` holds; a child exits
    /// without, so that a queue or a journal line is released once.
    ///
    /// # Errors
    /// What fork or clone says.
    pub fn start(
        host: Host,
        name: &str,
        cpu: u32,
        keep: &[RawFd],
        mut life: impl FnMut(io::Result<()>) -> Departure + Send + 'static,
    ) -> io::Result<Body> {
        match host {
            Host::Thread => Body::thread(name, move || {
                let _ = life(affinity::pin(&[cpu]));
            }),
            // Borrowed: the child exits inside of `fork`, before the owner's drop.
            Host::Process => Child::fork(cpu, keep, || life(Ok(()))).map(Body::Process),
        }
    }

    /// Runs `life` in a thread that may use the same CPUs as this one.
    ///
    /// # Errors
    /// What clone says.
    pub fn thread(name: &str, life: impl FnOnce() + Send + 'static) -> io::Result<Body> {
        let named = std::thread::Builder::new().name(name.to_owned());
        named.spawn(life).map(|thread| Body::Thread(Some(thread)))
    }

    /// getpid(2) of it; None of a thread.
    pub fn process_id(&self) -> Option<libc::pid_t> {
        match self {
            Body::Process(process) => Some(process.id()),
            Body::Thread(_) => None,
        }
    }

    /// How a process left, once it has; None of a thread.
    pub fn departure(&mut self) -> Option<String> {
        match self {
            Body::Process(process) => process.departure(),
            Body::Thread(_) => None,
        }
    }

    /// Wakes a thread that has parked.
    pub fn unpark(&self) {
        if let Body::Thread(Some(thread)) = self {
            thread.thread().unpark();
        }
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let Body::Thread(thread) = self
            && let Some(thread) = thread.take()
        {
            // The hook has reported a panic already.
            let _ = thread.join();
        }
    }
}

/// Calls its function when it is dropped: for what a task says however it goes.
pub struct Farewell<F: FnMut()>(pub F);

impl<F: FnMut()> Drop for Farewell<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::{Body, Host};
    use crate::crew::child::Departure;
    use crate::crew::shared::Shared;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Counts its drops, in whichever process.
    struct Counted(Arc<Shared<AtomicU32>>);

    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn what_a_life_holds_is_dropped_once_and_not_by_a_child() {
        for host in [Host::Process, Host::Thread] {
            // SAFETY: zeros are an atomic 0.
            let drops = Arc::new(unsafe { Shared::<AtomicU32>::zeroed() }.unwrap());
            let held = Counted(Arc::clone(&drops));
            let cpu = testbed::cpus()[0];
            let life = move |_| {
                let _ = &held;
                Departure::Done
            };
            let mut body = Body::start(host, "life", cpu, &[], life).unwrap();
            while body.process_id().is_some() && body.departure().is_none() {
                std::thread::yield_now();
            }
            drop(body);
            assert_eq!(drops.load(Ordering::Relaxed), 1, "{host:?}");
        }
    }
}
