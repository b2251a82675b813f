//! Emptying one CPU's ring into a file, page by page, until asked to stop.

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use trace::format::PageLayout;

/// Pages that go to the file at once.
const PAGES_AT_ONCE: usize = 64;
/// Bits of a page's second word that count the bytes in use.
const IN_USE: u64 = (1 << 27) - 1;
/// Kernels before 6.1 wake a reader for every event: one that was woken so
/// often in a row, for a page at most, rests. Others wake it at the watermark.
const POOR_ROUNDS: u32 = 8;
const REST: Duration = Duration::from_millis(10);
/// Nothing stays longer in the ring than this, so that a killed recording has
/// nearly everything in its spool.
const LONGEST: Duration = Duration::from_secs(1);

/// What all drains share with the one who started them.
#[derive(Debug)]
pub struct Shared {
    stop: OwnedFd,
    /// Written so far, for who watches; Relaxed, as each drain's result is exact.
    pub bytes: AtomicU64,
    /// A drain has ended early: its file cannot be written.
    pub failed: AtomicBool,
}

impl Shared {
    /// # Errors
    /// As eventfd(2).
    pub fn new() -> io::Result<Arc<Shared>> {
        Ok(Arc::new(Shared {
            stop: eventfd(0, EventfdFlags::CLOEXEC)?,
            bytes: AtomicU64::new(0),
            failed: AtomicBool::new(false),
        }))
    }

    /// Drains take what is left and end. The ring must not grow any more.
    pub fn stop(&self) {
        // A count of 1 fits: nobody else writes to it.
        let _ = rustix::io::write(&self.stop, &1u64.to_ne_bytes());
    }
}

/// What is known of every ring of an instance.
#[derive(Debug, Clone, Copy)]
pub struct Rings {
    pub page_bytes: u32,
    pub layout: PageLayout,
}

struct Drain {
    ring: File,
    file: File,
    page_bytes: usize,
    layout: PageLayout,
    buffer: Vec<u8>,
    shared: Arc<Shared>,
}

/// Starts a thread; it ends with the bytes that it has written.
///
/// # Errors
/// As opening the ring, making a thread.
pub fn start(
    ring: &Path,
    file: File,
    rings: Rings,
    shared: &Arc<Shared>,
) -> io::Result<JoinHandle<io::Result<u64>>> {
    let ring = File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(ring)?;
    let page_bytes = rings.page_bytes as usize;
    let mut drain = Drain {
        ring,
        file,
        page_bytes,
        layout: rings.layout,
        buffer: vec![0; PAGES_AT_ONCE * page_bytes],
        shared: Arc::clone(shared),
    };
    std::thread::Builder::new()
        .name("pontage-drain".to_owned())
        .spawn(move || {
            let ended = drain.run();
            if ended.is_err() {
                drain.shared.failed.store(true, Ordering::Release);
            }
            ended
        })
}

impl Drain {
    fn run(&mut self) -> io::Result<u64> {
        let mut written = 0;
        let mut poor_rounds = 0;
        loop {
            let mut stopped = self.wait(LONGEST, true)?;
            let bytes = self.empty(stopped)?;
            written += bytes;
            poor_rounds = match bytes <= self.page_bytes as u64 {
                true => poor_rounds + 1,
                false => 0,
            };
            if !stopped && poor_rounds > POOR_ROUNDS {
                stopped = self.wait(REST, false)?;
                written += if stopped { self.empty(true)? } else { 0 };
            }
            if stopped {
                return Ok(written);
            }
        }
    }

    /// True when it is time to stop.
    fn wait(&self, timeout: Duration, for_data: bool) -> io::Result<bool> {
        let mut files = [
            PollFd::new(&self.shared.stop, PollFlags::IN),
            PollFd::new(&self.ring, PollFlags::IN),
        ];
        let count = if for_data { 2 } else { 1 };
        let timeout = Timespec::try_from(timeout).unwrap_or_default();
        match poll(&mut files[..count], Some(&timeout)) {
            Ok(_) => Ok(!files[0].revents().is_empty()),
            Err(Errno::INTR) => Ok(false),
            Err(cause) => Err(cause.into()),
        }
    }

