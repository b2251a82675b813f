//! The one way this crate touches files: below a root folder, read-only, and
//! with every surprise written down instead of raised.

use crate::cpu_list::CpuList;
use crate::problem::{Flaw, Problem};
use crate::text::Unexpected;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// No file this crate reads is larger; a stray one is cut, not swallowed whole.
const LARGEST_FILE_BYTES: u64 = 4 << 20;

/// A machine seen through the files below one root folder.
#[derive(Debug, Default)]
pub struct Source {
    root: PathBuf,
    problems: RefCell<Vec<Problem>>,
    denied: RefCell<BTreeSet<String>>,
    touched: RefCell<BTreeSet<Touched>>,
}

/// What a reader looked at and found, for capturing a fixture.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touched {
    File(String),
    Link(String),
    Folder(String),
}

/// Whether a path can be used by this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    Readable,
    Denied,
    #[default]
    Missing,
}

impl Source {
    /// `/` for this machine, any other folder for a stored tree.
    pub fn new(root: &Path) -> Self {
        Source {
            root: root.to_owned(),
            ..Source::default()
        }
    }

    /// Whether the files describe the machine this process runs on.
    pub fn is_live(&self) -> bool {
        self.root == Path::new("/")
    }

    fn under_root(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    fn touch(&self, found: Touched) {
        self.touched.borrow_mut().insert(found);
    }

    /// `None` where there is no such file or no right to read it.
    fn found<T>(&self, path: &str, result: io::Result<T>) -> Option<T> {
        let error = match result {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => {}
            ErrorKind::PermissionDenied => {
                self.denied.borrow_mut().insert(path.to_owned());
            }
            _ => self.note(Problem::Unreadable {
                path: path.to_owned(),
                cause: error.to_string(),
            }),
        }
        None
    }

    fn note(&self, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }

    /// Record that `path` does not say what it should.
    pub fn flaw(&self, path: &str, flaw: Flaw) {
        self.note(Problem::Malformed {
            path: path.to_owned(),
            line: flaw.line,
            cause: flaw.cause,
        });
    }

    /// At most `limit` bytes of a file.
    fn head(&self, path: &str, limit: u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        // Below another root may stand a FIFO, or a link to a device.
        let read = files::input::open(&self.under_root(path))
            .and_then(|file| file.take(limit).read_to_end(&mut bytes));
        self.found(path, read)?;
        self.touch(Touched::File(path.to_owned()));
        Some(bytes)
    }

    /// The bytes of a file that is not text.
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        self.head(path, LARGEST_FILE_BYTES)
    }

