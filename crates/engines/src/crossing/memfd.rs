//! pread(2) and pwrite(2) on a file that lives in memory (memfd_create(2)):
//! the page cache without a disk behind it.

use super::{Direction, Way};
use crate::loops::flush::Flusher;
use crate::memory::buffer::{page_bytes, scatter};
use crate::memory::file::memory_file;
use harness::{Fault, SetupError};
use machine::tunable::{NR_HUGEPAGES, THP_SHMEM_ENABLED};
use machine::{Source, smaps};
use mapped::Map;
use record::axis::human_bytes;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;

/// Assumed where the kernel does not report it; right on x86-64 and on ARM with
/// 4 KiB pages.
const USUAL_HUGE_BYTES: usize = 2 << 20;

/// Which pages hold the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageBacking {
    /// Base pages.
    Base,
    /// Transparent huge pages of shared memory.
    Thp,
    /// Pages from the reserved pool. They can be read by pread; the kernel has
    /// no pwrite for them.
    Hugetlb,
}

impl PageBacking {
    /// Reads a word of the `path` axis: `pread_thp`, `pwrite`.
    pub fn from_word(path: &str) -> PageBacking {
        if path.ends_with("_thp") {
            PageBacking::Thp
        } else if path.ends_with("_hugetlb") {
            PageBacking::Hugetlb
        } else {
            PageBacking::Base
        }
    }
}

/// A memory file, filled, with its mapping.
#[derive(Debug)]
pub struct Memfd {
    direction: Direction,
    file: File,
    map: Map,
    note: String,
}

impl Memfd {
    /// A file of at least `bytes`, every page present.
    ///
    /// # Errors
    /// `Skip` when the pages of this kind cannot be had here.
    pub fn new(direction: Direction, bytes: usize, kind: PageBacking) -> Result<Memfd, SetupError> {
        let page = match kind {
            PageBacking::Base => page_bytes(),
            PageBacking::Thp | PageBacking::Hugetlb => huge_page_bytes(),
        };
        let whole = bytes.max(1).next_multiple_of(page);
        let file = create(kind, whole)?;
        let mut map = Map::of_file_aligned(whole, page, file.as_fd())
            .map_err(|cause| SetupError::fail("map the memory file", cause))?;
        let note = match kind {
            PageBacking::Base => {
                // Refused by kernels without huge pages, which is as good.
                // SAFETY: the word drops no contents.
                let _ = unsafe { map.advise(libc::MADV_NOHUGEPAGE) };
                fill(&mut map);
                format!("pages of {}", human_bytes(page as u64))
            }
            PageBacking::Thp => {
                fill_huge(&mut map)?;
                let all = human_bytes(whole as u64);
                format!("huge pages: {all} of {all}, transparent")
            }
            PageBacking::Hugetlb => {
                fill(&mut map);
                format!("huge pages of {} from the pool", human_bytes(page as u64))
            }
        };
        Ok(Memfd {
            direction,
            file,
            map,
            note,
        })
    }
}

fn contents(map: &mut Map) -> &mut [u8] {
    let (base, bytes) = (map.as_ptr(), map.bytes());
    // SAFETY: mapped for writing, and the file's other users are system calls made by
    // the owner of this map, never during this borrow.
    unsafe { std::slice::from_raw_parts_mut(base, bytes) }
}

fn fill(map: &mut Map) {
    let seed = map.bytes() as u64;
    scatter(contents(map), seed);
}

/// Asks for huge pages before the first touch, then, where the system's switch
/// forbids that, for the pages to be collapsed; looks at what came of it.
fn fill_huge(map: &mut Map) -> Result<(), SetupError> {
    // Either advice may be refused; the count below decides.
    // SAFETY: neither drops contents.
    let _ = unsafe { map.advise(libc::MADV_HUGEPAGE) };
    fill(map);
    if huge_bytes(map) < map.bytes() {
        // SAFETY: as above.
        let _ = unsafe { map.advise(libc::MADV_COLLAPSE) };
    }
    let (got, all) = (huge_bytes(map), map.bytes());
    if got == all {
        return Ok(());
    }
    Err(SetupError::skip(
        format!(
            "only {} of {} of the memory file are in huge pages",
            human_bytes(got as u64),
            human_bytes(all as u64)
        ),
        THP_SHMEM_ENABLED.set("advise"),
    ))
}

fn huge_bytes(map: &mut Map) -> usize {
    let at = map.as_ptr() as usize;
    let len = map.bytes();
    smaps::own()
        .and_then(|text| smaps::shmem_huge_bytes(&text, at, len))
        .unwrap_or(0)
}

fn create(kind: PageBacking, bytes: usize) -> Result<File, SetupError> {
    let flags = match kind {
        PageBacking::Hugetlb => libc::MFD_HUGETLB,
        PageBacking::Base | PageBacking::Thp => 0,
    };
    let file = memory_file(c"pontage", flags)
        .map_err(|cause| refused(kind, bytes, "create a memory file", &cause))?;
    let not_sized = |cause| refused(kind, bytes, "size the memory file", &cause);
    let length = libc::off_t::try_from(bytes).unwrap_or(libc::off_t::MAX);
    file.set_len(bytes as u64).map_err(not_sized)?;
    // Reserves pool pages now: without, the first touch of a missing page would
    // end the process.
    if kind == PageBacking::Hugetlb
        // SAFETY: allocates inside our own file.
        && unsafe { libc::fallocate(file.as_raw_fd(), 0, 0, length) } != 0
    {
        return Err(not_sized(io::Error::last_os_error()));
    }
    Ok(file)
}

fn refused(kind: PageBacking, bytes: usize, doing: &str, cause: &io::Error) -> SetupError {
    if kind != PageBacking::Hugetlb {
        return SetupError::fail(doing, cause);
    }
    SetupError::skip(
        format!(
            "the pool has no huge pages for {}: {cause}",
            human_bytes(bytes as u64)
        ),
        NR_HUGEPAGES.set(bytes / huge_page_bytes()),
    )
}

/// The default huge page, bytes.
fn huge_page_bytes() -> usize {
    let known = machine::memory::read(&Source::new(Path::new("/"))).default_huge_page_bytes;
    known
        .and_then(|bytes| usize::try_from(bytes).ok())
        .filter(|bytes| bytes.is_power_of_two())
        .unwrap_or(USUAL_HUGE_BYTES)
}

impl Way for Memfd {
    unsafe fn cross(&mut self, user: *mut u8, len: usize) -> isize {
        let fd = self.file.as_raw_fd();
        // SAFETY: the caller's buffer holds `len` bytes.
        unsafe {
            match self.direction {
                Direction::ToUser => libc::pread(fd, user.cast(), len, 0),
                Direction::FromUser => libc::pwrite(fd, user.cast(), len, 0),
            }
        }
    }

    fn chill(&self, flusher: &Flusher, len: usize) {
        // SAFETY: the mapping is at least as long as the file's part in use.
        unsafe { flusher.flush(self.map.as_ptr(), len) };
    }

    fn other_side(&mut self, len: usize) -> Result<Vec<u8>, Fault> {
        Ok(contents(&mut self.map)[..len].to_vec())
    }

    fn notes(&self) -> Vec<String> {
        vec![self.note.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::PageBacking;

    #[test]
    fn words_name_the_pages() {
        assert_eq!(PageBacking::from_word("pread"), PageBacking::Base);
        assert_eq!(PageBacking::from_word("pwrite_thp"), PageBacking::Thp);
        assert_eq!(
            PageBacking::from_word("pread_hugetlb"),
            PageBacking::Hugetlb
        );
    }
}
