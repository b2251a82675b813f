//! No files of a crate that need each other. A file and the one that declares it may:
//! the parent hands out what its children share.

use super::Source;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The crate, then the path of the module in it.
type Module = Vec<String>;
type Arrows = BTreeMap<Module, BTreeSet<Module>>;

/// A line for each circle, its shortest way round.
pub fn check(sources: &[Source]) -> Vec<String> {
    let files: BTreeMap<Module, &Source> = sources
        .iter()
        .filter(|source| source.is_product())
        .filter_map(|source| Some((module(&source.path)?, source)))
        .collect();
    let arrows: Arrows = files
        .iter()
        .map(|(from, source)| (from.clone(), needed(from, source, &files)))
        .collect();
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for from in arrows.keys() {
        let Some(round) = way_round(from, &arrows) else {
            continue;
        };
        if seen.insert(round.iter().cloned().collect::<BTreeSet<_>>()) {
            let names = round.iter().map(|m| files[m].path.as_str());
            let names: Vec<&str> = names.collect();
            wrong.push(format!(
                "{} -> {}: a circle of files: move what both need to a file of its own",
                names.join(" -> "),
                names[0]
            ));
        }
    }
    wrong
}

/// `crates/a/src/b/c.rs` is `a::b::c`.
fn module(path: &str) -> Option<Module> {
    let (name, file) = path.strip_prefix("crates/")?.split_once("/src/")?;
    let parts = file.strip_suffix(".rs")?.split('/');
    let mut module: Module = std::iter::once(name)
        .chain(parts)
        .map(str::to_owned)
        .collect();
    if matches!(module.last()?.as_str(), "mod" | "lib" | "main") {
        module.pop();
    }
    Some(module)
}

/// Modules of the same crate that the file names, its parents and children aside.
fn needed(from: &Module, source: &Source, files: &BTreeMap<Module, &Source>) -> BTreeSet<Module> {
    let paths = paths(source.code());
    let found = paths.iter().filter_map(|path| resolved(from, path, files));
    let kin = |to: &Module| to.starts_with(from) || from.starts_with(to);
    found.filter(|to| !kin(to)).collect()
}

/// The deepest module that a path leads to.
fn resolved(from: &Module, path: &[String], files: &BTreeMap<Module, &Source>) -> Option<Module> {
    let mut base = from.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => {
            base.truncate(1);
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|part| part == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        _ => {}
    }
    let mut deepest = None;
    for part in rest {
        base.push(part.clone());
        if files.contains_key(&base) {
            deepest = Some(base.clone());
        }
    }
    deepest
}

/// Paths of `use` declarations, and those that begin with `crate` or `super`.
fn paths(code: &str) -> Vec<Vec<String>> {
    let lines = code
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line));
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    let mut rest = String::new();
    for (at, piece) in code.split("use ").enumerate() {
        match piece.split_once(';') {
            Some((tree, after)) if at > 0 => {
                expand("", tree, &mut found);
                rest.push_str(after);
            }
            _ => rest.push_str(piece),
        }
    }
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let words = rest.split(|c| !is_path(c));
    let inline = words.filter(|w| w.starts_with("crate::") || w.starts_with("super::"));
    found.extend(inline.map(str::to_owned));
    let parts = |path: &String| {
        path.split("::")
            .map(|part| part.trim().to_owned())
            .collect()
    };
    found.iter().map(parts).collect()
}

/// `a::{b, c::{d}}` is `a::b` and `a::c::d`.
fn expand(before: &str, tree: &str, found: &mut Vec<String>) {
    let Some((head, inner)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree).trim();
        return found.push(format!("{before}{path}"));
    };
    let before = format!("{before}{}", head.trim());
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..at].trim().is_empty() {
                    expand(&before, &inner[start..at], found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// The shortest way from a module back to itself.
fn way_round(from: &Module, arrows: &Arrows) -> Option<Vec<Module>> {
    let mut came: BTreeMap<&Module, &Module> = BTreeMap::new();
    let mut next = VecDeque::from([from]);
    while let Some(at) = next.pop_front() {
        for to in arrows.get(at).into_iter().flatten() {
            if to == from {
                let back = std::iter::successors(Some(at), |m| came.get(m).copied());
                let mut round: Vec<Module> = back.cloned().collect();
                round.reverse();
                return Some(round);
            }
            if !came.contains_key(to) {
                came.insert(to, at);
                next.push_back(to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn two_files_that_need_each_other_are_found_once() {
        let wrong = check(&[
            source("crates/a/src/lib.rs", "mod one;\nmod two;\n"),
            source(
                "crates/a/src/one.rs",
                "use crate::{other::X, two::{self, Y}};\n",
            ),
            source("crates/a/src/two.rs", "fn f() { super::one::g() }\n"),
        ]);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        let way = "crates/a/src/one.rs -> crates/a/src/two.rs -> crates/a/src/one.rs";
        assert!(wrong[0].starts_with(way), "{wrong:?}");
    }

    #[test]
    fn parents_comments_tests_and_other_crates_close_no_circle() {
        let wrong = check(&[
            source(
                "crates/a/src/one.rs",
                "mod part;\nuse part::X;\nuse crate::two::Y;\n",
            ),
            source("crates/a/src/one/part.rs", "use super::Z;\n"),
            source(
                "crates/a/src/two.rs",
                "// use crate::one::X;\n#[cfg(test)]\nmod tests {\nuse crate::one::X;\n}\n",
            ),
            source("crates/b/src/two.rs", "use crate::one::X;\n"),
        ]);
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