    /// The text of a file; what is not UTF-8 is a problem, and then replaced.
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = self.bytes(path)?;
        match String::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(error) => {
                let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let line = 1 + before.iter().filter(|b| **b == b'\n').count();
                self.flaw(path, Flaw::at(line, "not UTF-8 text"));
                Some(String::from_utf8_lossy(error.as_bytes()).into_owned())
            }
        }
    }

    /// The start of a text file, for long files whose first lines are enough.
    pub fn text_head(&self, path: &str, limit_bytes: u64) -> Option<String> {
        let bytes = self.head(path, limit_bytes)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A file of one line, without white space and NUL at its ends; `None` when
    /// it is empty, which sysfs uses for "does not apply".
    pub fn word(&self, path: &str) -> Option<String> {
        let text = self.text(path)?;
        let word = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// The words of a file of one line.
    pub fn words(&self, path: &str) -> Vec<String> {
        let line = self.word(path).unwrap_or_default();
        line.split_whitespace().map(str::to_owned).collect()
    }

    /// A file of one value; what the parser refuses becomes a problem.
    pub fn parse<T, E: Display>(
        &self,
        path: &str,
        parser: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let text = self.text(path)?;
        match parser(text.trim()) {
            Ok(value) => Some(value),
            Err(cause) => {
                self.flaw(path, Flaw::at(1, cause.to_string()));
                None
            }
        }
    }

    /// A file of one number.
    pub fn number<T: FromStr>(&self, path: &str) -> Option<T> {
        self.parse(path, |text| {
            text.parse().map_err(|_| Unexpected::new("a number", text))
        })
    }

    /// A file of one number of a NUMA node, which is -1 where there are none.
    pub fn node(&self, path: &str) -> Option<u32> {
        let number: i64 = self.number(path)?;
        u32::try_from(number).ok()
    }

    /// A file of `0` or `1`, or of `N` or `Y` as module parameters have it.
    pub fn switch(&self, path: &str) -> Option<bool> {
        self.parse(path, |text| match text {
            "0" | "N" | "n" => Ok(false),
            "1" | "Y" | "y" => Ok(true),
            _ => Err(Unexpected::new("0 or 1", text)),
        })
    }

    /// A file of one list of CPUs or nodes, such as `0-3,8`.
    pub fn cpus(&self, path: &str) -> Option<CpuList> {
        self.parse(path, |text| match text {
            // nohz_full prints its empty mask so.
            "(null)" => Ok(CpuList::default()),
            _ => text.parse::<CpuList>(),
        })
    }

    /// A file of many lines; the parser keeps what is good and names the rest.
    pub fn lines<T>(&self, path: &str, parser: impl FnOnce(&str) -> (T, Vec<Flaw>)) -> Option<T> {
        let text = self.text(path)?;
        let (value, flaws) = parser(&text);
        for flaw in flaws {
            self.flaw(path, flaw);
        }
        Some(value)
    }

    /// Names in a folder, sorted with `cpu2` before `cpu10`; empty when there is
    /// no such folder.
    pub fn entries(&self, folder: &str) -> Vec<String> {
        let Some(reader) = self.found(folder, std::fs::read_dir(self.under_root(folder))) else {
            return Vec::new();
        };
        self.touch(Touched::Folder(folder.to_owned()));
        let mut names: Vec<String> = reader
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        names.sort_by_key(|name| numbered(name));
        names
    }

    /// Those of [`Source::entries`] that begin so.
    pub fn entries_starting(&self, folder: &str, start: &str) -> Vec<String> {
        let mut names = self.entries(folder);
        names.retain(|name| name.starts_with(start));
        names
    }

    /// Whether the kernel has a file system of this name; `None` when nothing says.
    pub fn knows_file_system(&self, name: &str) -> Option<bool> {
        let text = self.text("/proc/filesystems")?;
        Some(text.split_whitespace().any(|word| word == name))
    }

    /// Last part of where a symbolic link points: how sysfs names a driver.
    pub fn link_name(&self, path: &str) -> Option<String> {
        let target = self.found(path, std::fs::read_link(self.under_root(path)))?;
        self.touch(Touched::Link(path.to_owned()));
        Some(target.file_name()?.to_string_lossy().into_owned())
    }

    /// As [`Source::link_name`], for the links from a class to its devices, which
    /// stored trees keep as folders without a name.
    pub fn device_name(&self, path: &str) -> Option<String> {
        let kind = std::fs::symlink_metadata(self.under_root(path)).ok()?;
        match kind.is_symlink() {
            true => self.link_name(path),
            false => None,
        }
    }

    /// Whether there is a file, folder or device at `path`.
    pub fn exists(&self, path: &str) -> bool {
        let Ok(kind) = std::fs::symlink_metadata(self.under_root(path)) else {
            return false;
        };
        self.touch(match kind.is_dir() {
            true => Touched::Folder(path.to_owned()),
            false => Touched::File(path.to_owned()),
        });
        true
    }

    /// Whether a file can be opened for reading by this process.
    pub fn access(&self, path: &str) -> Access {
        match files::input::open(&self.under_root(path)) {
            Ok(_) => {
                self.touch(Touched::File(path.to_owned()));
                Access::Readable
            }
            Err(e) if e.kind() == ErrorKind::PermissionDenied => Access::Denied,
            Err(_) => Access::Missing,
        }
    }

    /// Everything that was malformed or unreadable so far.
    pub fn problems(&self) -> Vec<Problem> {
        self.problems.borrow().clone()
    }

    /// Files that exist and that this process may not read.
    pub fn denied(&self) -> Vec<String> {
        self.denied.borrow().iter().cloned().collect()
    }

    /// What was looked at and found, sorted.
    pub fn touched(&self) -> Vec<Touched> {
        self.touched.borrow().iter().cloned().collect()
    }
}

/// Sort key that compares runs of digits as numbers.
fn numbered(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let words = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (word, tail) = rest.split_at(words);
        let digits = tail
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(tail.len());
        let (number, tail) = tail.split_at(digits);
        parts.push((word.to_owned(), number.parse().unwrap_or(u64::MAX)));
        rest = tail;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tree(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Source) {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let source = Source::new(folder.path());
        (folder, source)
    }

    #[test]
    fn a_missing_file_is_absence_and_not_a_problem() {
        let (_keep, source) = tree(&[("a", b"1")]);
        assert_eq!(source.text("/b"), None);
        assert_eq!(source.text("/a/below/a/file"), None);
        assert!(source.entries("/nowhere").is_empty());
        assert!(source.problems().is_empty());
    }

    #[test]
    fn a_malformed_number_names_path_and_line() {
        let (_keep, source) = tree(&[("sys/x", b"twelve\n")]);
        assert_eq!(source.number::<u32>("/sys/x"), None);
        assert_eq!(
            source.problems()[0].to_string(),
            "cannot read /sys/x: line 1: expected a number, found \"twelve\""
        );
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_is_a_problem() {
        let (_keep, source) = tree(&[("a/b", b"1")]);
        assert_eq!(source.text("/a"), None);
        assert!(
            source.problems()[0]
                .to_string()
                .starts_with("cannot read /a: ")
        );
    }

    #[test]
    fn text_that_is_not_utf8_is_kept_and_its_line_named() {
        let (_keep, source) = tree(&[("a", b"one\ntw\xffo\n")]);
        assert_eq!(source.text("/a").as_deref(), Some("one\ntw\u{fffd}o\n"));
        assert!(
            source.problems()[0]
                .to_string()
                .contains("line 2: not UTF-8")
        );
    }

    #[test]
    fn the_same_problem_is_reported_once() {
        let (_keep, source) = tree(&[("a", b"x")]);
        source.number::<u32>("/a");
        source.number::<u32>("/a");
        assert_eq!(source.problems().len(), 1);
    }

    #[test]
    fn names_are_sorted_as_people_count() {
        let (_keep, source) = tree(&[("d/cpu10", b""), ("d/cpu2", b""), ("d/cpu0", b"")]);
        assert_eq!(source.entries("/d"), ["cpu0", "cpu2", "cpu10"]);
    }

    #[test]
    fn what_was_found_is_remembered_for_capturing() {
        let (_keep, source) = tree(&[("d/a", b"1")]);
        source.text("/d/a");
        source.text("/d/none");
        source.entries("/d");
        let found = [Touched::File("/d/a".into()), Touched::Folder("/d".into())];
        assert_eq!(source.touched(), found);
    }

    proptest! {
        #[test]
        fn any_name_can_be_sorted(name in ".*") {
            let _ = numbered(&name);
        }
    }
}
