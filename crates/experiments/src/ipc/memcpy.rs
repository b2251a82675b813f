//! # ipc/memcpy - Handing bytes over to oneself
//!
//! What does a message cost when one thread copies it to a place in between and
//! from there to where it shall go: the floor under all transports?
//!
//! ## Counts
//! Two copies of the message by memcpy, in and out, by the same thread; the
//! batch's time divided by its messages. The same two calls of the engine that
//! every other transport pays for each message.
//!
//! ## Does not count
//! A second task, sleep, a system call: there is none. Bytes are counted once,
//! though they are copied twice.
//!
//! ## Origin
//! The memcpy column next to the transports in `ipc-benchmark` and lmbench
//! (`bw_mem cp`). `copy/memcpy` measures one such copy, hot and cold.
//!
//! ## Theory
//! A transport that copies twice cannot be faster than this on one CPU: what it
//! takes beyond is the price of crossing (the system call, the queue, the other
//! task). With two CPUs it can, for one copies in while the other copies out;
//! but then each line travels between their caches, and the sum of both bandwidths
//! is out of reach. The curve has the shoulders of the caches: message, middle
//! and target together leave the first-level cache at a third of its size. A
//! pipe at 4 KiB next to this row shows what a copy by the kernel costs in addition to
//! a copy.

use catalogue::{Claim, Experiment, Grid, KIB, MIB, Preset, doubling, toll_row};
use engines::transport::shared::Shared;
use engines::transport::{End, Options, Transport, Wait, claims, figures};
use harness::SetupError;
use record::{TollGroup, TollHead};
use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One end of a slot in between, for one thread.
#[derive(Debug)]
pub struct MemcpyEnd {
    memory: Arc<Shared>,
    /// Bytes in the slot; the other end empties it.
    filled: Arc<AtomicUsize>,
}

impl End for MemcpyEnd {
    #[inline]
    fn send(&mut self, message: &[u8], _wait: Wait<'_>) -> io::Result<usize> {
        if self.filled.load(Ordering::Relaxed) != 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = message.len().min(self.memory.bytes());
        // SAFETY: the slot is so large, and both ends are in this thread.
        unsafe { std::ptr::copy_nonoverlapping(message.as_ptr(), self.memory.base(), count) };
        self.filled.store(count, Ordering::Relaxed);
        Ok(count)
    }

    #[inline]
    fn receive(&mut self, into: &mut [u8], _wait: Wait<'_>) -> io::Result<usize> {
        let count = self.filled.load(Ordering::Relaxed).min(into.len());
        if count == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        // SAFETY: as in `send`.
        unsafe { std::ptr::copy_nonoverlapping(self.memory.base(), into.as_mut_ptr(), count) };
        self.filled.store(0, Ordering::Relaxed);
        Ok(count)
    }

    fn calls(&self) -> u64 {
        0
    }

    fn fds(&self) -> Vec<RawFd> {
        Vec::new()
    }

    fn settle(&mut self) -> io::Result<()> {
        self.memory.touch();
        Ok(())
    }
}

struct Memcpy;

impl Transport for Memcpy {
    type End = MemcpyEnd;

    fn pair(options: &Options) -> Result<(MemcpyEnd, MemcpyEnd), SetupError> {
        if !options.alone {
            return Err(SetupError::skip(
                "one thread copies to itself: there is no partner; for a shared ring see \
                 ipc/shm_ring",
                "--axis mode=1thread --axis pattern=stream --axis placement=same_cpu",
            ));
        }
        let memory = Arc::new(Shared::for_pair(options.message_bytes)?);
        let filled = Arc::new(AtomicUsize::new(0));
        let end = || MemcpyEnd {
            memory: Arc::clone(&memory),
            filled: Arc::clone(&filled),
        };
        Ok((end(), end()))
    }
}

fn grids(preset: Preset) -> Vec<Grid> {
    let (budget_ms, sizes): (u64, Vec<i64>) = match preset {
        Preset::Quick => (25, vec![1, 64, 4 * KIB, 64 * KIB, MIB, 16 * MIB]),
        Preset::Full => (200, doubling(1, 16 * MIB).collect()),
    };
    vec![
        Grid::new(budget_ms)
            .ints("size", sizes)
            .words("pattern", &["stream"])
            .words("mode", &["1thread"])
            .words("placement", &["same_cpu"])
            .words("partner", &["idle"])
            .ints("buffer", [0])
            .ints("total", [0]),
    ]
}

pub static EXPERIMENT: Experiment = Experiment {
    grids: |preset, _| grids(preset),
    figures: || figures::figures().into_iter().take(1).collect(),
    // Of one thread, for there is no other.
    toll: |_| {
        let label = "memcpy in and out, one thread";
        vec![TollHead {
            group: Some(TollGroup::Tasks),
            way: "floor: one thread".to_owned(),
            condition: "one thread".to_owned(),
            ..toll_row(label, &[("mode", "1thread")])
        }]
    },
    claims: &[Claim {
        text: "A byte of a message of 16 MiB costs more than a byte of one of 4 KiB",
        check: claims::largest_byte_costs_more,
    }],
    findings: |_, _| Vec::new(),
    ..super::through::<Memcpy>()
};

#[cfg(test)]
mod tests {
    use super::EXPERIMENT;
    use crate::ipc::trial;

    #[test]
    fn two_tasks_are_skipped() {
        trial::skipped(&EXPERIMENT, 64, 0, "--axis mode=1thread");
    }
}
