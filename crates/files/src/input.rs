//! Files that another program wrote: regular, and no larger than a limit.
//!
//! A FIFO would wait for a writer, a device may never end, and a tree that
//! came in an archive can hold links to both.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// What stands at a path, in words: `a FIFO`, `a block device`.
pub fn kind_of(kind: std::fs::FileType) -> &'static str {
    if kind.is_file() {
        "a regular file"
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_block_device() {
        "a block device"
    } else {
        "a character device"
    }
}

/// Opens a regular file to read it; links are followed.
///
/// # Errors
/// As open(2); `InvalidInput` where it is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // Looked at first: merely opening some devices does something.
    regular(&std::fs::metadata(path)?)?;
    let file = OpenOptions::new()
        .read(true)
        // Should it have become a FIFO since, it shall not wait.
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

fn regular(found: &std::fs::Metadata) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let kind = kind_of(found.file_type());
    let kind_of_error = if found.is_dir() {
        ErrorKind::IsADirectory
    } else {
        ErrorKind::InvalidInput
    };
    Err(io::Error::new(
        kind_of_error,
        format!("it is {kind}, not a regular file"),
    ))
}

/// The whole of a regular file of at most `limit_bytes`.
///
/// # Errors
/// As [`open`]; `FileTooLarge` where it has more, whatever size it claims.
pub fn read(path: &Path, limit_bytes: u64) -> io::Result<Vec<u8>> {
    read_from(open(path)?, limit_bytes)
}

/// The rest of `from`, at most `limit_bytes` of it.
///
/// # Errors
/// As read(2); `FileTooLarge` where there is more.
pub fn read_from(from: impl Read, limit_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit_bytes {
        return Err(io::Error::new(
            ErrorKind::FileTooLarge,
            format!("it has more than {limit_bytes} bytes, the limit"),
        ));
    }
    Ok(bytes)
}

/// As [`read`], as text.
///
/// # Errors
/// As [`read`]; `InvalidData` where it is not UTF-8.
pub fn text(path: &Path, limit_bytes: u64) -> io::Result<String> {
    String::from_utf8(read(path, limit_bytes)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_fifo_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("run.json");
        assert!(
            Command::new("mkfifo")
                .arg(&fifo)
                .status()
                .unwrap()
                .success()
        );
        let error = read(&fifo, 100).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(error.to_string(), "it is a FIFO, not a regular file");
    }

    #[test]
    fn a_device_behind_a_link_is_not_read_until_memory_ends() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("run.json");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let error = read(&link, 100).unwrap_err();
        assert_eq!(
            error.to_string(),
            "it is a character device, not a regular file"
        );
        assert_eq!(
            read(folder.path(), 100).unwrap_err().kind(),
            ErrorKind::IsADirectory
        );
    }

    #[test]
    fn a_file_of_exactly_the_limit_is_read_and_one_byte_more_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [7; 64]).unwrap();
        assert_eq!(read(&path, 64).unwrap(), [7; 64]);
        assert_eq!(read(&path, 63).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_sparse_giant_costs_no_more_than_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(
            read(&path, 1 << 16).unwrap_err().kind(),
            ErrorKind::FileTooLarge
        );
    }

    #[test]
    fn files_of_proc_claim_no_bytes_and_are_read() {
        assert!(
            !text(Path::new("/proc/self/stat"), 1 << 16)
                .unwrap()
                .is_empty()
        );
    }
}
