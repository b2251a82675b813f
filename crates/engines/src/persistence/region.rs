//! Memory to be written persistently: a mapping, and the file behind it where
//! there is one.

use super::method::Place;
use crate::memory::buffer::page_bytes;
use crate::memory::file::memory_file;
use crate::memory::mapping::fits;
use crate::scratch::{FILL, place_of};
use harness::{Context, Point, SetupError};
use machine::medium::{Medium, free_bytes};
use mapped::Map;
use record::axis::human_bytes;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

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
pub const DAX_REMEDY: &str = "use a folder on a DAX file system: TMPDIR=/mnt/pmem pontage run \
                              'persist/*' --full; to try it, boot with memmap=2G!4G, then: sudo \
                              mkfs.ext4 /dev/pmem0 && sudo mount -o dax /dev/pmem0 /mnt/pmem && \
                              sudo chmod 1777 /mnt/pmem";

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
    map: Map,
    file: Option<File>,
    named: Option<Named>,
    note: String,
}

/// A file that is removed when this is dropped.
#[derive(Debug)]
struct Named(PathBuf);

impl Drop for Named {
    fn drop(&mut self) {
        // A scratch file; the folder goes as well.
        let _ = fs::remove_file(&self.0);
    }
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
    pub fn base(&self) -> *mut u8 {
        self.map.as_ptr()
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.map.bytes()
    }

