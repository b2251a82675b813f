//! Emptying one CPU's ring into a file, page by page, until told to stop.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

/// Pages that go to the file at once.
const PAGES_AT_ONCE: usize = 64;
/// After so few pages the ring is as good as empty; kernels before 6.1 wake a
/// reader for a single event.
const FEW_PAGES: usize = 16;
const REST_MS: i32 = 10;
/// Nothing stays longer in the ring than this, so that a killed recording has
/// nearly everything in its spool.
const LONGEST_MS: i32 = 1000;

/// What all drains share with the one who started them.
#[derive(Debug)]
pub struct Shared {
    stop: OwnedFd,
    pub bytes: AtomicU64,
    /// A drain has ended early: its file cannot be written.
    pub failed: AtomicBool,
}

impl Shared {
    /// # Errors
    /// As eventfd(2).
    pub fn new() -> io::Result<Arc<Shared>> {
        // SAFETY: takes no memory of ours.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Arc::new(Shared {
            // SAFETY: just made, and owned by nobody else.
            stop: unsafe { OwnedFd::from_raw_fd(fd) },
            bytes: AtomicU64::new(0),
            failed: AtomicBool::new(false),
        }))
    }

    /// Drains take what is left and end. The ring must not grow any more.
    pub fn stop(&self) {
        let one = 1u64;
        // SAFETY: eight bytes of a live u64; an eventfd takes them whole.
        unsafe { libc::write(self.stop.as_raw_fd(), (&raw const one).cast(), 8) };
    }
}

struct Drain {
    ring: File,
    file: File,
    page_bytes: usize,
    buffer: Vec<u8>,
    shared: Arc<Shared>,
}

/// Starts a thread; it ends with the bytes that it has written.
///
/// # Errors
/// As opening the ring, creating the file, making a thread.
pub fn start(
    ring: &Path,
    file: &Path,
    page_bytes: u32,
    shared: &Arc<Shared>,
) -> io::Result<JoinHandle<io::Result<u64>>> {
    let ring = File::options()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(ring)?;
    let page_bytes = page_bytes as usize;
    let mut drain = Drain {
        ring,
        file: File::create(file)?,
        page_bytes,
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
        loop {
            let stopped = self.wait(LONGEST_MS, true)?;
            let bytes = self.empty()?;
            written += bytes;
            if stopped {
                return Ok(written);
            }
            if bytes < (FEW_PAGES * self.page_bytes) as u64 && self.wait(REST_MS, false)? {
                return Ok(written + self.empty()?);
            }
        }
    }

    /// True when it is time to stop.
    fn wait(&self, timeout_ms: i32, for_data: bool) -> io::Result<bool> {
        let entry = |fd: RawFd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        };
        let mut files = [
            entry(self.shared.stop.as_raw_fd()),
            entry(self.ring.as_raw_fd()),
        ];
        let count = if for_data { 2 } else { 1 };
        // SAFETY: the array is alive and has at least `count` entries.
        let found = unsafe { libc::poll(files.as_mut_ptr(), count, timeout_ms) };
        if found < 0 {
            let error = io::Error::last_os_error();
            return match error.kind() {
                io::ErrorKind::Interrupted => Ok(false),
                _ => Err(error),
            };
        }
        Ok(files[0].revents != 0)
    }

    fn empty(&mut self) -> io::Result<u64> {
        let mut total = 0;
        loop {
            let filled = self.fill()?;
            self.file.write_all(&self.buffer[..filled])?;
            total += filled as u64;
            self.shared
                .bytes
                .fetch_add(filled as u64, Ordering::Relaxed);
            if filled + self.page_bytes <= self.buffer.len() {
                return Ok(total);
            }
        }
    }

    /// Whole pages until the buffer is full or the ring empty. The kernel hands
    /// out one page a call.
    fn fill(&mut self) -> io::Result<usize> {
        let mut filled = 0;
        while filled + self.page_bytes <= self.buffer.len() {
            let page = &mut self.buffer[filled..filled + self.page_bytes];
            match self.ring.read(page) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{PAGE_BYTES, pages};
    use super::*;

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
        let thread = start(&ring, &file, 4096, &shared).unwrap();
        shared.stop();
        assert_eq!(thread.join().unwrap().unwrap(), bytes.len() as u64);
        assert_eq!(shared.bytes.load(Ordering::Relaxed), bytes.len() as u64);
        assert!(std::fs::read(&file).unwrap() == bytes);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let ring = folder.path().join("ring");
        std::fs::write(&ring, pages(0)).unwrap();
        let shared = Shared::new().unwrap();
        let full = Path::new("/dev/full");
        let thread = start(&ring, full, 4096, &shared).unwrap();
        assert!(thread.join().unwrap().is_err());
        assert!(shared.failed.load(Ordering::Acquire));
    }
}
