//! When a task had its CPU, seen from inside it: it looks at the clock again and
//! again, and where a look comes late and the kernel has counted a switch, the
//! task was away. Needs no tracing and no right; a switch shorter than `GAP_NS`
//! or than the time between two looks is not seen.

use crate::clock::monotonic_now_ns;
use mapped::Map;
use probe::thread_usage::ThreadUsage;
use std::io;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

/// A look that is later than this asks the kernel whether there was a switch.
/// Far below the shortest slice of any scheduler, above most interrupts.
pub const GAP_NS: u64 = 5_000;

/// A stretch on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Slice {
    /// CLOCK_MONOTONIC.
    pub began_ns: u64,
    pub ended_ns: u64,
    /// 1: it went to sleep (a voluntary switch); 0: the CPU was taken from it.
    pub blocked: u64,
    /// Behind the last slice: its end is that of the watch, not of the slice.
    pub cut: u64,
}

/// Memory in which a child process leaves its slices for its parent.
#[derive(Debug)]
pub struct SliceLog {
    map: Map,
    capacity: usize,
}

#[repr(C)]
struct Board {
    count: AtomicU32,
    /// There was no room for these.
    dropped: AtomicU32,
    /// Late looks without a switch: interrupts, stolen time.
    interruptions: AtomicU64,
    interrupted_ns: AtomicU64,
    /// What the child could not do: an errno.
    failed: AtomicI32,
}

impl SliceLog {
    /// Shared with children that are forked from now on.
    ///
    /// # Errors
    /// What mmap says.
    pub fn map(capacity: usize) -> io::Result<SliceLog> {
        // Of zeros, which are a valid board and valid slices.
        let map = Map::shared(bytes(capacity))?;
        Ok(SliceLog { map, capacity })
    }

    fn board(&self) -> &Board {
        // SAFETY: mapped until drop; only atomics are in it.
        unsafe { self.map.base().cast().as_ref() }
    }

    fn slot(&self, at: usize) -> *mut Slice {
        debug_assert!(at < self.capacity);
        // SAFETY: the mapping has room for `capacity` slices behind the board.
        unsafe {
            self.map
                .as_ptr()
                .cast::<Board>()
                .add(1)
                .cast::<Slice>()
                .add(at)
        }
    }

    /// What the child has left; to be read when it is gone or has ended.
    pub fn taken(&self) -> Vec<Slice> {
        let count = self.board().count.load(Ordering::Acquire) as usize;
        let slots = 0..count.min(self.capacity);
        // SAFETY: written before the count was raised over them.
        slots.map(|at| unsafe { self.slot(at).read() }).collect()
    }

    /// Slices for which there was no room.
    pub fn dropped(&self) -> u32 {
        self.board().dropped.load(Ordering::Acquire)
    }

    /// Late looks without a switch, and their time together, ns.
    pub fn interruptions(&self) -> (u64, u64) {
        let board = self.board();
        let count = board.interruptions.load(Ordering::Acquire);
        (count, board.interrupted_ns.load(Ordering::Acquire))
    }

    /// For the child: reports to the parent what failed.
    pub fn fail(&self, cause: &io::Error) {
        let errno = cause.raw_os_error().unwrap_or(libc::EIO);
        self.board().failed.store(errno, Ordering::Release);
    }

    /// For the parent: the failure that the child reported.
    pub fn failure(&self) -> Option<io::Error> {
        match self.board().failed.load(Ordering::Acquire) {
            0 => None,
            errno => Some(io::Error::from_raw_os_error(errno)),
        }
    }

    /// Begins to watch the calling thread. Allocates nothing.
    pub fn watch(&self) -> Watch<'_> {
        let usage = ThreadUsage::now();
        let now_ns = monotonic_now_ns();
        Watch {
            log: self,
            began_ns: now_ns,
            last_ns: now_ns,
            usage,
        }
    }

    fn keep(&self, slice: Slice) {
        let board = self.board();
        let count = board.count.load(Ordering::Relaxed);
        let at = count as usize;
        if at >= self.capacity {
            board.dropped.fetch_add(1, Ordering::Release);
            return;
        }
        // SAFETY: one child writes, and nobody reads over the count.
        unsafe { self.slot(at).write(slice) };
        // Release: who sees the new count sees the slice below it.
        board.count.store(count + 1, Ordering::Release);
    }
}

