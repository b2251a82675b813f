//! A folder for the scratch files of a run, and the sweep of those that killed
//! runs have left.

use crate::journal::{Life, Lock, Owner, SHORTLY, lock};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const PREFIX: &str = "pontage-scratch-";
/// Whose it is, in a file whose lock is held while that process lives.
const OWNER: &str = "owner";
/// What the run sees; the owner's file is not among its own.
const FILES: &str = "files";
const FOLDER_MODE: u32 = 0o700;
const OWNER_BYTES: u64 = 4096;
/// A sweep that comes between the making of a folder and its lock may take it.
const ATTEMPTS: u32 = 10;

/// A folder of mode 0700 that goes with this value.
#[derive(Debug)]
pub struct Scratch {
    folder: tempfile::TempDir,
    files: PathBuf,
    _owner: File,
}

impl Scratch {
    /// In `$TMPDIR`, where it first sweeps what dead runs of this user have left.
    ///
    /// # Errors
    /// As making a folder and a file; `PermissionDenied` where others can put another
    /// folder in its place.
    pub fn make() -> io::Result<Scratch> {
        Scratch::make_in(&std::env::temp_dir())
    }

    fn make_in(parent: &Path) -> io::Result<Scratch> {
        let parent = &kept(parent)?;
        sweep(parent);
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for _ in 0..ATTEMPTS {
            match Scratch::attempt(parent) {
                Ok(Some(scratch)) => return Ok(scratch),
                Ok(None) => {}
                // Swept away under our hands.
                Err(e) if e.kind() == io::ErrorKind::NotFound => last = e,
                Err(e) => return Err(e),
            }
        }
        Err(last)
    }

    fn attempt(parent: &Path) -> io::Result<Option<Scratch>> {
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(FOLDER_MODE))
            .tempdir_in(parent)?;
        let path = folder.path().join(OWNER);
        let mut owner = File::options().write(true).create_new(true).open(&path)?;
        let locked = match lock(&owner, SHORTLY) {
            Lock::Others => return Ok(None),
            lock => lock == Lock::Taken,
        };
        serde_json::to_writer(&mut owner, &Owner::this_process(locked))?;
        owner.flush()?;
        let files = folder.path().join(FILES);
        std::fs::create_dir(&files)?;
        Ok(path.exists().then_some(Scratch {
            folder,
            files,
            _owner: owner,
        }))
    }

    /// The folder for files; it goes with this value.
    pub fn path(&self) -> &Path {
        &self.files
    }
}

impl Drop for Scratch {
    /// The owner's file last: what is left by a kill meanwhile is swept.
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.files);
        // The rest goes with the folder.
        let _ = &self.folder;
    }
}

/// Removes what is certainly of a dead process of this user; how many.
pub fn sweep(parent: &Path) -> u32 {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let Ok(fd) = rustix::fs::open(parent, flags, Mode::empty()) else {
        return 0;
    };
    if kept(parent).is_err() {
        return 0;
    }
    let listed = Dir::read_from(&fd).into_iter().flatten().flatten();
    let ours = |name: &String| name.starts_with(PREFIX);
    let names: Vec<String> = listed
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(ours)
        .collect();
    let swept = names.iter().filter(|name| is_swept(parent, &fd, name));
    u32::try_from(swept.count()).unwrap_or(u32::MAX)
}

/// The folder without links, if what lies in it stays what it is: experiments write and
/// remove files below it by their names.
fn kept(folder: &Path) -> io::Result<PathBuf> {
    let folder = folder.canonicalize()?;
    for above in folder.ancestors() {
        let stat = rustix::fs::stat(above)?;
        if !keeps_names(&stat) {
            let cause = format!(
                "others can replace files in {} (of user {}, mode {:o})",
                above.display(),
                stat.st_uid,
                stat.st_mode & 0o7777
            );
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, cause));
        }
    }
    Ok(folder)
}

/// Whether nobody but root and we can put another folder in the place of ours. A group
/// that has our number is taken for ours alone, as distributions make one for each user.
fn keeps_names(parent: &Stat) -> bool {
    let us = rustix::process::geteuid().as_raw();
    let trusted = files::owner::is_believed(parent.st_uid);
    let wide = match parent.st_gid == us {
        true => 0o002,
        false => 0o022,
    };
    trusted && (parent.st_mode & wide == 0 || parent.st_mode & 0o1000 != 0)
}

fn is_swept(parent: &Path, at: &OwnedFd, name: &str) -> bool {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
    let Ok(folder) = rustix::fs::openat(at, name, flags, Mode::empty()) else {
        return false;
    };
    if !rustix::fs::fstat(&folder).is_ok_and(|stat| is_ours(&stat, FOLDER_MODE)) {
        return false;
    }
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let owner = match rustix::fs::openat(&folder, OWNER, flags, Mode::empty()) {
        Ok(owner) => File::from(owner),
        // Killed before it had an owner: an empty one may go, and no other does.
        Err(rustix::io::Errno::NOENT) => {
            return rustix::fs::unlinkat(at, name, AtFlags::REMOVEDIR).is_ok();
        }
        Err(_) => return false,
    };
    if !is_dead(&owner) {
        return false;
    }
    let path = parent.join(name);
    // Follows no links. The owner's file last, as above.
    let files = std::fs::remove_dir_all(path.join(FILES));
    let gone = files.is_ok() || files.is_err_and(|e| e.kind() == io::ErrorKind::NotFound);
    gone && std::fs::remove_dir_all(path).is_ok()
}

