//! A small file in the harness's scratch folder, in the page cache, gone again
//! when it is dropped.

use harness::{Context, Point, SetupError};
use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Byte that fills every scratch file: not zero, so that a read which returned
/// nothing cannot pass for one that did.
pub const FILL: u8 = 0xA5;

/// A file filled with [`FILL`], written and read once so that it is cached.
#[derive(Debug)]
pub struct CachedFile {
    path: PathBuf,
    /// First folder made for the file; removed with everything in it.
    root: PathBuf,
}

impl CachedFile {
    /// A file of `bytes` bytes below `depth - 1` nested folders, all in a
    /// folder of this point's own.
    ///
    /// # Errors
    /// `Fail` when the scratch folder cannot be written.
    pub fn create(
        point: &Point,
        context: &Context,
        bytes: usize,
        depth: usize,
    ) -> Result<CachedFile, SetupError> {
        let root = place_of(point, context);
        let mut folder = root.clone();
        for _ in 1..depth {
            folder.push("d");
        }
        let file = CachedFile {
            path: folder.join("file"),
            root,
        };
        fs::create_dir_all(&folder)
            .and_then(|()| fill_and_read(&file.path, bytes))
            .map_err(|e| SetupError::fail(&format!("create {}", file.path.display()), e))?;
        Ok(file)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that holds the nested folders and the file.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file's path as the kernel takes it.
    ///
    /// # Errors
    /// `Fail` when the scratch path holds a NUL byte.
    pub fn c_path(&self) -> Result<CString, SetupError> {
        c_path(&self.path)
    }
}

impl Drop for CachedFile {
    fn drop(&mut self) {
        // Left-overs are in the scratch folder, which the harness removes.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// What this point has in the scratch folder, a file or a folder, stands here.
pub fn place_of(point: &Point, context: &Context) -> PathBuf {
    let (name, process) = (point.experiment.replace('/', "-"), std::process::id());
    context
        .scratch
        .join(format!("{name}-{}-{process}", point.index))
}

/// Why `path` could not be opened. A container may lack even the simplest devices.
pub fn not_opened(path: &Path, cause: io::Error) -> SetupError {
    let device = match path.to_str() {
        Some("/dev/null") => "mknod -m 666 /dev/null c 1 3",
        Some("/dev/zero") => "mknod -m 666 /dev/zero c 1 5",
        _ => "",
    };
    if cause.kind() == io::ErrorKind::NotFound && !device.is_empty() {
        return SetupError::skip(format!("there is no {}", path.display()), device);
    }
    SetupError::fail(&format!("open {}", path.display()), cause)
}

/// `path` as the kernel takes it.
///
/// # Errors
/// `Fail` when it holds a NUL byte.
pub fn c_path(path: &Path) -> Result<CString, SetupError> {
    CString::new(path.as_os_str().as_bytes())
        .map_err(|e| SetupError::fail(&format!("pass the path {}", path.display()), e))
}

fn fill_and_read(path: &Path, bytes: usize) -> io::Result<()> {
    File::create(path)?.write_all(&vec![FILL; bytes])?;
    let mut back = Vec::with_capacity(bytes);
    File::open(path)?.read_to_end(&mut back)?;
    Ok(())
}
