//! One CPU's pages: in memory, or in an open file that is read a window at a time.
//!
//! Nothing is mapped. A file that another process shortens while it is mapped ends
//! the reader with SIGBUS, and one that is written over changes bytes that a
//! reference promises to stay as they are; neither can be prevented from here.
//! Bytes that were read are ours, what is missing is an error, and a large file
//! takes no more memory than its windows. A read of 256 KiB out of the page cache
//! costs what a few hundred events cost, and brings ten thousand.

use crate::error::{Result, TraceError};
use crate::width::index as as_index;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// What one CPU's window holds, unless there are so many CPUs that all of them
/// together would take more than `ALL_WINDOWS_BYTES`.
const WINDOW_BYTES: usize = 256 << 10;
const ALL_WINDOWS_BYTES: usize = 64 << 20;

/// One CPU's pages, one behind the other.
#[derive(Debug, Clone)]
pub struct CpuPages {
    /// Number of the CPU.
    pub cpu: u32,
    storage: Storage,
}

#[derive(Debug, Clone)]
enum Storage {
    File {
        file: Arc<File>,
        offset: u64,
        bytes: u64,
    },
    Owned(Arc<[u8]>),
}

impl CpuPages {
    /// Pages in memory.
    pub fn owned(cpu: u32, pages: Vec<u8>) -> CpuPages {
        CpuPages {
            cpu,
            storage: Storage::Owned(pages.into()),
        }
    }

    /// `bytes` from `offset` on of the file.
    pub fn of_file(cpu: u32, file: &Arc<File>, offset: u64, bytes: u64) -> CpuPages {
        CpuPages {
            cpu,
            storage: Storage::File {
                file: Arc::clone(file),
                offset,
                bytes,
            },
        }
    }

    /// As many as there should be.
    pub fn len_bytes(&self) -> u64 {
        match &self.storage {
            Storage::File { bytes, .. } => *bytes,
            Storage::Owned(pages) => pages.len() as u64,
        }
    }

    /// All of them at once.
    ///
    /// # Errors
    /// As reading the file; a file that has become shorter.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let length = usize::try_from(self.len_bytes()).unwrap_or(usize::MAX);
        let mut all = vec![0; length];
        self.read_at(0, &mut all)?;
        Ok(all)
    }

    /// Fills the buffer with what stands `at` bytes behind their begin.
    pub(crate) fn read_at(&self, at: u64, buffer: &mut [u8]) -> Result<()> {
        let wanted = buffer.len() as u64;
        let end = at.checked_add(wanted);
        if end.is_none_or(|end| end > self.len_bytes()) {
            let cause = format!("{wanted} bytes at {at} are beyond their end");
            return Err(TraceError::malformed(self.what(), cause));
        }
        match &self.storage {
            Storage::Owned(pages) => buffer.copy_from_slice(&pages[as_index(at)..][..buffer.len()]),
            Storage::File { file, offset, .. } => {
                let read = file.read_exact_at(buffer, offset.saturating_add(at));
                read.map_err(|error| TraceError::unread(self.what(), &error))?;
            }
        }
        Ok(())
    }

    fn what(&self) -> String {
        format!("the pages of CPU {}", self.cpu)
    }
}

/// Whole pages of one CPU that are held in memory.
#[derive(Debug, Clone)]
pub(crate) struct Window<'a> {
    pages: Pages<'a>,
    page_bytes: usize,
}

#[derive(Debug, Clone)]
enum Pages<'a> {
    /// All of them.
    Whole(&'a [u8]),
    /// From page `first` on.
    Part {
        of: &'a CpuPages,
        most: usize,
        first: u64,
        held: Vec<u8>,
    },
}

