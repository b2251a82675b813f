//! # ipc/process_vm - Reading a message out of the sender's memory
//!
//! What does a message cost that is copied once, by the receiver's system call,
//! straight from the sender's buffer into its own?
//!
//! ## Counts
//! *stream*: announcing address and length in a shared word, the receiver's
//! process_vm_readv, and the word that lets the sender go on; the sender waits
//! for that after every message, for until then the bytes are still read.
//! *round_trip*: there and, whole, back the same way.
//!
//! ## Does not count
//! Making the shared page. Who waits spins (`partner=awake`) or sleeps on a
//! futex; that counts.
//!
//! ## Origin
//! Cross Memory Attach (2010), made for MPI within a node; requested of public
//! collections of IPC benchmarks since 2016. process_vm_readv(2).
//!
//! ## Theory
//! One copy instead of two is half the traffic. But the kernel has to find the
//! other's pages first: it takes the other's memory map, pins each page for the
//! time of its copy and lets it go, some tens of nanoseconds for each page of
//! 4 KiB. Below a page the price is the system call and the hand-over; beyond a few
//! pages it is a rate, bounded by the walk and not by memory, until the buffers
//! leave the caches. And the sender cannot run ahead: the message stays where it
//! is until it has been read, as in any transport without a copy of its own.
//!
//! The call asks whether the reader might trace the owner of the memory. Threads
//! of one process always may. A child may read its parent only where nothing
//! like Yama restricts tracing to descendants.

use catalogue::Experiment;
use engines::crew::child::{Child, Departure, not_started};
use engines::transport::baton::{Baton, Turn};
use engines::transport::shared::Shared;
use engines::transport::tether::{Tether, or_end};
use engines::transport::{End, Options, Transport, Wait, claims, figures};
use harness::SetupError;
use machine::tunable::PTRACE_SCOPE;
use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// Where a message is; the baton says whose turn it is.
#[derive(Debug)]
#[repr(C, align(128))]
struct Notice {
    baton: Baton,
    process: AtomicI32,
    address: AtomicU64,
    bytes: AtomicU64,
}

/// Two notices, one for each direction.
#[derive(Debug)]
pub struct ReadvEnd {
    memory: Arc<Shared>,
    /// Which notice is written here: 0 or 1.
    out: usize,
    /// The process that uses this end.
    process: libc::pid_t,
    /// The sender does not wait until the message has been read: the same
    /// thread will read it.
    alone: bool,
    tether: Tether,
    calls: u64,
}

#[inline]
fn notice(memory: &Shared, direction: usize) -> &Notice {
    // SAFETY: two of them fit into a page, aligned as it is; all zeros is valid,
    // and only atomics are in them.
    unsafe { &*memory.base().cast::<Notice>().add(direction) }
}

/// Reads the other process's bytes; as read(2) returns.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the address was a pointer in a process of this program"
)]
fn read_from(process: libc::pid_t, address: u64, into: &mut [u8]) -> isize {
    let local = libc::iovec {
        iov_base: into.as_mut_ptr().cast(),
        iov_len: into.len(),
    };
    let remote = libc::iovec {
        iov_base: std::ptr::without_provenance_mut(address as usize),
        iov_len: into.len(),
    };
    // SAFETY: `into` is writable for its length; the kernel checks the other
    // address in the other process.
    unsafe { libc::process_vm_readv(process, &raw const local, 1, &raw const remote, 1, 0) }
}

impl ReadvEnd {
    /// Fetches the announced message.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the bytes announced are the length of a slice in a process of this program"
    )]
    fn fetch(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let notice = notice(&self.memory, 1 - self.out);
        let process = notice.process.load(Ordering::Relaxed);
        let address = notice.address.load(Ordering::Relaxed);
        let bytes = into
            .len()
            .min(notice.bytes.load(Ordering::Relaxed) as usize);
        let mut got = 0;
        while got < bytes {
            self.calls += 1;
            let rest = &mut into[got..bytes];
            match read_from(process, address + got as u64, rest) {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                more @ 1.. => got += more.cast_unsigned(),
                _ => return Err(io::Error::last_os_error()),
            }
        }
        Ok(bytes)
    }
}

impl Drop for ReadvEnd {
    /// The other side may sleep, and shall not find out only at its next look.
    fn drop(&mut self) {
        (0..2).for_each(|direction| notice(&self.memory, direction).baton.rouse());
    }
}

impl End for ReadvEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        let notice = notice(&self.memory, self.out);
        let baton = &notice.baton;
        baton.until(Turn::Empty, wait, &self.tether, &mut self.calls)?;
        // The baton's Release and Acquire order these before the reader's loads.
        notice.process.store(self.process, Ordering::Relaxed);
        let address = message.as_ptr().expose_provenance() as u64;
        notice.address.store(address, Ordering::Relaxed);
        notice.bytes.store(message.len() as u64, Ordering::Relaxed);
        baton.give(Turn::Full, &mut self.calls);
        if !self.alone {
            // The caller may overwrite the message when this returns.
            baton.until(Turn::Empty, wait, &self.tether, &mut self.calls)?;
        }
        Ok(message.len())
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        let direction = 1 - self.out;
        let baton = &notice(&self.memory, direction).baton;
        if let Err(e) = baton.until(Turn::Full, wait, &self.tether, &mut self.calls) {
            return or_end(Err(e));
        }
        let count = self.fetch(into)?;
        let baton = &notice(&self.memory, direction).baton;
        baton.give(Turn::Empty, &mut self.calls);
        Ok(count)
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        vec![self.tether.fd()]
    }

    fn settle(&mut self) -> io::Result<()> {
        self.memory.touch();
        // SAFETY: takes no arguments. Here and not in `pair`: after a fork the
        // end is used by another process than the one that made it.
        self.process = unsafe { libc::getpid() };
        Ok(())
    }
}

