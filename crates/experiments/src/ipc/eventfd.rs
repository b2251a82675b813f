//! # ipc/eventfd - Handing a message over in shared memory, by eventfd
//!
//! What does it cost to tell the other side of a message in shared memory
//! through a descriptor, which can wait together with sockets and timers?
//!
//! ## Counts
//! *stream*: copying a message into the one slot, a write that says full, the
//! receiver's read of it, the copy out, and a write that says empty; the next
//! message waits for that. *round_trip*: a message there through one slot and,
//! whole, back through another. Four system calls for each message and direction.
//!
//! ## Does not count
//! Making and touching the memory. Bytes are counted once, though they are
//! copied twice.
//!
//! ## Origin
//! The eventfd variants of public collections of IPC benchmarks; event loops and
//! virtio (ioeventfd, irqfd) hand over so. eventfd(2).
//!
//! ## Theory
//! An eventfd is a counter in the kernel: a write adds, a read takes all of it
//! and sleeps where it is zero. Nothing of the message passes through it, so
//! the price does not depend on the size but for the two copies. What a futex
//! decides in user memory (is anybody asleep?) is asked of the kernel each time
//! here: against `ipc/futex` each message costs four system calls more, also
//! when no task sleeps. What they buy is that poll and epoll can wait for it.

use catalogue::{Claim, Experiment};
use engines::transport::fds::patiently;
use engines::transport::keeper::Keeper;
use engines::transport::shared::Shared;
use engines::transport::slot::Slot;
use engines::transport::tether::{Tether, or_end};
use engines::transport::{End, Options, Transport, Wait, claims, figures};
use harness::SetupError;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The counters of one direction.
#[derive(Debug, Clone)]
struct Signals {
    full: Arc<OwnedFd>,
    empty: Arc<OwnedFd>,
}

impl Signals {
    /// Wakes all that sleep on one of them.
    fn sound(&self) {
        for fd in [&self.full, &self.empty] {
            let _ = add(fd.as_raw_fd());
        }
    }
}

/// Two slots, one for each direction, each with its counters.
#[derive(Debug)]
pub struct EventfdEnd {
    memory: Arc<Shared>,
    /// Which slot is written here: 0 or 1.
    out: usize,
    slots: [Slot; 2],
    signals: [Signals; 2],
    /// Set before all counters are raised without a message.
    over: Arc<AtomicBool>,
    keeper: Option<Keeper>,
    tether: Tether,
    calls: u64,
}

impl EventfdEnd {
    /// Takes the counter, however long that lasts.
    #[inline]
    fn take(&mut self, fd: RawFd, wait: Wait<'_>) -> io::Result<()> {
        let mut value = 0u64;
        let at = (&raw mut value).cast();
        let got = patiently(fd, libc::POLLIN, wait, &mut self.calls, || {
            // SAFETY: eight bytes, as an eventfd wants them.
            unsafe { libc::read(fd, at, 8) }
        })?;
        if got == 0 || self.over.load(Ordering::Acquire) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(())
    }

    #[inline]
    fn tell(&mut self, fd: RawFd) -> io::Result<()> {
        self.calls += 1;
        add(fd)
    }
}

