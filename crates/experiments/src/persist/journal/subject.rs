//! One block after the other, written and waited for.

use super::mounts;
use engines::left_over;
use engines::loops::writeback::{Fence, Instruction, Writeback, holds};
use engines::memory::buffer::Buffer;
use engines::memory::buffer::page_bytes;
use engines::persistence::region::filled;
use engines::verdict;
use harness::{Context, Fault, Point, SetupError, Subject};
use machine::medium::{Medium, free_bytes};
use mapped::Map;
use record::axis::human_bytes;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Bytes that are overwritten, or that an appended file grows to, at most; and the
/// share of the free space that they may take.
const FILE_BYTES: u64 = 16 << 20;
const SPACE_SHARE: u64 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Fdatasync,
    Fsync,
    Msync,
}

struct Journal {
    file: File,
    path: PathBuf,
    appends: bool,
    call: Call,
    mapping: Option<Map>,
    /// Bytes that the file has, or may get.
    limit: usize,
    /// Where the next block goes.
    at: usize,
    store: Writeback,
    block: Buffer,
    seed: u64,
    last: Option<(usize, u64)>,
    failed: u64,
    medium: Medium,
}

impl Journal {
    fn write_one(&mut self) {
        let size = self.block.bytes();
        if self.at + size > self.limit {
            self.begin_anew();
        }
        let at = self.at;
        let done = match &self.mapping {
            // SAFETY: the block lies inside the mapping, whole pages both.
            Some(map) => unsafe {
                let to = map.as_ptr().add(at);
                self.store.write(to, self.seed, size, Fence::Block);
                libc::msync(to.cast(), size, libc::MS_SYNC) == 0
            },
            None => self.pwrite(at) && self.wait(),
        };
        self.failed += u64::from(!done);
        self.last = Some((at, self.seed));
        self.at += size;
    }

    fn pwrite(&self, at: usize) -> bool {
        let size = self.block.bytes();
        // SAFETY: the buffer holds the block.
        let put = unsafe {
            let from = self.block.as_ptr().cast();
            libc::pwrite(self.file.as_raw_fd(), from, size, at as libc::off_t)
        };
        put == size as isize
    }

    fn wait(&self) -> bool {
        let fd = self.file.as_raw_fd();
        // SAFETY: both take a descriptor only.
        let done = unsafe {
            match self.call {
                Call::Fsync => libc::fsync(fd),
                _ => libc::fdatasync(fd),
            }
        };
        done == 0
    }

    fn begin_anew(&mut self) {
        self.at = 0;
        if self.appends {
            self.failed += u64::from(self.file.set_len(0).is_err());
        }
    }
}

impl Subject for Journal {
    fn batch(&mut self, _part: u16, ops: u64) {
        for _ in 0..ops {
            self.write_one();
        }
    }

    fn prepare(&mut self, _part: u16) {
        if self.appends && self.at > self.limit / 2 {
            self.begin_anew();
        }
        self.failed += u64::from(self.file.sync_all().is_err());
        self.seed = self.seed.wrapping_add(1 << 32);
        let bytes = self.block.bytes();
        // SAFETY: the buffer is a mapping of whole pages.
        unsafe {
            self.store
                .write(self.block.as_mut_ptr(), self.seed, bytes, Fence::Block)
        };
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.prepare(0);
        self.batch(0, 1);
        let last = self
            .last
            .ok_or_else(|| Fault::wrong("no block was written"));
        let (at, seed) = last?;
        let mut found = vec![0; self.block.bytes()];
        self.file
            .read_exact_at(&mut found, at as u64)
            .map_err(|e| Fault::refused(&format!("read back the block at {at}"), e))?;
        let why = format!("the block at {at} B is not what was written");
        verdict::must(holds(&found, seed), why)?;
        let grown = self.file.metadata().map_or(0, |m| m.len());
        let why = format!("{} B were appended and the file grew by {grown}", self.at);
        verdict::must(!self.appends || grown == self.at as u64, why)?;
        verdict::none(self.failed, "calls failed or wrote less than a block")
    }

    fn notes(&self) -> Vec<String> {
        let size = human_bytes(self.limit as u64);
        vec![self.medium.describe(), format!("file of up to {size}")]
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Outside of the scratch folder nobody else would remove it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whose `pontage-journal-INDEX-PID` is.
fn owner(name: &str) -> Option<u32> {
    let (_, pid) = name.strip_prefix("pontage-journal-")?.split_once('-')?;
    pid.parse().ok()
}

/// The subject of a point, in the folder of its mount.
///
/// # Errors
/// Where the settings do not go together, or the folder cannot be made or filled.
pub fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let (size, appends) = (point.size("size"), point.word("write") == "append");
    let call = match point.word("sync") {
        "fsync" => Call::Fsync,
        "msync" => Call::Msync,
        _ => Call::Fdatasync,
    };
    if appends && call == Call::Msync {
        return Err(SetupError::skip(
            "a mapping does not grow with its file",
            "--axis write=overwrite, or --axis sync=fdatasync,fsync",
        ));
    }
    let (folder, medium) = mounts::folder(point.word("mount"), context)?;
    left_over::remove(&folder, owner);
    let limit = room(&folder, size)?;
    let name = format!("pontage-journal-{}-{}", point.index, std::process::id());
    let path = folder.join(name);
    let fail = |e| SetupError::fail(&format!("write {}", path.display()), e);
    let file = filled(&path, if appends { 0 } else { limit }).map_err(|e| {
        let _ = std::fs::remove_file(&path);
        fail(e)
    })?;
    let store = Writeback::find(Instruction::Store)
        .map_err(|missing| SetupError::skip(missing.reason, missing.remedy))?;
    let block = Buffer::touched(size).map_err(fail)?;
    let mut journal = Journal {
        file,
        path: path.clone(),
        appends,
        call,
        mapping: None,
        limit,
        at: 0,
        store,
        block,
        seed: 0,
        last: None,
        failed: 0,
        medium,
    };
    if call == Call::Msync {
        journal.mapping = Some(Map::of_file(limit, journal.file.as_fd()).map_err(fail)?);
    }
    Ok(Box::new(journal))
}

/// Bytes for the file: whole blocks, some of them.
fn room(folder: &std::path::Path, size: usize) -> Result<usize, SetupError> {
    if size == 0 || !size.is_multiple_of(page_bytes()) {
        return Err(SetupError::skip(
            format!("a block of {size} B is not a whole number of pages"),
            "--axis size=4KiB..1MiB",
        ));
    }
    let free = free_bytes(folder).map_err(|e| {
        SetupError::fail(&format!("query the free space of {}", folder.display()), e)
    })?;
    let most = usize::try_from(FILE_BYTES.min(free / SPACE_SHARE)).unwrap_or(0);
    match most / size {
        0..4 => Err(SetupError::skip(
            format!("{} has no room for blocks of {size} B", folder.display()),
            "free some space, or choose smaller blocks: --axis size=4KiB..64KiB",
        )),
        blocks => Ok(blocks * size),
    }
}
