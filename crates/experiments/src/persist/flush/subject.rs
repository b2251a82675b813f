//! Blocks written one after the other, each made persistent before the next.

use super::fence;
use engines::loops::writeback::{Fence, Instruction, Writeback, holds};
use engines::memory::buffer::Buffer;
use engines::memory::buffer::page_bytes;
use engines::persistence::method::{Method, Place};
use engines::persistence::region::{Promise, Region};
use engines::persistence::walk::Walk;
use engines::verdict;
use harness::{Context, Fault, Point, SetupError, Subject};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

const WRITE: u16 = super::EXPERIMENT.part("write");

/// Distance of the words of one block from those of the next.
const SEED_STEP: u64 = 1 << 32;

struct Flush {
    method: Method,
    fence: Fence,
    /// Plain stores, where the method needs no other.
    store: Writeback,
    /// What brings lines to memory, where the method does so.
    writeback: Option<Writeback>,
    /// The file as the calls write it: as it is, or past the page cache.
    files: Files,
    block: Buffer,
    walk: Walk,
    /// Words of the block in hand begin with this.
    seed: u64,
    /// Offset of the last block and its first word.
    last: Option<(usize, u64)>,
    /// Calls that failed or wrote less than the block.
    failed: u64,
    region: Region,
}

/// Descriptors of O_DIRECT; none for the other methods.
#[derive(Default)]
struct Files {
    /// Returns when the medium has the data.
    durable: Option<File>,
    /// Returns when the device has taken them.
    taken: Option<File>,
}

impl Flush {
    fn size(&self) -> usize {
        self.block.bytes()
    }

    /// By stores into the mapping: a part 1 of them flushes nothing.
    fn lines(&mut self, way: Writeback, ops: u64) {
        let size = self.size();
        for _ in 0..ops {
            let offset = self.walk.advance();
            self.seed = self.seed.wrapping_add(SEED_STEP);
            // SAFETY: the walk stays inside the region by whole blocks, which
            // begin and end at multiples of 64.
            unsafe { way.write(self.region.base().add(offset), self.seed, size, self.fence) };
            self.last = Some((offset, self.seed));
        }
    }

    fn msync(&mut self, ops: u64) {
        let (size, page) = (self.size(), page_bytes());
        for _ in 0..ops {
            self.lines(self.store, 1);
            let (offset, _) = self.last.unwrap_or_default();
            let first = offset / page * page;
            let bytes = (offset + size - first).next_multiple_of(page);
            // SAFETY: whole pages of our own mapping.
            let done = unsafe {
                let at = self.region.base().add(first);
                libc::msync(at.cast(), bytes, libc::MS_SYNC)
            };
            self.failed += u64::from(done != 0);
        }
    }

    fn pwrite(&mut self, fd: i32) {
        let offset = self.walk.advance();
        // SAFETY: the buffer holds the block.
        let put = unsafe {
            let at = self.block.as_ptr().cast();
            libc::pwrite(fd, at, self.size(), offset as libc::off_t)
        };
        self.failed += u64::from(put != self.size() as isize);
        self.last = Some((offset, self.seed));
    }

    fn write_through(&mut self, fd: i32, persist: bool, ops: u64) {
        for _ in 0..ops {
            self.pwrite(fd);
            if persist {
                // SAFETY: takes a descriptor only.
                let done = unsafe { libc::fdatasync(fd) };
                self.failed += u64::from(done != 0);
            }
        }
    }

    fn direct(&mut self, part: u16, ops: u64) {
        let file = match part {
            WRITE => &self.files.taken,
            _ => &self.files.durable,
        };
        let fd = file.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        self.write_through(fd, false, ops);
    }

