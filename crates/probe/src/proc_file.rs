//! A /proc file kept open and read again from its start: no path walk, no
//! allocation after the first read, so that it can be read between samples.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// An open file of /proc with a buffer that is reused.
#[derive(Debug)]
pub struct ProcFile {
    file: File,
    buffer: Vec<u8>,
}

impl ProcFile {
    /// Opens `path` below `root` (`/` on a live machine, a fixture in tests).
    ///
    /// # Errors
    /// As `File::open`.
    pub fn open(root: &Path, path: &str) -> io::Result<Self> {
        Ok(ProcFile {
            file: File::open(root.join(path.trim_start_matches('/')))?,
            buffer: vec![0; 8192],
        })
    }

    /// The file's whole text as of now. Sequence files hand out one kernel
    /// buffer a call, so it is read on until the end.
    ///
    /// # Errors
    /// As `pread`; text that is not UTF-8 is `InvalidData`.
    pub fn read(&mut self) -> io::Result<&str> {
        let mut filled = 0;
        loop {
            if filled == self.buffer.len() {
                self.buffer.resize(filled * 2, 0);
            }
            match self.file.read_at(&mut self.buffer[filled..], filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        std::str::from_utf8(&self.buffer[..filled])
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
    }
}