fn is_ours(stat: &Stat, mode: u32) -> bool {
    let us = rustix::process::geteuid().as_raw();
    stat.st_uid == us && stat.st_mode & 0o777 == mode
}

fn is_dead(owner: &File) -> bool {
    let plain = rustix::fs::fstat(owner).is_ok_and(|stat| {
        let us = rustix::process::geteuid().as_raw();
        FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
            && stat.st_uid == us
            && stat.st_nlink == 1
    });
    if !plain {
        return false;
    }
    let lock = lock(owner, SHORTLY);
    let text = files::input::read_from(owner, OWNER_BYTES).unwrap_or_default();
    match serde_json::from_slice::<Owner>(&text) {
        Ok(owner) => matches!(owner.life(lock), Life::Gone | Life::GoneWithBoot),
        // Killed before it had written it.
        Err(_) => lock == Lock::Taken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn names(folder: &Path) -> Vec<String> {
        let listed = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = listed
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// A folder as a killed process leaves it.
    fn abandoned(parent: &Path) -> PathBuf {
        let scratch = Scratch::make_in(parent).unwrap();
        std::fs::create_dir(scratch.path().join("below")).unwrap();
        std::fs::write(scratch.path().join("below/file"), "x").unwrap();
        let path = scratch.folder.path().to_owned();
        let copy = parent.join("copy");
        std::fs::rename(&path, &copy).unwrap();
        drop(scratch);
        std::fs::rename(&copy, &path).unwrap();
        path
    }

    #[test]
    fn what_a_dead_run_has_left_goes_with_the_next_and_what_lives_stays() {
        let parent = tempfile::tempdir().unwrap();
        let dead = abandoned(parent.path());
        let one = Scratch::make_in(parent.path()).unwrap();
        assert!(!dead.exists());
        std::fs::write(one.path().join("mine"), "x").unwrap();
        let two = Scratch::make_in(parent.path()).unwrap();
        assert_eq!(names(one.path()), ["mine"]);
        assert_eq!(names(parent.path()).len(), 2);
        let mode = one.folder.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, FOLDER_MODE);
        drop((one, two));
        assert!(names(parent.path()).is_empty());
    }

    #[test]
    fn killed_before_it_had_an_owner() {
        let parent = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = parent.path().join(PREFIX.to_owned() + name);
            std::fs::create_dir(&path).unwrap();
            std::fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
            path
        };
        make("empty");
        std::fs::write(make("half").join(OWNER), "{").unwrap();
        std::fs::write(make("others").join("file"), "x").unwrap();
        assert_eq!(sweep(parent.path()), 2);
        assert_eq!(names(parent.path()), [PREFIX.to_owned() + "others"]);
    }

    #[test]
    fn what_may_be_of_others_stays() {
        let parent = tempfile::tempdir().unwrap();
        let wide = abandoned(parent.path());
        std::fs::set_permissions(&wide, Permissions::from_mode(0o755)).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let linked = abandoned(elsewhere.path());
        std::fs::hard_link(linked.join(OWNER), elsewhere.path().join("second")).unwrap();
        let dead = abandoned(elsewhere.path());
        symlink(&dead, parent.path().join(PREFIX.to_owned() + "link")).unwrap();
        assert_eq!(sweep(parent.path()), 0);
        assert!(wide.exists() && dead.exists());
        assert_eq!(sweep(elsewhere.path()), 1);
        assert!(linked.exists() && !dead.exists());
        // Where anybody may rename anything.
        let wide = abandoned(elsewhere.path());
        std::fs::set_permissions(elsewhere.path(), Permissions::from_mode(0o777)).unwrap();
        assert_eq!(sweep(elsewhere.path()), 0);
        assert!(wide.exists());
    }

    #[test]
    fn where_others_could_take_its_place_none_is_made() {
        let above = tempfile::tempdir().unwrap();
        let parent = above.path().join("tmp");
        std::fs::create_dir(&parent).unwrap();
        let mode = |folder: &Path, mode| {
            std::fs::set_permissions(folder, Permissions::from_mode(mode)).unwrap();
        };
        // Its own folder, and the one above, which can be renamed with all in it.
        for folder in [&parent, above.path()] {
            mode(folder, 0o777);
            let error = Scratch::make_in(&parent).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
            let text = error.to_string();
            assert!(
                text.contains("others can replace") && text.contains("mode 777"),
                "{text}"
            );
            mode(folder, 0o1777);
            Scratch::make_in(&parent).unwrap();
            mode(folder, 0o755);
        }
        // Only root can give it away.
        if std::os::unix::fs::chown(&parent, Some(65534), None).is_ok() {
            assert!(Scratch::make_in(&parent).is_err());
        }
        assert!(names(&parent).is_empty());
    }

    #[test]
    fn a_link_in_it_is_removed_and_not_what_it_leads_to() {
        let parent = tempfile::tempdir().unwrap();
        let kept = tempfile::tempdir().unwrap();
        std::fs::write(kept.path().join("file"), "x").unwrap();
        let dead = abandoned(parent.path());
        symlink(kept.path(), dead.join(FILES).join("link")).unwrap();
        assert_eq!(sweep(parent.path()), 1);
        assert_eq!(names(kept.path()), ["file"]);
    }
}
