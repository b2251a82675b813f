//! Run folders in which nothing was begun: who made them was killed before there
//! was a head. They hold no sample, and `report` could not open them.

use crate::journal::{Lock, SHORTLY, lock};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;

const STREAM: &str = record::STREAM;

/// Removes those of this user in `parent`, the folder of runs; how many.
pub fn sweep(parent: &Path) -> u32 {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let Ok(at) = rustix::fs::open(parent, flags, Mode::empty()) else {
        return 0;
    };
    let names: Vec<String> = names(&at)
        .into_iter()
        .filter(|n| record::is_run_id(n))
        .collect();
    let swept = names.iter().filter(|name| is_swept(&at, name).is_some());
    u32::try_from(swept.count()).unwrap_or(u32::MAX)
}

fn names(folder: &OwnedFd) -> Vec<String> {
    let listed = Dir::read_from(folder).into_iter().flatten().flatten();
    listed
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name != "." && name != "..")
        .collect()
}

/// What the beginning of a record leaves: a stream, and a head that is not whole
/// under another name. Not what a user calls his copy of a head.
fn is_begun(name: &str) -> bool {
    name == STREAM || files::output::is_part_of(name, record::layout::HEAD)
}

/// `None`: it stays.
fn is_swept(at: &OwnedFd, name: &str) -> Option<()> {
    let us = rustix::process::geteuid().as_raw();
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(at, name, flags, Mode::empty()).ok()?;
    (rustix::fs::fstat(&folder).ok()?.st_uid == us).then_some(())?;
    let held = names(&folder);
    held.iter().all(|name| is_begun(name)).then_some(())?;
    // Held until it is gone: who begins it just now begins another.
    let _stream = match held.iter().any(|name| name == STREAM) {
        true => Some(dead_stream(&folder, us)?),
        false => None,
    };
    for name in &held {
        rustix::fs::unlinkat(&folder, name.as_str(), AtFlags::empty()).ok()?;
    }
    rustix::fs::unlinkat(at, name, AtFlags::REMOVEDIR).ok()
}

/// Without a sample, and without a writer.
fn dead_stream(folder: &OwnedFd, us: u32) -> Option<File> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let stream = rustix::fs::openat(folder, STREAM, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&stream).ok()?;
    let plain = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    let empty = u64::try_from(stat.st_size).is_ok_and(|size| size <= record::STREAM_HEADER_BYTES);
    let ours = plain && empty && stat.st_uid == us && stat.st_nlink == 1;
    (ours && lock(&stream, SHORTLY) == Lock::Taken).then(|| File::from(stream))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    fn made(parent: &Path, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let path = parent.join(name);
        std::fs::create_dir(&path).unwrap();
        for (name, text) in files {
            std::fs::write(path.join(name), text).unwrap();
        }
        path
    }

    #[test]
    fn what_holds_no_sample_and_has_no_writer_goes() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str, files: &[(&str, &str)]| made(parent.path(), name, files);
        let gone = [
            make("20261121T002946Z-host", &[]),
            make("20261121T002946Z-host-2", &[(STREAM, "")]),
            make(
                "20261121T002947Z-host",
                &[(STREAM, "0123456789abcdef"), (".run.json.part", "{")],
            ),
        ];
        let stay = [
            make("20261121T002948Z-host", &[(STREAM, "0123456789abcdefg")]),
            make("20261121T002949Z-host", &[("run.json", "{}"), (STREAM, "")]),
            make("20261121T002950Z-host", &[("notes.txt", "")]),
            make("20261121T002950Z-host-2", &[("run.json.gz", "")]),
            make("20261121T002950Z-host-3", &[("run.json.bak", "")]),
            make("empty", &[]),
        ];
        let live = make("20261121T002951Z-host", &[(STREAM, "")]);
        let stream = File::open(live.join(STREAM)).unwrap();
        stream.lock().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let real = made(elsewhere.path(), "real", &[]);
        symlink(&real, parent.path().join("20261121T002952Z-host")).unwrap();
        assert_eq!(sweep(parent.path()), 3);
        assert!(gone.iter().all(|path| !path.exists()));
        assert!(stay.iter().chain([&live, &real]).all(|path| path.exists()));
        assert_eq!(sweep(Path::new("/nonexistent")), 0);
    }
}
