//! Line-level rules: length of files, names of files, leftovers, foreign paths,
//! where unsafe code may stand.

use super::Source;

/// One concern a file; past this it is usually two.
const MAX_LINES: usize = 450;
/// Data tables and tests may be long.
const LONG_ALLOWED: [&str; 4] = ["/tests/", "/test/", "tests.rs", "_data.rs"];
const FOREIGN: [&str; 3] = [
    concat!("/wo", "rk/"),
    concat!("../sha", "red"),
    concat!("source docu", "ment 0"),
];
const LEFTOVERS: [&str; 5] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("to", "do!("),
    concat!("unimplemen", "ted!("),
];
/// Crates that need a system call or an instruction. Every other one has the
/// compiler refuse unsafe code.
const UNSAFE_ALLOWED: [&str; 8] = [
    "engines",
    "experiments",
    "faults",
    "harness",
    "mapped",
    "probe",
    "uapi",
    "workload",
];
const FORBIDDEN: &str = "#![forbid(unsafe_code)]";
const VAGUE_NAMES: [&str; 5] = ["util", "utils", "helper", "helpers", "manager"];
const CODE: [&str; 6] = [".rs", ".ts", ".mjs", ".sh", ".c", ".h"];

/// What breaks the rules for files and lines, a line for each.
pub fn check(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .filter(|s| !generated(&s.path))
        .flat_map(|s| {
            let mut wrong = file_rules(s);
            wrong.extend(s.text.lines().enumerate().filter_map(|(i, line)| {
                line_rule(s, line).map(|what| format!("{}:{}: {what}", s.path, i + 1))
            }));
            wrong
        })
        .collect()
}

fn generated(path: &str) -> bool {
    path.ends_with(".lock")
        || path.ends_with("package-lock.json")
        || path.starts_with("ui/dist/")
        || path.starts_with("fixtures/")
        || path.contains("/snapshots/")
}

fn is_code(path: &str) -> bool {
    CODE.iter().any(|ending| path.ends_with(ending))
}

fn file_rules(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    let count = source.text.lines().count();
    let may_be_long = LONG_ALLOWED.iter().any(|part| source.path.contains(part));
    if is_code(&source.path) && count > MAX_LINES && !may_be_long {
        wrong.push(format!(
            "{}: {count} lines, {MAX_LINES} at most: split it",
            source.path
        ));
    }
    let stem = source.path.rsplit('/').next().unwrap_or_default();
    let stem = stem.split('.').next().unwrap_or_default();
    if VAGUE_NAMES.contains(&stem) {
        wrong.push(format!(
            "{}: name the concern instead of {stem:?}",
            source.path
        ));
    }
    if !forbids_unsafe(source) {
        wrong.push(format!("{}: {FORBIDDEN} is missing", source.path));
    }
    wrong
}

fn line_rule(source: &Source, line: &str) -> Option<String> {
    if let Some(path) = FOREIGN.iter().find(|p| line.contains(**p)) {
        return Some(format!("{path:?} means nothing outside one machine"));
    }
    if !is_code(&source.path) {
        return None;
    }
    if let Some(word) = LEFTOVERS.iter().find(|w| line.contains(**w)) {
        return Some(format!("{word} left in the code"));
    }
    None
}

/// A crate's root either needs unsafe code or forbids it.
fn forbids_unsafe(source: &Source) -> bool {
    let mut parts = source.path.split('/');
    let root = match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some("crates"), Some(name), Some("src"), Some("lib.rs" | "main.rs")) => name,
        _ => return true,
    };
    UNSAFE_ALLOWED.contains(&root) || source.text.lines().any(|line| line == FORBIDDEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_can_fail() {
        let source = |path: &str, text: String| Source {
            path: path.to_owned(),
            text,
        };
        let wrong = check(&[
            source("crates/a/src/util.rs", String::new()),
            source("crates/a/src/long.rs", "x\n".repeat(451)),
            source("crates/a/tests/long.rs", "x\n".repeat(451)),
            source("crates/report/src/lib.rs", "pub mod x;".to_owned()),
            source("crates/stats/src/lib.rs", FORBIDDEN.to_owned()),
            source("crates/harness/src/lib.rs", "pub mod x;".to_owned()),
            source("README.md", format!("see {}main", FOREIGN[0])),
            source("crates/a/src/y.rs", LEFTOVERS[3].to_owned()),
        ]);
        assert_eq!(wrong.len(), 5, "{wrong:#?}");
    }
}