impl<'a> Window<'a> {
    /// All of these pages.
    pub fn whole(pages: &'a [u8], page_bytes: usize) -> Window<'a> {
        Window {
            pages: Pages::Whole(pages),
            page_bytes,
        }
    }

    /// One of `windows`, which share what memory there is for them.
    pub fn over(of: &'a CpuPages, page_bytes: usize, windows: usize) -> Window<'a> {
        if let Storage::Owned(pages) = &of.storage {
            return Window::whole(pages, page_bytes);
        }
        let room = WINDOW_BYTES.min(ALL_WINDOWS_BYTES / windows.max(1));
        Window {
            pages: Pages::Part {
                of,
                most: (room / page_bytes).max(1),
                first: 0,
                held: Vec::new(),
            },
            page_bytes,
        }
    }

    /// Bytes of a page.
    pub fn page_bytes(&self) -> usize {
        self.page_bytes
    }

    /// Of all pages, whether held or not.
    pub fn len_bytes(&self) -> u64 {
        match &self.pages {
            Pages::Whole(bytes) => bytes.len() as u64,
            Pages::Part { of, .. } => of.len_bytes(),
        }
    }

    /// How many whole pages there are.
    pub fn page_count(&self) -> u64 {
        self.len_bytes() / self.page_bytes as u64
    }

    /// What is held; `page` says where in it a page is.
    #[inline]
    pub fn held(&self) -> &[u8] {
        match &self.pages {
            Pages::Whole(bytes) => bytes,
            Pages::Part { held, .. } => held,
        }
    }

    /// Holds the whole page `index`, and says where in `held` it begins.
    pub fn page(&mut self, index: u64) -> Result<usize> {
        let size = self.page_bytes as u64;
        let count = self.page_count();
        let Pages::Part {
            of,
            most,
            first,
            held,
        } = &mut self.pages
        else {
            return Ok(as_index(index * size));
        };
        let has = (held.len() / self.page_bytes) as u64;
        if index < *first || index - *first >= has {
            let pages = (*most as u64).min(count.saturating_sub(index)).max(1);
            *first = index;
            held.resize(as_index(pages * size), 0);
            if let Err(error) = of.read_at(index * size, held) {
                held.clear();
                return Err(error);
            }
        }
        Ok(as_index((index - *first) * size))
    }

    /// The begin of page `index`, without holding it; None where it is not.
    pub fn peek<const N: usize>(&self, index: u64, at: usize) -> Option<[u8; N]> {
        let begin = index.checked_mul(self.page_bytes as u64)?;
        if index >= self.page_count() || at + N > self.page_bytes {
            return None;
        }
        let mut bytes = [0; N];
        match &self.pages {
            Pages::Whole(all) => {
                let begin = usize::try_from(begin).ok()? + at;
                bytes.copy_from_slice(all.get(begin..begin + N)?);
            }
            Pages::Part { of, .. } => of.read_at(begin + at as u64, &mut bytes).ok()?,
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL_WINDOWS_BYTES, CpuPages, Pages, WINDOW_BYTES, Window};
    use std::io::Write;
    use std::sync::Arc;

    const PAGE: usize = 64;

    /// So many pages, page i full of i, behind ten other bytes.
    fn of_file(pages: u8) -> CpuPages {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[0xee; 10]).unwrap();
        for page in 0..pages {
            file.write_all(&[page; PAGE]).unwrap();
        }
        CpuPages::of_file(3, &Arc::new(file), 10, u64::from(pages) * PAGE as u64)
    }

    fn small(of: &CpuPages, most: usize) -> Window<'_> {
        let mut window = Window::over(of, PAGE, 1);
        let Pages::Part { most: room, .. } = &mut window.pages else {
            panic!("a window over a file");
        };
        *room = most;
        window
    }

    #[test]
    fn every_page_is_found_whatever_is_held() {
        let of = of_file(7);
        for most in 1..9 {
            let mut window = small(&of, most);
            assert_eq!(window.page_count(), 7);
            for index in [0, 1, 2, 6, 5, 0, 3, 4] {
                let at = window.page(index).unwrap();
                assert_eq!(window.held()[at..at + PAGE], [index as u8; PAGE], "{most}");
                assert!(window.held().len() <= most * PAGE);
            }
            assert_eq!(window.peek::<2>(5, PAGE - 2), Some([5, 5]));
            assert_eq!(window.peek::<2>(5, PAGE - 1), None);
            assert_eq!(window.peek::<2>(7, 0), None);
            let error = window.page(7).unwrap_err().to_string();
            assert!(error.contains("CPU 3"), "{error}");
        }
    }

    #[test]
    fn many_windows_share_their_room() {
        let of = of_file(1);
        let room = |windows| match Window::over(&of, 4096, windows).pages {
            Pages::Part { most, .. } => most,
            Pages::Whole(_) => panic!("a window over a file"),
        };
        assert_eq!(room(1), WINDOW_BYTES / 4096);
        assert_eq!(room(256), WINDOW_BYTES / 4096);
        assert_eq!(room(1024), ALL_WINDOWS_BYTES / 1024 / 4096);
        assert_eq!(room(usize::MAX), 1);
        assert_eq!(room(0), WINDOW_BYTES / 4096);
    }
}