    /// The file behind it; none for anonymous memory.
    pub fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// The file once more, with further flags of open(2).
    ///
    /// # Errors
    /// `Skip` where the file system refuses the flags.
    pub fn reopen(&self, flags: i32, what: &str) -> Result<File, SetupError> {
        let Some(Named(path)) = &self.named else {
            return Err(SetupError::fail("open the file again", "it has no path"));
        };
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
    pub fn note(&self) -> &str {
        &self.note
    }

    fn anonymous(bytes: usize, context: &Context) -> Result<Region, SetupError> {
        fits(bytes, context)?;
        let map = Map::private(bytes).map_err(|e| SetupError::fail("map memory", e))?;
        // A kernel without huge pages refuses, and gives none either.
        // SAFETY: the word drops no contents.
        let _ = unsafe { map.advise(libc::MADV_NOHUGEPAGE) };
        let note = "anonymous memory: nothing persists; the write to memory is measured";
        Ok(Region::touched(map, None, None, note.to_owned()))
    }

    fn memory_file(bytes: usize, context: &Context) -> Result<Region, SetupError> {
        fits(bytes, context)?;
        let fail = |e| SetupError::fail("create a memory file", e);
        let file = memory_file(c"pontage-persist", 0).map_err(fail)?;
        file.set_len(bytes as u64).map_err(fail)?;
        let map = Map::of_file(bytes, file.as_fd()).map_err(fail)?;
        let note = "tmpfs: no persistence, it has no medium";
        Ok(Region::touched(map, Some(file), None, note.to_owned()))
    }

    fn scratch_file(
        place: Place,
        promise: Promise,
        block_bytes: usize,
        point: &Point,
        context: &Context,
    ) -> Result<Region, SetupError> {
        let medium = medium_for(place, &context.scratch)?;
        let bytes = scratch_bytes(place, block_bytes, &context.scratch)?;
        // Also where making the file or its map fails.
        let named = Named(place_of(point, context));
        let file = filled(&named.0, bytes)
            .map_err(|e| SetupError::fail(&format!("write {}", named.0.display()), e))?;
        let (map, kind) = mapped(place, promise, bytes, &file, &medium)?;
        let note = format!("{}; {kind}", medium.describe());
        // Touched behind the synchronising in `filled`, which takes away the right to
        // write to a page: only calls are to pay for getting it back.
        Ok(Region::touched(map, Some(file), Some(named), note))
    }

    fn touched(map: Map, file: Option<File>, named: Option<Named>, note: String) -> Region {
        let mut region = Region {
            map,
            file,
            named,
            note,
        };
        region.touch();
        region
    }

    /// Writes into each page, so that all of them are there and mapped.
    fn touch(&mut self) {
        // All at once where the kernel can (Linux 5.14); the loop sees to the rest.
        // SAFETY: the word drops no contents.
        let _ = unsafe { self.map.advise(libc::MADV_POPULATE_WRITE) };
        for offset in (0..self.map.bytes()).step_by(page_bytes()) {
            // SAFETY: offset < bytes of our own writable mapping.
            unsafe { self.map.as_ptr().add(offset).write_volatile(FILL) };
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

/// What the scratch folder is on, where `place` can be there.
fn medium_for(place: Place, scratch: &Path) -> Result<Medium, SetupError> {
    let medium = Medium::of(scratch)
        .map_err(|e| SetupError::fail(&format!("look at {}", scratch.display()), e))?;
    match (medium.is_memory(), place) {
        (false, _) => Ok(medium),
        (true, Place::Dax) => Err(no_dax(&medium)),
        (true, _) => Err(SetupError::skip(
            format!(
                "the scratch folder is on {}, where nothing persists",
                medium.file_system
            ),
            "use a disk: TMPDIR=/var/tmp pontage run 'persist/*' --full",
        )),
    }
}

/// Bytes of a file of whole blocks that leaves the others their space.
fn scratch_bytes(place: Place, block_bytes: usize, scratch: &Path) -> Result<usize, SetupError> {
    let free = free_bytes(scratch)
        .map_err(|e| SetupError::fail("query the free space of the scratch folder", e))?;
    let most = match place {
        Place::Dax => REGION_BYTES,
        _ => CACHED_BYTES,
    };
    let share = usize::try_from(free / SPACE_SHARE).unwrap_or(usize::MAX);
    let power_of_two = share.checked_ilog2().map_or(0, |power| 1 << power);
    roomy(most.min(power_of_two), block_bytes)
}

/// The file's map, and how it was made. Whether MAP_SYNC works says whether the
/// folder is on DAX.
fn mapped(
    place: Place,
    promise: Promise,
    bytes: usize,
    file: &File,
    medium: &Medium,
) -> Result<(Map, &'static str), SetupError> {
    let synchronous = libc::MAP_SHARED_VALIDATE | libc::MAP_SYNC;
    let synchronous = Map::new(bytes, synchronous, Some(file.as_fd())).ok();
    let plain = || {
        Map::of_file(bytes, file.as_fd()).map_err(|e| SetupError::fail("map the scratch file", e))
    };
    match (place, promise, synchronous) {
        (Place::Dax, _, None) => Err(no_dax(medium)),
        (Place::Dax, Promise::Sync, Some(map)) => Ok((map, "DAX, mapped with MAP_SYNC")),
        (Place::Dax, Promise::Plain, Some(map)) => {
            // Two maps at once would change what is measured.
            drop(map);
            Ok((plain()?, "DAX, mapped without MAP_SYNC"))
        }
        (_, _, Some(_)) => Err(SetupError::skip(
            "the scratch folder is on DAX, where files have no page cache",
            "use a disk: TMPDIR=/var/tmp pontage run 'persist/*' --full",
        )),
        (_, _, None) => Ok((plain()?, "through the page cache, no DAX")),
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
    let page = page_bytes();
    if block_bytes == 0
        || (!page.is_multiple_of(block_bytes) && !block_bytes.is_multiple_of(page))
        || !block_bytes.is_multiple_of(64)
    {
        return Err(SetupError::skip(
            format!(
                "a block of {block_bytes} B is neither a divisor of a page nor a whole number \
                     of pages"
            ),
            "use powers of two from 64 B: --axis size=64..1MiB",
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

/// A new file with all its blocks written and known to the medium: the timed
/// part allocates none.
pub fn filled(path: &Path, bytes: usize) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)?;
    let piece = vec![FILL; 1 << 20];
    for from in (0..bytes).step_by(piece.len()) {
        file.write_all(&piece[..piece.len().min(bytes - from)])?;
    }
    file.sync_all()?;
    Ok(file)
}
