//! Memory to be written persistently: a mapping, and the file behind it where
//! there is one.

use super::medium::{Medium, free_bytes};
use super::method::Place;
use crate::memory::mapping::{base_page_bytes, fits};
use crate::scratch::FILL;
use harness::{Context, Point, SetupError};
use record::axis::human_bytes;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::ptr::NonNull;

/// Larger than most caches, so that blocks are seldom in one.
const REGION_BYTES: usize = 64 << 20;

/// Behind the page cache the region's size shows in no call, and its pages are
/// written back before each batch.
const CACHED_BYTES: usize = 16 << 20;

/// Share of the free space that one region may take: the points of a block
/// have one each.
const SPACE_SHARE: u64 = 16;

/// Fewest blocks in a region.
const FEWEST_BLOCKS: usize = 4;

/// What to do where the scratch folder is not on DAX.
pub const DAX_REMEDY: &str = "name a DAX file system's folder: TMPDIR=/mnt/pmem pontage run \
    'persist/*' --full; to try it, boot with memmap=2G!4G, then: sudo mkfs.ext4 /dev/pmem0 && \
    sudo mount -o dax /dev/pmem0 /mnt/pmem && sudo chmod 1777 /mnt/pmem";

/// How a mapping of a DAX file is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// MAP_SHARED: what the file system noted of the blocks may come later.
    Plain,
    /// MAP_SYNC: a page that can be written is known to the file system.
    Sync,
}

/// A mapping of whole pages, all of them there, unmapped on drop.
#[derive(Debug)]
pub struct Region {
    base: NonNull<u8>,
    bytes: usize,
    file: Option<File>,
    /// Removed on drop.
    path: Option<PathBuf>,
    note: String,
}

impl Region {
    /// A region of `place` that holds blocks of `block_bytes`.
    ///
    /// # Errors
    /// `Skip` where the place does not exist here or has no room, `Fail` where
    /// the kernel refuses an ordinary request.
    pub fn open(
        place: Place,
        promise: Promise,
        block_bytes: usize,
        point: &Point,
        context: &Context,
    ) -> Result<Region, SetupError> {
        match place {
            Place::Anonymous => Region::anonymous(roomy(REGION_BYTES, block_bytes)?, context),
            Place::Tmpfs => Region::memory_file(roomy(REGION_BYTES, block_bytes)?, context),
            Place::File | Place::Dax => {
                Region::scratch_file(place, promise, block_bytes, point, context)
            }
        }
    }