// SAFETY: the memory is not bound to a thread; what is in it is atomic or read
// only below a count that was raised after it was written.
unsafe impl Send for SliceLog {}
// SAFETY: as above.
unsafe impl Sync for SliceLog {}

fn bytes(capacity: usize) -> usize {
    size_of::<Board>() + capacity * size_of::<Slice>()
}

/// The watch over one thread.
#[derive(Debug)]
pub struct Watch<'a> {
    log: &'a SliceLog,
    /// Of the slice.
    began_ns: u64,
    /// The last look.
    last_ns: u64,
    /// At the begin of the slice.
    usage: ThreadUsage,
}

impl Watch<'_> {
    /// Looks; the time now, CLOCK_MONOTONIC. To be called far more often than
    /// slices end.
    #[inline]
    pub fn look(&mut self) -> u64 {
        let now_ns = monotonic_now_ns();
        self.last_ns = match now_ns.saturating_sub(self.last_ns) >= GAP_NS {
            true => self.late(now_ns),
            false => now_ns,
        };
        self.last_ns
    }

    /// The time when the thread is on its CPU again.
    #[cold]
    fn late(&mut self, now_ns: u64) -> u64 {
        let (usage, now_ns) = settled(now_ns);
        let since = usage.since(&self.usage);
        if since.voluntary_switches + since.involuntary_switches == 0 {
            let board = self.log.board();
            // Relaxed: sums that the parent reads after the child has ended.
            board.interruptions.fetch_add(1, Ordering::Relaxed);
            let away_ns = now_ns - self.last_ns;
            board.interrupted_ns.fetch_add(away_ns, Ordering::Relaxed);
            return now_ns;
        }
        self.log.keep(Slice {
            began_ns: self.began_ns,
            ended_ns: self.last_ns,
            blocked: u64::from(since.voluntary_switches > 0),
            cut: 0,
        });
        (self.began_ns, self.usage) = (now_ns, usage);
        now_ns
    }

    /// Ends the watch; the slice under way is kept as cut.
    pub fn end(self) {
        self.log.keep(Slice {
            began_ns: self.began_ns,
            ended_ns: self.last_ns,
            blocked: 0,
            cut: 1,
        });
    }
}

/// The counts of switches, and a moment that belongs to them: the CPU may be taken
/// away while they are read, and that gap would be of neither slice.
fn settled(mut from_ns: u64) -> (ThreadUsage, u64) {
    loop {
        let usage = ThreadUsage::now();
        let now_ns = monotonic_now_ns();
        if now_ns.saturating_sub(from_ns) < GAP_NS {
            return (usage, now_ns);
        }
        from_ns = now_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::SliceLog;
    use std::time::Duration;

    #[test]
    fn going_to_sleep_ends_a_slice() {
        let log = SliceLog::map(8).unwrap();
        let mut watch = log.watch();
        for _ in 0..2 {
            watch.look();
            std::thread::sleep(Duration::from_millis(2));
            watch.look();
        }
        watch.end();
        let slices = log.taken();
        let whole: Vec<_> = slices.iter().filter(|s| s.cut == 0).collect();
        assert!(whole.len() >= 2, "{slices:?}");
        assert!(
            whole.iter().filter(|s| s.blocked == 1).count() >= 2,
            "{slices:?}"
        );
        assert!(slices.windows(2).all(|w| w[0].ended_ns < w[1].began_ns));
        assert_eq!(slices.last().map(|s| s.cut), Some(1));
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let log = SliceLog::map(1).unwrap();
        log.watch().end();
        log.watch().end();
        assert_eq!((log.taken().len(), log.dropped()), (1, 1));
    }
}