/// Adds 1 to the counter. It never blocks: the counter is 0 or 1.
#[inline]
fn add(fd: RawFd) -> io::Result<()> {
    let one = 1u64;
    // SAFETY: eight readable bytes, as an eventfd wants them.
    if unsafe { libc::write(fd, (&raw const one).cast(), 8) } == 8 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

impl End for EventfdEnd {
    #[inline]
    fn send(&mut self, message: &[u8], wait: Wait<'_>) -> io::Result<usize> {
        let (full, empty) = raw(&self.signals[self.out]);
        self.take(empty, wait)?;
        // SAFETY: taking the counter made the slot the sender's, and it was made
        // for messages of this size. The system calls order the accesses.
        unsafe { self.slots[self.out].put(message) };
        self.tell(full)?;
        Ok(message.len())
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], wait: Wait<'_>) -> io::Result<usize> {
        let direction = 1 - self.out;
        let (full, empty) = raw(&self.signals[direction]);
        if let Err(e) = self.take(full, wait) {
            return or_end(Err(e));
        }
        // SAFETY: taking the counter made the slot the receiver's.
        let count = unsafe { self.slots[direction].take(into) };
        self.tell(empty)?;
        Ok(count)
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fds(&self) -> Vec<RawFd> {
        let mut all = vec![self.tether.fd()];
        for signals in &self.signals {
            let (full, empty) = raw(signals);
            all.extend([full, empty]);
        }
        all
    }

    fn settle(&mut self) -> io::Result<()> {
        self.memory.touch();
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        vec!["one slot of the message's size in each direction".to_owned()]
    }
}

impl Drop for EventfdEnd {
    fn drop(&mut self) {
        // Whoever drops a copy of an end that lives on in a child (`Partner`)
        // must not sound: only the side with the keeper does.
        if self.keeper.take().is_some() {
            self.over.store(true, Ordering::Release);
            self.signals.iter().for_each(Signals::sound);
        }
    }
}

#[inline]
fn raw(signals: &Signals) -> (RawFd, RawFd) {
    (signals.full.as_raw_fd(), signals.empty.as_raw_fd())
}

struct Eventfd;

impl Transport for Eventfd {
    type End = EventfdEnd;

    fn pair(options: &Options) -> Result<(EventfdEnd, EventfdEnd), SetupError> {
        super::futex::no_capacity(options)?;
        let span = Slot::span(options.message_bytes);
        let memory = Arc::new(Shared::for_pair(2 * span)?);
        let slot = |i| Slot::at(&memory, i * span, options.message_bytes);
        let signals = [one_way(options)?, one_way(options)?];
        let over = Arc::new(AtomicBool::new(false));
        let (here, there) = Tether::pair()?;
        let keeper = watch(&here, &signals, &over)?;
        let end = |out, tether, keeper| EventfdEnd {
            memory: Arc::clone(&memory),
            out,
            slots: [slot(0), slot(1)],
            signals: signals.clone(),
            over: Arc::clone(&over),
            keeper,
            tether,
            calls: 0,
        };
        Ok((end(0, here, Some(keeper)), end(1, there, None)))
    }
}

/// A read of an eventfd sleeps for ever where the other side has died.
fn watch(
    tether: &Tether,
    signals: &[Signals; 2],
    over: &Arc<AtomicBool>,
) -> Result<Keeper, SetupError> {
    let (signals, over) = (signals.clone(), Arc::clone(over));
    Keeper::watch(tether, move || {
        over.store(true, Ordering::Release);
        signals.iter().for_each(Signals::sound);
    })
}

/// The counters of an empty slot.
fn one_way(options: &Options) -> Result<Signals, SetupError> {
    let patient = !(options.alone || options.polling);
    let counter = |value| {
        let flags = libc::EFD_CLOEXEC | if patient { 0 } else { libc::EFD_NONBLOCK };
        // SAFETY: no pointers; the descriptor is new and ours.
        unsafe {
            match libc::eventfd(value, flags) {
                -1 => Err(refused(io::Error::last_os_error())),
                fd => Ok(Arc::new(OwnedFd::from_raw_fd(fd))),
            }
        }
    };
    Ok(Signals {
        full: counter(0)?,
        empty: counter(1)?,
    })
}

fn refused(cause: io::Error) -> SetupError {
    match cause.raw_os_error() {
        Some(libc::ENOSYS | libc::EPERM) => SetupError::skip(
            format!("cannot create an eventfd: {cause}"),
            "use a kernel with CONFIG_EVENTFD, outside a sandbox that forbids eventfd2",
        ),
        _ => SetupError::fail("create an eventfd", cause),
    }
}

pub static EXPERIMENT: Experiment = Experiment {
    toll: |card| figures::toll(card, "one slot and eventfd", "eventfd slot"),
    claims: &[
        Claim {
            text: "A streamed message takes its sender two calls",
            check: |table| claims::calls(table, true, "sender_calls", 2.0),
        },
        Claim {
            text: "A streamed message takes its receiver two calls",
            check: |table| claims::calls(table, true, "receiver_calls", 2.0),
        },
        claims::FLAT,
    ],
    ..super::through::<Eventfd>()
};

#[cfg(test)]
mod tests {
    use super::{Eventfd, refused};
    use crate::ipc::{death, trial};
    use std::io;

    #[test]
    fn a_sleeping_partner_is_let_go_at_once() {
        death::is_let_go::<Eventfd>(5000);
    }

    #[test]
    fn an_end_left_alone_gives_up() {
        trial::abandoned::<Eventfd>(5000);
    }

    #[test]
    fn a_kernel_without_it_is_skipped() {
        let of = |errno| refused(io::Error::from_raw_os_error(errno)).to_string();
        assert!(of(libc::ENOSYS).contains("CONFIG_EVENTFD"));
        assert!(of(libc::EMFILE).contains("cannot create an eventfd"));
    }
}