    /// To the last event, or until the page that is just being written is
    /// reached: to follow it event by event would take a page for each of them.
    fn empty(&mut self, to_the_last: bool) -> io::Result<u64> {
        let mut total = 0;
        loop {
            let (filled, reached) = self.fill(to_the_last)?;
            self.file.write_all(&self.buffer[..filled])?;
            total += filled as u64;
            self.shared
                .bytes
                .fetch_add(filled as u64, Ordering::Relaxed);
            if reached {
                return Ok(total);
            }
        }
    }

    /// Whole pages until the buffer is full, or (true) there are no more. The
    /// kernel hands out one page a call.
    fn fill(&mut self, to_the_last: bool) -> io::Result<(usize, bool)> {
        let mut filled = 0;
        while filled + self.page_bytes <= self.buffer.len() {
            let page = &mut self.buffer[filled..filled + self.page_bytes];
            match self.ring.read(page) {
                Ok(0) => return Ok((filled, true)),
                Ok(count) => filled += count,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok((filled, true)),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            }
            let page = filled.saturating_sub(self.page_bytes)..filled;
            if !to_the_last && self.is_half_empty(&self.buffer[page]) {
                return Ok((filled, true));
            }
        }
        Ok((filled, false))
    }

    /// A page that is done is nearly full.
    fn is_half_empty(&self, page: &[u8]) -> bool {
        let at = self.layout.commit_at;
        let word = match (self.layout.commit_bytes, page.get(at..at + 8)) {
            (8, Some(word)) => word.try_into().map_or(0, u64::from_ne_bytes),
            (_, Some(word)) => word[..4]
                .try_into()
                .map_or(0, |w| u64::from(u32::from_ne_bytes(w))),
            (_, None) => 0,
        };
        (word & IN_USE) < (self.page_bytes / 2) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{PAGE_BYTES, pages};
    use super::*;

    const RINGS: Rings = Rings {
        page_bytes: 4096,
        layout: PageLayout {
            stamp_at: 0,
            commit_at: 8,
            commit_bytes: 8,
            data_at: 16,
        },
    };

    #[test]
    fn every_page_arrives_whole_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let (ring, file) = (folder.path().join("ring"), folder.path().join("file"));
        let mut bytes = Vec::new();
        for cpu in 0..100 {
            bytes.extend(pages(cpu));
        }
        assert!(bytes.len() > 2 * PAGES_AT_ONCE * PAGE_BYTES);
        std::fs::write(&ring, &bytes).unwrap();
        let shared = Shared::new().unwrap();
        let to = File::create(&file).unwrap();
        let thread = start(&ring, to, RINGS, &shared).unwrap();
        shared.stop();
        assert_eq!(thread.join().unwrap().unwrap(), bytes.len() as u64);
        assert_eq!(shared.bytes.load(Ordering::Relaxed), bytes.len() as u64);
        assert!(std::fs::read(&file).unwrap() == bytes);
    }

    #[test]
    fn a_page_that_is_being_written_ends_a_round_but_not_the_last_one() {
        let folder = tempfile::tempdir().unwrap();
        let ring = folder.path().join("ring");
        // A page with one short event, and two more behind it.
        std::fs::write(&ring, pages(0)).unwrap();
        let mut drain = Drain {
            ring: File::open(&ring).unwrap(),
            file: File::create(folder.path().join("file")).unwrap(),
            page_bytes: PAGE_BYTES,
            layout: RINGS.layout,
            buffer: vec![0; PAGES_AT_ONCE * PAGE_BYTES],
            shared: Shared::new().unwrap(),
        };
        let page = PAGE_BYTES as u64;
        assert_eq!(drain.empty(false).unwrap(), page);
        assert_eq!(drain.empty(true).unwrap(), 2 * page);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let ring = folder.path().join("ring");
        std::fs::write(&ring, pages(0)).unwrap();
        let shared = Shared::new().unwrap();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let thread = start(&ring, full, RINGS, &shared).unwrap();
        assert!(thread.join().unwrap().is_err());
        assert!(shared.failed.load(Ordering::Acquire));
    }
}