    /// Looks for the last block where another program would: in the file, or,
    /// without a file, in the mapping.
    fn check_last(&self) -> Result<(), Fault> {
        let Some((offset, seed)) = self.last else {
            return Ok(());
        };
        let mut found = Buffer::touched(self.size()).map_err(|e| Fault::refused("map", e))?;
        match self.region.file() {
            Some(file) => file
                .read_exact_at(found.as_mut_slice(), offset as u64)
                .map_err(|e| Fault::refused(&format!("read back the block at {offset}"), e))?,
            None => {
                let there = self.region.base().wrapping_add(offset);
                // SAFETY: the block lies inside the region, and the buffer is as
                // long as the block.
                unsafe { there.copy_to(found.as_mut_ptr(), found.bytes()) };
            }
        }
        let why = format!("the block at {offset} B is not what was written");
        verdict::must(holds(found.as_slice(), seed), why)
    }
}

impl Subject for Flush {
    fn batch(&mut self, part: u16, ops: u64) {
        let fd = self.region.file().map_or(-1, AsRawFd::as_raw_fd);
        match (self.method, self.writeback) {
            (Method::Msync, _) if part != WRITE => self.msync(ops),
            (Method::Fdatasync, _) => self.write_through(fd, part != WRITE, ops),
            (Method::Odirect, _) => self.direct(part, ops),
            (_, Some(way)) if part != WRITE => self.lines(way, ops),
            _ => self.lines(self.store, ops),
        }
    }

    /// What was left dirty is not the next block's to pay for; the words that
    /// the calls write are made anew.
    fn prepare(&mut self, _part: u16) {
        if !self.method.is_call() {
            return;
        }
        self.failed += u64::from(self.region.sync().is_err());
        self.seed = self.seed.wrapping_add(SEED_STEP);
        let bytes = self.block.bytes();
        // SAFETY: the buffer is a mapping of whole pages.
        unsafe {
            self.store
                .write(self.block.as_mut_ptr(), self.seed, bytes, Fence::Block)
        };
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.check_last()?;
        let before = self.last;
        self.prepare(0);
        self.batch(0, 1);
        verdict::must(self.last != before, "no block was written")?;
        self.check_last()?;
        verdict::none(self.failed, "calls failed or wrote less than a block")
    }

    fn notes(&self) -> Vec<String> {
        let size = record::axis::human_bytes(self.region.bytes() as u64);
        let mut notes = vec![format!("{size} of {}", self.region.note())];
        let flushing = |w: &Writeback| w.instruction() != Instruction::Store;
        if let Some(way) = self.writeback.filter(flushing) {
            let often = match self.fence {
                Fence::Block => "each block",
                Fence::Line => "each line",
            };
            let (name, line) = (way.instruction(), way.line_bytes());
            let fence = name.fence_name();
            notes.push(format!(
                "{name} on lines of {line} B, {fence} after {often}"
            ));
        }
        notes
    }
}

/// The subject of a point.
///
/// # Errors
/// Where this CPU or file system lacks the method, or the settings do not go together.
pub fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let word = point.word("method");
    let method =
        Method::from_word(word).ok_or_else(|| SetupError::fail("find the method", word))?;
    let place = Place::from_word(point.word("place"));
    let (fence, size) = (fence(point), point.size("size"));
    method.suits(place, fence, size)?;
    let writeback = method.writeback()?;
    let promise = match method {
        Method::MapSync => Promise::Sync,
        _ => Promise::Plain,
    };
    let region = Region::open(place, promise, size, point, context)?;
    let seed = u64::from(point.index) + 1;
    let walk = Walk::new(region.bytes(), size, page_bytes(), seed);
    let store = Method::Lines(Instruction::Store).writeback()?;
    let store = store.ok_or_else(|| SetupError::fail("find the plain store", "it is missing"))?;
    Ok(Box::new(Flush {
        method,
        fence,
        store,
        writeback,
        files: files(method, &region)?,
        block: Buffer::touched(size).map_err(|e| SetupError::fail("map a block", e))?,
        walk,
        seed: 0,
        last: None,
        failed: 0,
        region,
    }))
}

fn files(method: Method, region: &Region) -> Result<Files, SetupError> {
    if method != Method::Odirect {
        return Ok(Files::default());
    }
    let direct = |flags, what| region.reopen(libc::O_DIRECT | flags, what).map(Some);
    Ok(Files {
        durable: direct(libc::O_DSYNC, "O_DIRECT with O_DSYNC")?,
        taken: direct(0, "O_DIRECT")?,
    })
}
