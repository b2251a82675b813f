//! One input that stands for several files: behind each line `%% NAME` stands
//! what the file holds. A fuzzer can move, double and cut parts without knowing
//! more, and people can read what it found.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

const MARK: &[u8] = b"%% ";
/// More are not written: a folder of an input is made and removed each time.
const MOST_PARTS: usize = 256;
const DEEPEST: usize = 16;
const LONGEST_NAME: usize = 200;

/// A name, and what stands behind it. The line end before a mark belongs to the
/// mark. Bytes before the first mark are nobody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    pub name: &'a str,
    pub bytes: &'a [u8],
}

/// The parts of an input, at most 256.
pub fn parts(input: &[u8]) -> Vec<Part<'_>> {
    let begins = |at: usize| input[at..].starts_with(MARK) && (at == 0 || input[at - 1] == b'\n');
    let mut marks: Vec<usize> = (0..input.len()).filter(|at| begins(*at)).collect();
    marks.truncate(MOST_PARTS);
    let ends = marks.iter().skip(1).map(|next| next - 1);
    let ends = ends.chain([input.len()]);
    let part = |(begin, end): (&usize, usize)| {
        let text = &input[begin + MARK.len()..end.max(begin + MARK.len())];
        let line = text.iter().position(|b| *b == b'\n').unwrap_or(text.len());
        Some(Part {
            name: std::str::from_utf8(&text[..line]).ok()?,
            bytes: text.get(line + 1..).unwrap_or_default(),
        })
    };
    marks.iter().zip(ends).filter_map(part).collect()
}

/// Where the bytes of the first part of this name lie.
pub fn range_of(input: &[u8], name: &str) -> Option<std::ops::Range<usize>> {
    let mut parts = parts(input).into_iter();
    let bytes = parts.find(|part| part.name == name)?.bytes;
    // What is empty may lie anywhere.
    if bytes.is_empty() {
        return None;
    }
    let begin = bytes.as_ptr() as usize - input.as_ptr() as usize;
    Some(begin..begin + bytes.len())
}

/// Writes the parts below `root`; names that lead out of it are left out.
/// `NAME -> TARGET` makes a link. Files and folders come first: nothing is ever
/// written through a link.
pub fn write_below(root: &Path, parts: &[Part<'_>]) {
    let mut links = Vec::new();
    for part in parts {
        let (name, target) = match part.name.split_once(" -> ") {
            Some((name, target)) => (name, Some(target)),
            None => (part.name, None),
        };
        let Some(path) = inside(name) else { continue };
        let to = root.join(&path);
        // What is a file already is no folder, and the other way round: the first
        // one stays.
        if to.parent().is_none_or(|f| fs::create_dir_all(f).is_err()) {
            continue;
        }
        match target {
            None => drop(fs::write(&to, part.bytes)),
            Some(target) if stays(&path, target) => links.push((to, target)),
            Some(_) => {}
        }
    }
    for (to, target) in links {
        let _ = symlink(target, &to);
    }
}

fn inside(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    let plain = |c: Component<'_>| matches!(c, Component::Normal(n) if n.len() <= LONGEST_NAME);
    let deep = path.components().count();
    let fits = (1..=DEEPEST).contains(&deep) && path.components().all(plain);
    (fits && !name.contains('\0')).then(|| path.to_owned())
}

/// Whether the link at `path` climbs no higher than the folders it stands in.
fn stays(path: &Path, target: &str) -> bool {
    let mut depth = path.components().count() - 1;
    let target = Path::new(target);
    target.as_os_str().len() <= LONGEST_NAME
        && target.components().all(|component| match component {
            Component::ParentDir => {
                let above = depth.checked_sub(1);
                depth = above.unwrap_or(0);
                above.is_some()
            }
            Component::Normal(_) => {
                depth += 1;
                true
            }
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::{Part, parts, range_of, write_below};
    use std::fs;

    #[test]
    fn parts_are_split_at_their_marks() {
        let input = b"lost\n%% a/b\none\n\n%% c -> a/b\n%% \xff\nx\n%% d\n\0 %% no mark";
        let named: Vec<(&str, &[u8])> = parts(input).iter().map(|p| (p.name, p.bytes)).collect();
        let expected: [(&str, &[u8]); 3] = [
            ("a/b", b"one\n"),
            ("c -> a/b", b""),
            ("d", b"\0 %% no mark"),
        ];
        assert_eq!(named, expected);
        assert!(parts(b"").is_empty());
        assert_eq!(parts(b"%% ").len(), 1);
        assert_eq!(parts(b"%% \n%% ").len(), 2);
    }

    #[test]
    fn a_part_is_found_where_it_lies() {
        let input = b"lost\n%% a\none\n%% b\n%% b\ntwo\n%% c\n";
        assert_eq!(range_of(input, "a"), Some(10..13));
        assert_eq!(range_of(input, "b"), None, "the first one is empty");
        assert_eq!(range_of(input, "c"), None, "nothing behind its mark");
        assert_eq!(range_of(input, "d"), None);
    }

    #[test]
    fn nothing_is_written_outside() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("root");
        fs::create_dir(&root).unwrap();
        let part = |name| Part { name, bytes: b"x" };
        let names = [
            "../out",
            "/tmp/pontage-out",
            "a/../../out",
            "up -> ..",
            "up/out",
            "deep/up -> ../../out",
            "deep/fine -> ../a",
            "deep/abs -> /etc",
            "deep/abs/out",
            "a",
            "",
            "a/under-a-file",
        ];
        write_below(&root, &names.map(part));
        let outside: Vec<_> = fs::read_dir(outer.path()).unwrap().flatten().collect();
        assert_eq!(outside.len(), 1, "{outside:?}");
        assert_eq!(fs::read(root.join("deep/fine")).unwrap(), b"x");
        assert_eq!(fs::read(root.join("up/out")).unwrap(), b"x");
        assert!(!root.join("up").is_symlink());
        assert!(root.join("deep/abs").is_dir() && !root.join("deep/abs").is_symlink());
    }
}
