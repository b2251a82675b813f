//! What ARCHITECTURE.md names is there: files, folders, and the items of a crate.

use super::Source;
use std::path::{Path, PathBuf};

const DOCUMENT: &str = "ARCHITECTURE.md";

/// Placeholders of a path, in the place of any folder or file.
const PLACEHOLDERS: [&str; 3] = ["area", "name", "x"];

/// Names that lead nowhere, a line for each.
pub fn check(root: &Path, sources: &[Source]) -> Vec<String> {
    let document = sources.iter().find(|s| s.path == DOCUMENT);
    document.map_or_else(Vec::new, |d| missing(&d.text, &Tree { root, sources }))
}

fn missing(text: &str, tree: &Tree) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut folder = PathBuf::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with(['|', '-']) {
            folder = PathBuf::new();
        }
        for name in quoted(line) {
            match tree.place(&folder, name) {
                Some(found) => folder = found,
                None => wrong.push(format!("{DOCUMENT}:{}: there is no {name}", number + 1)),
            }
        }
    }
    wrong
}

/// What stands in backticks.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// A file or a folder, and no command, no absolute path, no flag.
fn is_path(name: &str) -> bool {
    let source = Path::new(name)
        .extension()
        .is_some_and(|e| e == "rs" || e == "c" || e == "h");
    (source || name.contains('/')) && !name.contains([' ', '<']) && !name.starts_with('/')
}

struct Tree<'a> {
    root: &'a Path,
    sources: &'a [Source],
}

impl Tree<'_> {
    /// The folder in which `name` lies, and `before` where it names neither file nor
    /// folder. A path without its first folders goes on from the one named before it;
    /// of a pattern its folder is looked for.
    fn place(&self, before: &Path, name: &str) -> Option<PathBuf> {
        if let Some((of, item)) = name.split_once("::").filter(|(of, _)| *of != "a") {
            return self.item(before, of, item);
        }
        if !is_path(name) || name.split('/').any(is_placeholder) {
            return Some(before.to_owned());
        }
        let path = match name.split_once('*') {
            Some((start, _)) => &start[..=start.rfind('/')?],
            None => name,
        };
        let tops = ["", "crates", "crates/xtask/src", "lab"].map(PathBuf::from);
        let around = before.ancestors().map(Path::to_owned);
        let mut places = around.chain(tops).map(|folder| folder.join(path));
        let exists = |place: &Path| self.root.join(place).exists();
        let Some(found) = places.find(|place| exists(place)) else {
            let experiment = Path::new("crates/experiments/src").join(path);
            let known = exists(&experiment) || exists(&experiment.with_extension("rs"));
            return known.then(|| before.to_owned());
        };
        match path.ends_with('/') {
            true => Some(found),
            false => found.parent().map(Path::to_owned),
        }
    }

    /// As `place`, for a file, a folder or a public item of crate `of`, or an item of a
    /// type: `crate::Type::field`.
    fn item(&self, before: &Path, of: &str, item: &str) -> Option<PathBuf> {
        let source = PathBuf::from(format!("crates/{of}/src"));
        if !self.root.join(&source).exists() {
            return None;
        }
        let place = source.join(item.replace("::", "/"));
        if self.root.join(&place).is_dir() {
            return Some(place);
        }
        let is_file = self.root.join(place.with_extension("rs")).exists();
        (is_file || self.defines(&source, item)).then(|| before.to_owned())
    }

    fn defines(&self, source: &Path, item: &str) -> bool {
        let ours = self
            .sources
            .iter()
            .filter(|s| Path::new(&s.path).starts_with(source));
        let defined = |name: &str| {
            let kinds = ["struct", "enum", "trait", "type", "fn"];
            let mut texts = ours.clone().map(|s| &s.text);
            texts.any(|text| {
                kinds
                    .iter()
                    .any(|kind| text.contains(&format!("pub {kind} {name}")))
            })
        };
        match item.split_once("::") {
            Some((kind, member)) => {
                let is_field = |s: &Source| s.text.contains(&format!("pub {member}: "));
                defined(kind) && (defined(member) || ours.clone().any(is_field))
            }
            None => defined(item),
        }
    }
}

fn is_placeholder(part: &str) -> bool {
    PLACEHOLDERS.contains(&part.strip_suffix(".rs").unwrap_or(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let sources = [Source {
            path: "crates/xtask/src/tidy/mod.rs".to_owned(),
            text: "pub struct Source {\n    pub path: String,".to_owned(),
        }];
        missing(
            text,
            &Tree {
                root: &root,
                sources: &sources,
            },
        )
    }

    #[test]
    fn what_is_there_is_found_in_full_and_in_short() {
        let text = "| `xtask/src/tidy/mod.rs`, `places.rs`, `tidy/words.rs`; `kernel/core/choose.c` |\n\
                    `experiments/src/area/name.rs` and `area/name/`, `kernel/uapi/*.h`, `run.json`\n\
                    `xtask::tidy`: `mod.rs`\nand `words.rs`, `xtask::Source`, `xtask::Source::path`\n\
                    `lab/scenarios/*.toml`, `sched/wakeup`, `pontage run`, `/proc/stat`\n";
        assert_eq!(said(text), Vec::<String>::new());
    }

    #[test]
    fn what_is_not_there_is_named_with_its_line() {
        let text = "\n`xtask/src/tidy/nowhere.rs`, `lane.c`\n`choose.c`, `xtask::Nothing`\n\
                    `nowhere/*.toml`, `Source::path`, `xtask::Source::none`, `nowhere/`\n";
        let wrong = said(text);
        assert_eq!(wrong.len(), 8, "{wrong:?}");
        assert_eq!(
            wrong[0],
            "ARCHITECTURE.md:2: there is no xtask/src/tidy/nowhere.rs"
        );
        assert!(wrong[3].starts_with("ARCHITECTURE.md:3:"));
    }
}
