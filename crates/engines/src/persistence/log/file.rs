//! Logs in files, by five ways of which two lose records.

use super::Store;
use crate::loops::writeback::Writeback;
use crate::memory::buffer::page_bytes;
use crate::persistence::method::Method;
use harness::SetupError;
use mapped::Map;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// How records reach the medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Stores into a mapping made with MAP_SYNC, each line written back, a fence.
    MapSync,
    /// The same on a mapping made without: the data are there, and what the file
    /// system has to know of them may not be.
    Lines,
    /// Stores into a mapping, msync.
    Msync,
    /// pwrite, fdatasync.
    Fdatasync,
    /// pwrite and nothing more.
    None,
}

/// A new file that takes a log.
pub struct FileStore {
    file: File,
    sync: Way,
    map: Option<Map>,
    /// Of the ways that write lines of the map back.
    lines: Option<Writeback>,
    /// From the first to behind the last byte that was sent since the fence.
    sent: Option<(usize, usize)>,
}

impl FileStore {
    /// A new, sparse file with room for `bytes`: its blocks come as it is
    /// written.
    ///
    /// # Errors
    /// `Skip` where MAP_SYNC or an instruction is missing, `Fail` where the file
    /// is there already or cannot be made.
    pub fn create(path: &Path, bytes: usize, sync: Way) -> Result<FileStore, SetupError> {
        let fail = |e: io::Error| SetupError::fail(&format!("create {}", path.display()), e);
        let mut options = files::output::options();
        let options = options.read(true).write(true).create_new(true);
        // The user chose the path, so a failure is an error of the path and no skip.
        let file = options
            .open(path)
            .map_err(|e| SetupError::Fail(format!("cannot create {}: {e}", path.display())))?;
        let bytes = bytes.max(1).next_multiple_of(page_bytes());
        let flags = match sync {
            Way::MapSync => libc::MAP_SHARED_VALIDATE | libc::MAP_SYNC,
            Way::Lines | Way::Msync => libc::MAP_SHARED,
            Way::Fdatasync | Way::None => 0,
        };
        let lines = match sync {
            Way::MapSync | Way::Lines => Method::MapSync.writeback()?,
            _ => None,
        };
        let map = || {
            file.set_len(bytes as u64).map_err(fail)?;
            Map::new(bytes, flags, Some(file.as_fd())).map_err(|e| match sync {
                Way::MapSync => SetupError::skip(
                    format!("{} cannot be mapped with MAP_SYNC: {e}", path.display()),
                    "use a file on DAX, or another method: --sync msync",
                ),
                _ => fail(e),
            })
        };
        Ok(FileStore {
            map: (flags != 0).then(map).transpose()?,
            file,
            sync,
            lines,
            sent: None,
        })
    }
}

impl Store for FileStore {
    fn write(&mut self, at: usize, bytes: &[u8]) -> io::Result<()> {
        let Some(map) = &self.map else {
            return self.file.write_all_at(bytes, at as u64);
        };
        let end = at.checked_add(bytes.len());
        if end.is_none_or(|end| end > map.bytes()) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        // SAFETY: the range is inside the mapping, as just checked, and the
        // bytes are the caller's.
        unsafe {
            let to = map.as_ptr().add(at);
            bytes.as_ptr().copy_to_nonoverlapping(to, bytes.len());
        }
        Ok(())
    }

    fn flush(&mut self, at: usize, len: usize) -> io::Result<()> {
        let (first, end) = self.sent.unwrap_or((at, at));
        self.sent = Some((first.min(at), end.max(at + len)));
        if let (Some(map), Some(lines)) = (&self.map, &self.lines) {
            // SAFETY: `write` has put bytes there.
            unsafe { lines.push(map.as_ptr().add(at), len) };
        }
        Ok(())
    }

    fn fence(&mut self) -> io::Result<()> {
        let Some((first, end)) = self.sent.take() else {
            return Ok(());
        };
        if let Some(lines) = &self.lines {
            lines.fence();
        }
        match (self.sync, &self.map) {
            (Way::Msync, Some(map)) => {
                let start = first / page_bytes() * page_bytes();
                // SAFETY: whole pages of our own mapping.
                let done = unsafe {
                    let at = map.as_ptr().add(start);
                    libc::msync(at.cast(), end - start, libc::MS_SYNC)
                };
                match done {
                    0 => Ok(()),
                    _ => Err(io::Error::last_os_error()),
                }
            }
            (Way::Fdatasync, _) => self.file.sync_data(),
            _ => Ok(()),
        }
    }
}