    /// First byte; a page starts here.
    #[must_use]
    pub fn base(&self) -> *mut u8 {
        self.base.as_ptr()
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    #[must_use]
    pub fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// The file once more, with further flags of open(2).
    ///
    /// # Errors
    /// `Skip` where the file system refuses the flags.
    pub fn reopen(&self, flags: i32, what: &str) -> Result<File, SetupError> {
        let path = self
            .path
            .as_ref()
            .ok_or_else(|| SetupError::fail("open the file once more", "it has no name"))?;
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(flags)
            .open(path);
        opened.map_err(|e| {
            SetupError::skip(
                format!("the file system of the scratch folder refuses {what}: {e}"),
                "choose another one: TMPDIR=/var/tmp pontage run 'persist/*' --full",
            )
        })
    }

    /// What was obtained, for the notes of a point.
    #[must_use]
    pub fn note(&self) -> &str {
        &self.note
    }

    fn anonymous(bytes: usize, context: &Context) -> Result<Region, SetupError> {
        fits(bytes, context)?;
        let base = map(bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, None)
            .map_err(|e| SetupError::fail("map memory", e))?;
        // SAFETY: our own mapping; a kernel without huge pages refuses, and gives
        // none either.
        unsafe { libc::madvise(base.as_ptr().cast(), bytes, libc::MADV_NOHUGEPAGE) };
        let note = "anonymous memory: nothing here persists; what is measured is the way to memory";
        Ok(Region::touched(base, bytes, None, None, note.to_owned()))
    }

    fn memory_file(bytes: usize, context: &Context) -> Result<Region, SetupError> {
        fits(bytes, context)?;
        let fail = |e| SetupError::fail("make a memory file", e);
        // SAFETY: the name ends with NUL; the descriptor belongs to nobody else.
        let file = unsafe {
            let fd = libc::memfd_create(c"pontage-persist".as_ptr(), libc::MFD_CLOEXEC);
            if fd < 0 {
                return Err(fail(io::Error::last_os_error()));
            }
            File::from_raw_fd(fd)
        };
        file.set_len(bytes as u64).map_err(fail)?;
        let base = map(bytes, libc::MAP_SHARED, Some(&file)).map_err(fail)?;
        let note = "tmpfs: no persistence, there is no medium behind it";
        Ok(Region::touched(
            base,
            bytes,
            Some(file),
            None,
            note.to_owned(),
        ))
    }

    fn scratch_file(
        place: Place,
        promise: Promise,
        block_bytes: usize,
        point: &Point,
        context: &Context,
    ) -> Result<Region, SetupError> {
        let scratch = &context.scratch;
        let medium = Medium::of(scratch)
            .map_err(|e| SetupError::fail(&format!("look at {}", scratch.display()), e))?;
        if medium.is_memory() {
            return Err(match place {
                Place::Dax => no_dax(&medium),
                _ => SetupError::skip(
                    format!(
                        "the scratch folder is on {}, where nothing persists",
                        medium.file_system
                    ),
                    "put it on a disk: TMPDIR=/var/tmp pontage run 'persist/*' --full",
                ),
            });
        }
        let free = free_bytes(scratch)
            .map_err(|e| SetupError::fail("ask for the free space of the scratch folder", e))?;
        let most = if place == Place::Dax {
            REGION_BYTES
        } else {
            CACHED_BYTES
        };
        let share = usize::try_from(free / SPACE_SHARE).unwrap_or(usize::MAX);
        let bytes = roomy(most.min(previous_power_of_two(share)), block_bytes)?;
        let name = format!(
            "{}-{}-{}",
            point.experiment.replace('/', "-"),
            point.index,
            std::process::id()
        );
        let path = scratch.join(name);
        let fail = |e| SetupError::fail(&format!("write {}", path.display()), e);
        let file = filled(&path, bytes).map_err(fail);
        // The file goes with the region, also where making that one fails.
        let mut region = Region {
            base: NonNull::dangling(),
            bytes: 0,
            file: None,
            path: Some(path.clone()),
            note: String::new(),
        };
        let file = file?;
        let synchronous = map(
            bytes,
            libc::MAP_SHARED_VALIDATE | libc::MAP_SYNC,
            Some(&file),
        );
        let (base, kind) = match (place, promise, synchronous) {
            (Place::Dax, _, Err(_)) => return Err(no_dax(&medium)),
            (Place::Dax, Promise::Sync, Ok(base)) => (base, "DAX, mapped with MAP_SYNC"),
            (Place::Dax, Promise::Plain, Ok(base)) => {
                unmap(base, bytes);
                (plain(bytes, &file)?, "DAX, mapped without MAP_SYNC")
            }
            (_, _, Ok(base)) => {
                unmap(base, bytes);
                return Err(SetupError::skip(
                    "the scratch folder is on DAX, where files have no page cache",
                    "put it on a disk: TMPDIR=/var/tmp pontage run 'persist/*' --full",
                ));
            }
            (_, _, Err(_)) => (plain(bytes, &file)?, "through the page cache, no DAX"),
        };
        region.note = format!("{}; {kind}", medium.describe());
        (region.base, region.bytes, region.file) = (base, bytes, Some(file));
        // Behind the synchronising, which takes away the right to write to a page:
        // only calls are to pay for getting it back.
        region.touch();
        Ok(region)
    }

    fn touched(
        base: NonNull<u8>,
        bytes: usize,
        file: Option<File>,
        path: Option<PathBuf>,
        note: String,
    ) -> Region {
        let mut region = Region {
            base,
            bytes,
            file,
            path,
            note,
        };
        region.touch();
        region
    }

    /// Writes into each page, so that all of them are there and mapped.
    fn touch(&mut self) {
        // All at once where the kernel can (Linux 5.14); the loop sees to the rest.
        // SAFETY: our own writable mapping, of which no content counts yet.
        unsafe {
            let at = self.base.as_ptr().cast();
            libc::madvise(at, self.bytes, libc::MADV_POPULATE_WRITE)
        };
        for offset in (0..self.bytes).step_by(base_page_bytes()) {
            // SAFETY: offset < bytes of our own writable mapping.
            unsafe { self.base.as_ptr().add(offset).write_volatile(FILL) };
        }
    }

    /// Brings all that is dirty to the medium; nothing where there is none.
    ///
    /// # Errors
    /// What fdatasync says.
    pub fn sync(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), File::sync_data)
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if self.bytes > 0 {
            unmap(self.base, self.bytes);
        }
        if let Some(path) = &self.path {
            // A scratch file; the folder goes as well.
            let _ = fs::remove_file(path);
        }
    }
}

fn no_dax(medium: &Medium) -> SetupError {
    SetupError::skip(
        format!(
            "the scratch folder is on {}, which is not DAX",
            medium.file_system
        ),
        DAX_REMEDY,
    )
}

/// A region that holds some blocks.
fn roomy(bytes: usize, block_bytes: usize) -> Result<usize, SetupError> {
    let page = base_page_bytes();
    if block_bytes == 0
        || (!page.is_multiple_of(block_bytes) && !block_bytes.is_multiple_of(page))
        || !block_bytes.is_multiple_of(64)
    {
        return Err(SetupError::skip(
            format!("a block of {block_bytes} B is neither a whole part of a page nor whole pages"),
            "choose powers of two from 64 B on: --axis size=64..1MiB",
        ));
    }
    if bytes / FEWEST_BLOCKS < block_bytes {
        return Err(SetupError::skip(
            format!(
                "a region of {} is too small for blocks of {}",
                human_bytes(bytes as u64),
                human_bytes(block_bytes as u64)
            ),
            "free some space, or choose smaller blocks: --axis size=64..64KiB",
        ));
    }
    Ok(bytes)
}

fn previous_power_of_two(bytes: usize) -> usize {
    bytes.checked_ilog2().map_or(0, |power| 1 << power)
}

/// A new file with all its blocks written and known to the medium: the timed
/// part allocates none.
pub fn filled(path: &std::path::Path, bytes: usize) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)?;
    let piece = vec![FILL; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        let now = left.min(piece.len());
        file.write_all(&piece[..now])?;
        left -= now;
    }
    file.sync_all()?;
    Ok(file)
}

fn plain(bytes: usize, file: &File) -> Result<NonNull<u8>, SetupError> {
    map(bytes, libc::MAP_SHARED, Some(file))
        .map_err(|e| SetupError::fail("map the scratch file", e))
}

pub fn map(bytes: usize, flags: i32, file: Option<&File>) -> io::Result<NonNull<u8>> {
    let fd = file.map_or(-1, AsRawFd::as_raw_fd);
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), bytes, rights, flags, fd, 0) };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(at.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

pub fn unmap(base: NonNull<u8>, bytes: usize) {
    // SAFETY: made by `map` with this length; the caller uses it no more.
    unsafe { libc::munmap(base.as_ptr().cast(), bytes) };
}