struct ProcessVm;

impl Transport for ProcessVm {
    type End = ReadvEnd;

    fn pair(options: &Options) -> Result<(ReadvEnd, ReadvEnd), SetupError> {
        if options.buffer_bytes.is_some() {
            let reason = "there is no buffer between the two sides, so no capacity to choose";
            return Err(SetupError::skip(reason, "--axis buffer=0"));
        }
        const { assert!(2 * size_of::<Notice>() <= 4096) };
        let memory = Arc::new(Shared::for_pair(4096)?);
        // SAFETY: takes no arguments.
        let process = unsafe { libc::getpid() };
        permitted(process, options.processes, &memory)?;
        let (here, there) = Tether::pair()?;
        let end = |out, tether| ReadvEnd {
            memory: Arc::clone(&memory),
            out,
            process,
            alone: options.alone,
            tether,
            calls: 0,
        };
        Ok((end(0, here), end(1, there)))
    }
}

/// Tries whether this process, and if need be a child, may read its memory.
fn permitted(process: libc::pid_t, by_child: bool, memory: &Shared) -> Result<(), SetupError> {
    let probe = [7u8; 8];
    let from = probe.as_ptr().expose_provenance() as u64;
    let tried = || match read_from(process, from, &mut [0u8; 8]) {
        8 => 0,
        _ => io::Error::last_os_error().raw_os_error().unwrap_or(-1),
    };
    let mut errno = tried();
    if errno == 0 && by_child {
        // Borrowed for the time of the probe: no message is under way yet.
        let answer = &notice(memory, 0).process;
        answer.store(-1, Ordering::Release);
        // SAFETY: takes no arguments.
        let cpu = unsafe { libc::sched_getcpu() }.unsigned_abs();
        harness::affinity::bindable(cpu)?;
        let mut child = Child::fork(cpu, &[], || {
            answer.store(tried(), Ordering::Release);
            Departure::NeighbourGone
        })
        .map_err(|e| not_started("fork a child that reads its parent's memory", &e))?;
        while child.departure().is_none() {
            std::thread::yield_now();
        }
        errno = answer.swap(0, Ordering::AcqRel);
    }
    match errno {
        0 => Ok(()),
        _ => Err(refused(errno, by_child)),
    }
}

fn refused(errno: i32, by_child: bool) -> SetupError {
    let cause = io::Error::from_raw_os_error(errno);
    match errno {
        libc::EPERM if by_child => SetupError::skip(
            format!("a child may not read its parent's memory: {cause}"),
            format!("{}, or --axis mode=2threads", PTRACE_SCOPE.set(0)),
        ),
        libc::EPERM => SetupError::skip(
            format!("process_vm_readv is forbidden: {cause}"),
            "docker run --cap-add=SYS_PTRACE, or a sandbox that allows process_vm_readv",
        ),
        libc::ENOSYS => SetupError::skip(
            format!("this kernel has no process_vm_readv: {cause}"),
            "a kernel with CONFIG_CROSS_MEMORY_ATTACH",
        ),
        _ => SetupError::fail("read memory by process_vm_readv", cause),
    }
}

pub static EXPERIMENT: Experiment = Experiment {
    toll: |card| figures::toll(card, "process_vm_readv by the receiver", "process_vm"),
    claims: &[claims::EACH_SLEEPS, claims::FLAT],
    ..super::through::<ProcessVm>()
};

#[cfg(test)]
mod tests {
    use super::{EXPERIMENT, PTRACE_SCOPE, ProcessVm, refused};
    use crate::ipc::{death, trial};

    #[test]
    fn a_sleeping_partner_is_let_go_at_once() {
        death::is_let_go::<ProcessVm>(5000);
    }

    #[test]
    fn an_end_left_alone_gives_up() {
        trial::abandoned::<ProcessVm>(5000);
    }

    #[test]
    fn what_is_forbidden_is_skipped_with_what_forbids_it() {
        let of = |errno, by_child| refused(errno, by_child).to_string();
        assert!(of(libc::EPERM, true).contains(PTRACE_SCOPE.path()));
        assert!(of(libc::EPERM, false).contains("SYS_PTRACE"));
        assert!(of(libc::ENOSYS, false).contains("CROSS_MEMORY_ATTACH"));
        assert!(of(libc::ENOMEM, true).starts_with("cannot read memory"));
        trial::skipped(&EXPERIMENT, 64, 4096, "--axis buffer=0");
    }
}
