//! Threads whose sleep is a timer of the kernel's wheel: they wait for a
//! datagram that does not come, for a while that they set (SO_RCVTIMEO), again
//! and again. socket(7).

use engines::crew::child::not_started;
use engines::scheduler::policy::Policy;
use harness::SetupError;
use harness::scheduling::FIFO_PRIORITY;
use std::io::{ErrorKind, Result};
use std::os::unix::net::UnixDatagram;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// One thread for each of these: the longer they sleep, the more there are.
const APART_NS: u64 = 20_000_000;
const MOST: u64 = 16;

/// Lets threads on this thread's CPUs sleep by timeouts of `timeout_ns` while
/// `meanwhile` runs; their numbers (gettid(2)).
///
/// # Errors
/// `Fail`: what the sockets say.
pub fn sleep_while(
    timeout_ns: u64,
    meanwhile: impl FnOnce(),
) -> std::result::Result<Vec<i32>, SetupError> {
    let count = (timeout_ns / APART_NS).clamp(1, MOST);
    let pairs: Result<Vec<_>> = (0..count).map(|_| UnixDatagram::pair()).collect();
    let pairs = pairs.map_err(|cause| SetupError::fail("create a pair of sockets", cause))?;
    let (tell, heard) = channel();
    let mut tids = Vec::new();
    std::thread::scope(|scope| {
        let start = |number: u64, socket| {
            let tell = tell.clone();
            let first_ns = timeout_ns * number / count;
            std::thread::Builder::new()
                .spawn_scoped(scope, move || sleeper(socket, first_ns, timeout_ns, &tell))
        };
        let mut sockets = (1..).zip(&pairs);
        let started = sockets.try_for_each(|(number, (_, socket))| start(number, socket).map(drop));
        if started.is_ok() {
            // Each of them has run: who keeps the CPU busy may leave them no time.
            tids.extend(heard.iter().take(pairs.len()));
            meanwhile();
        }
        for (end, _) in &pairs {
            // A socket that takes no byte has one waiting: the thread ends.
            let _ = end.send(&[0]);
        }
        started.map_err(|e| not_started("start threads that sleep", &e))
    })?;
    Ok(tids)
}

fn sleeper(socket: &UnixDatagram, first_ns: u64, timeout_ns: u64, tell: &Sender<i32>) {
    // SAFETY: take no memory.
    let (tid, policy) = unsafe { (libc::gettid(), libc::sched_getscheduler(0)) };
    if policy == libc::SCHED_FIFO {
        // The thread that keeps the CPU busy would never let it run.
        let above = FIFO_PRIORITY.unsigned_abs() + 1;
        let _ = Policy::Fifo { priority: above }.take();
    }
    let _ = tell.send(tid);
    // Spread over the first turn, so that they do not all expire at once.
    let mut next_ns = first_ns;
    while sleep(socket, next_ns) {
        next_ns = timeout_ns;
    }
}

/// Whether to go on: nothing came.
fn sleep(socket: &UnixDatagram, ns: u64) -> bool {
    let timeout = Duration::from_nanos(ns.max(1_000));
    let came = socket
        .set_read_timeout(Some(timeout))
        .and_then(|()| socket.recv(&mut [0]));
    came.is_err_and(|e| matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted))
}

#[cfg(test)]
mod tests {
    use super::sleep_while;

    #[test]
    fn the_threads_end_with_what_they_accompany() {
        let mut ran = false;
        let tids = sleep_while(100_000_000, || ran = true).unwrap();
        assert!(ran);
        assert_eq!(tids.len(), 5);
        assert_eq!(sleep_while(4_000_000, || ()).unwrap().len(), 1);
    }
}
