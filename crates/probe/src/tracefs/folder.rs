//! The folder of a spool. It lies next to an output, where others may be able to
//! rename it and to put another one there: it is opened once, must be ours alone, and
//! every file in it is reached through its descriptor.

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// What tasks did is for who recorded it.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// A folder that nobody else can write to.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    fd: OwnedFd,
}

impl Folder {
    /// A new one.
    ///
    /// # Errors
    /// As mkdir(2) and [`Folder::open`].
    pub fn make(path: &Path) -> io::Result<Folder> {
        std::fs::DirBuilder::new().mode(FOLDER_MODE).create(path)?;
        Folder::open(path)
    }

    /// # Errors
    /// As open(2); `NotADirectory` for a symbolic link, `InvalidInput` for a folder of
    /// another user and for one that others may write to.
    pub fn open(path: &Path) -> io::Result<Folder> {
        // Behind a last `/` or `/.` a link would be followed.
        let path: PathBuf = path.components().collect();
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
        let fd = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(_) if path.is_symlink() => {
                let cause = "it is a symbolic link; name the folder itself";
                return Err(io::Error::new(ErrorKind::NotADirectory, cause));
            }
            Err(cause) => return Err(cause.into()),
        };
        let stat = rustix::fs::fstat(&fd)?;
        let refused = |cause: String| Err(io::Error::new(ErrorKind::InvalidInput, cause));
        let (owner, us) = (stat.st_uid, rustix::process::geteuid().as_raw());
        if owner != us {
            return refused(format!("it belongs to user {owner}, not to user {us}"));
        }
        if stat.st_mode & 0o022 != 0 {
            let mode = stat.st_mode & 0o777;
            return refused(format!("others may write to it (mode {mode:o})"));
        }
        Ok(Folder { path, fd })
    }

    /// Its path when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A new file, to be written.
    ///
    /// # Errors
    /// As open(2); `AlreadyExists`.
    pub fn create(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let mode = Mode::from_raw_mode(FILE_MODE);
        let fd = rustix::fs::openat(&self.fd, name, flags | OFlags::CLOEXEC, mode)?;
        Ok(File::from(fd))
    }

    /// A regular file of ours that has one name; `None` where there is none.
    ///
    /// # Errors
    /// As open(2); `InvalidInput` for any other.
    pub fn open_file(&self, name: &str, how: OFlags) -> io::Result<Option<File>> {
        let flags = how | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let other = || {
            let cause = format!("{name} is not a regular file of this user with one name");
            io::Error::new(ErrorKind::InvalidInput, cause)
        };
        let file = match rustix::fs::openat(&self.fd, name, flags, Mode::empty()) {
            Ok(fd) => File::from(fd),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NXIO) => return Err(other()),
            Err(cause) => return Err(cause.into()),
        };
        let found = file.metadata()?;
        let us = rustix::process::geteuid().as_raw();
        match found.is_file() && found.uid() == us && found.nlink() == 1 {
            true => Ok(Some(file)),
            false => Err(other()),
        }
    }

    /// Text of a file of ours; what is not UTF-8 is replaced. `None` where there is none.
    ///
    /// # Errors
    /// As [`Folder::open_file`]; `FileTooLarge` beyond the limit.
    pub fn text(&self, name: &str, limit_bytes: u64) -> io::Result<Option<String>> {
        let Some(file) = self.open_file(name, OFlags::RDONLY)? else {
            return Ok(None);
        };
        let bytes = files::input::read_from(file, limit_bytes)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Whether there is a file of that name in it.
    pub fn has(&self, name: &str) -> bool {
        rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)
    }

    /// Of everything in it; what is not UTF-8 is left out, and none of ours.
    ///
    /// # Errors
    /// As getdents(2).
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd)? {
            if let Ok(name) = entry?.file_name().to_str()
                && !matches!(name, "." | "..")
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// # Errors
    /// As rename(2).
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.fd, from, &self.fd, to)?)
    }

    /// # Errors
    /// As unlink(2).
    pub fn unlink(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, name, AtFlags::empty())?)
    }

    /// Removes the folder, if it is empty.
    ///
    /// # Errors
    /// As rmdir(2).
    pub fn remove_empty(self) -> io::Result<()> {
        std::fs::remove_dir(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn made() -> (tempfile::TempDir, Folder) {
        let above = tempfile::tempdir().unwrap();
        let folder = Folder::make(&above.path().join("trace.dat.spool")).unwrap();
        (above, folder)
    }

    #[test]
    fn a_folder_that_others_may_write_to_or_that_is_reached_by_a_link_is_refused() {
        let (above, folder) = made();
        let link = above.path().join("link");
        symlink(folder.path(), &link).unwrap();
        for path in [link.clone(), link.join("."), link.join("")] {
            let error = Folder::open(&path).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotADirectory, "{error}");
        }
        for mode in [0o720, 0o702] {
            std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            let error = Folder::open(folder.path()).unwrap_err().to_string();
            assert!(error.starts_with("others may write"), "{error}");
        }
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        Folder::open(folder.path()).unwrap();
        // Only root can give it away.
        if std::os::unix::fs::chown(folder.path(), Some(65534), None).is_ok() {
            let error = Folder::open(folder.path()).unwrap_err().to_string();
            assert!(error.starts_with("it belongs to user 65534"), "{error}");
        }
    }

    /// Whoever may write to the folder above can put another one in its place.
    #[test]
    fn a_folder_that_took_its_place_gets_nothing() {
        let (above, folder) = made();
        let moved = above.path().join("moved");
        std::fs::rename(folder.path(), &moved).unwrap();
        std::fs::create_dir(folder.path()).unwrap();
        drop(folder.create("cpu0.raw").unwrap());
        folder.rename("cpu0.raw", "head.dat").unwrap();
        assert!(folder.has("head.dat") && moved.join("head.dat").exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        std::fs::write(folder.path().join("foreign"), "").unwrap();
        folder.unlink("head.dat").unwrap();
        assert_eq!(folder.names().unwrap(), Vec::<String>::new());
        assert!(folder.remove_empty().is_err());
    }

    #[test]
    fn files_are_ours_regular_and_have_one_name() {
        let (above, folder) = made();
        let victim = above.path().join("victim");
        std::fs::write(&victim, "secret").unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink(&victim, at("link")).unwrap();
        symlink("/dev/zero", at("zero")).unwrap();
        std::fs::hard_link(&victim, at("hard")).unwrap();
        let fifo = std::process::Command::new("mkfifo")
            .arg(at("fifo"))
            .status();
        assert!(fifo.unwrap().success());
        for name in ["link", "zero", "hard", "fifo"] {
            for how in [OFlags::RDONLY, OFlags::WRONLY] {
                let error = folder.open_file(name, how).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidInput, "{name}: {error}");
            }
            let taken = folder.create(name).unwrap_err().kind();
            assert_eq!(taken, ErrorKind::AlreadyExists);
        }
        assert!(folder.text("none", 9).unwrap().is_none());
        std::fs::write(at("own"), "0123456789").unwrap();
        assert_eq!(folder.text("own", 10).unwrap().unwrap(), "0123456789");
        let error = folder.text("own", 9).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }
}
