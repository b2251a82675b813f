//! A copy of a source folder in the cache, so that a clone is not written into
//! and two kernels do not mix. Files that did not change keep their time, so
//! make rebuilds only what has to be.

use crate::stop::{Stop, cannot};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The list of what the copy holds, in the copy.
const LIST: &str = ".copied";

/// Makes `to` hold the files of `from`, and leaves what a build made there.
///
/// # Errors
/// As the file system.
pub fn copy(from: &Path, to: &Path) -> Result<(), Stop> {
    fs::create_dir_all(to).map_err(cannot("make", to))?;
    let mut files = BTreeSet::new();
    list(from, Path::new(""), &mut files)?;
    let before = fs::read_to_string(to.join(LIST)).unwrap_or_default();
    for gone in before
        .lines()
        .map(PathBuf::from)
        .filter(|f| !files.contains(f))
    {
        let path = to.join(gone);
        if path.is_file() {
            fs::remove_file(&path).map_err(cannot("remove", &path))?;
        }
    }
    for file in &files {
        let text = fs::read(from.join(file)).map_err(cannot("read", &from.join(file)))?;
        write_if_changed(&to.join(file), &text)?;
    }
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    let path = to.join(LIST);
    fs::write(&path, names.join("\n")).map_err(cannot("write", &path))
}

/// Writes `text` unless it stands there.
///
/// # Errors
/// As the file system.
pub fn write_if_changed(path: &Path, text: &[u8]) -> Result<(), Stop> {
    if fs::read(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(cannot("make", folder))?;
    fs::write(path, text).map_err(cannot("write", path))
}

/// Sources only: what a build in the clone left stays there.
fn list(root: &Path, below: &Path, files: &mut BTreeSet<PathBuf>) -> Result<(), Stop> {
    let folder = root.join(below);
    for entry in fs::read_dir(&folder).map_err(cannot("read", &folder))? {
        let entry = entry.map_err(cannot("read", &folder))?;
        let name = entry.file_name();
        let path = below.join(&name);
        let hidden = name.to_string_lossy().starts_with('.');
        if root.join(&path).is_dir() {
            if !hidden {
                list(root, &path, files)?;
            }
        } else if !hidden && is_source(&path) {
            files.insert(path);
        }
    }
    Ok(())
}

fn is_source(path: &Path) -> bool {
    let made = ["o", "ko", "a", "cmd", "symvers", "order", "mod"];
    let ending = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    !made.contains(&ending) && !path.to_string_lossy().ends_with(".mod.c")
}

/// Files that a path with a last part of `*.c` means, in order; the path itself
/// where it has none.
///
/// # Errors
/// Where the folder or the file is not there.
pub fn matching(root: &Path, pattern: &str) -> Result<Vec<PathBuf>, Stop> {
    let path = root.join(pattern);
    let Some(folder) = pattern.strip_suffix("/*.c").map(|f| root.join(f)) else {
        return match path.is_file() {
            true => Ok(vec![path]),
            false => Err(Stop::failed(format!(
                "cannot find {}: no such file",
                path.display()
            ))),
        };
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(cannot("read", &folder))? {
        let file = entry.map_err(cannot("read", &folder))?.path();
        if file.extension().is_some_and(|e| e == "c") {
            found.push(file);
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(Stop::failed(format!(
            "cannot find a C file in {}",
            folder.display()
        )));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{copy, matching};
    use std::fs;

    #[test]
    fn a_copy_follows_its_source_and_keeps_what_was_built() {
        let home = tempfile::tempdir().unwrap();
        let (from, to) = (home.path().join("from"), home.path().join("to"));
        fs::create_dir_all(from.join("core")).unwrap();
        for (name, text) in [
            ("a.c", "1"),
            ("core/b.c", "2"),
            ("a.o", "x"),
            ("a.mod.c", "x"),
        ] {
            fs::write(from.join(name), text).unwrap();
        }
        copy(&from, &to).unwrap();
        assert!(!to.join("a.o").exists() && !to.join("a.mod.c").exists());
        fs::write(to.join("a.o"), "built").unwrap();
        let time = || {
            fs::metadata(to.join("core/b.c"))
                .unwrap()
                .modified()
                .unwrap()
        };
        let before = time();
        fs::write(from.join("a.c"), "3").unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("a.c")).unwrap(), "3");
        assert_eq!(time(), before);
        fs::remove_file(from.join("a.c")).unwrap();
        copy(&from, &to).unwrap();
        assert!(!to.join("a.c").exists() && to.join("a.o").exists());
    }

    #[test]
    fn a_star_means_every_c_file() {
        let home = tempfile::tempdir().unwrap();
        for name in ["b.c", "a.c", "c.h"] {
            fs::write(home.path().join(name), "").unwrap();
        }
        let outer = home.path().parent().unwrap();
        let name = home.path().file_name().unwrap().to_str().unwrap();
        let found = matching(outer, &format!("{name}/*.c")).unwrap();
        assert_eq!(found, [home.path().join("a.c"), home.path().join("b.c")]);
        assert!(matching(outer, "none.c").is_err());
        assert!(matching(outer, "none/*.c").is_err());
    }
}
