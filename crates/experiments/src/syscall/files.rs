//! What the calls on one of two files share: the axis that chooses, the file, its laps.

use analysis::{ExperimentTable, compared};
use catalogue::AxisSpec;
use engines::scratch::{CachedFile, not_opened};
use harness::{Context, Point, SetupError};
use record::Finding;
use std::fs::File;
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;

/// The axis that chooses one of two files.
pub(super) const fn axis(doc: &'static str, words: &'static [&'static str]) -> AxisSpec {
    AxisSpec::word("file", doc, words).compared()
}

/// The point's file, opened to be read, and what keeps it in place: /dev/zero, or a cached file
/// of `bytes` bytes.
///
/// # Errors
/// The file cannot be made or opened.
pub(super) fn opened(
    point: &Point,
    context: &Context,
    bytes: usize,
) -> Result<(File, Option<CachedFile>), SetupError> {
    let scratch = cached(point, context, bytes)?;
    let path = scratch
        .as_ref()
        .map_or(Path::new("/dev/zero"), CachedFile::path);
    let file = File::open(path).map_err(|e| not_opened(path, e))?;
    Ok((file, scratch))
}

/// A cached file of `bytes` bytes, where the point asks for one.
///
/// # Errors
/// The file cannot be made.
pub(super) fn cached(
    point: &Point,
    context: &Context,
    bytes: usize,
) -> Result<Option<CachedFile>, SetupError> {
    match point.word("file") {
        "cached_file" => CachedFile::create(point, context, bytes, 1).map(Some),
        _ => Ok(None),
    }
}

/// What calls on each file cost: its word, the finding's key, what is done.
pub(super) fn costs(table: &ExperimentTable, files: &[(&str, &str, &str)]) -> Vec<Finding> {
    let point = |file| table.point(&[("file", file)]);
    let costs = files
        .iter()
        .map(|(file, key, what)| compared::cost(point(file), key, what));
    costs.flatten().collect()
}

/// Position of calls of one byte in a file that is begun again at its end.
pub(super) struct Lap {
    /// Length of a lap in bytes; None: the position does not matter.
    bytes: Option<u64>,
    left: u64,
}

impl Lap {
    pub(super) fn new(bytes: Option<u64>) -> Lap {
        Lap {
            bytes,
            left: bytes.unwrap_or(0),
        }
    }

    pub(super) fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    pub(super) fn rewind(&mut self, file: &File) {
        // SAFETY: no pointers. Where it fails, the calls meet the end of the file or let it
        // grow: verify sees both.
        unsafe { libc::lseek(file.as_raw_fd(), 0, libc::SEEK_SET) };
        self.left = self.bytes.unwrap_or(0);
    }

    /// Has `calls` make `ops` calls in all, with rewinds between them.
    #[inline]
    pub(super) fn run(&mut self, file: &File, mut ops: u64, mut calls: impl FnMut(RawFd, u64)) {
        let fd = file.as_raw_fd();
        if self.bytes.is_none() {
            return calls(fd, ops);
        }
        while ops > 0 {
            if self.left == 0 {
                self.rewind(file);
            }
            let now = ops.min(self.left);
            calls(fd, now);
            self.left -= now;
            ops -= now;
        }
    }
}
