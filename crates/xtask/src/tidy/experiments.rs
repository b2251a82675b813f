//! An experiment is one file with a complete head, listed in the table, that
//! knows no other area, and names a clock only where its form says why.

use super::Source;

const FOLDER: &str = "crates/experiments/src/";
const LINT: &str = "clippy::disallowed_methods";
const SECTIONS: [&str; 4] = ["## Counts", "## Does not count", "## Origin", "## Theory"];

/// What breaks the rules for experiments, a line for each.
pub fn check(sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    let table = sources
        .iter()
        .find(|s| s.path == format!("{FOLDER}table.rs"));
    let listed = table.map_or_else(Vec::new, |t| listed_ids(&t.text));
    for source in sources
        .iter()
        .filter(|s| s.path.starts_with(FOLDER) && s.is_rust())
    {
        let id = source.path[FOLDER.len()..].trim_end_matches(".rs");
        if source.text.contains("pub static EXPERIMENT") {
            if !listed.iter().any(|l| l == id) {
                wrong.push(format!("{}: not in the table (table.rs)", source.path));
            }
            wrong.extend(head(source, id));
        }
        if let Some((area, _)) = id.split_once('/') {
            wrong.extend(other_areas(source, area, &listed));
        }
    }
    wrong.extend(clocks(sources));
    wrong
}

/// What two areas share is an engine.
fn other_areas(source: &Source, area: &str, listed: &[String]) -> Vec<String> {
    let mut areas: Vec<&str> = listed
        .iter()
        .filter_map(|id| id.split('/').next())
        .collect();
    areas.dedup();
    areas
        .into_iter()
        .filter(|other| *other != area && source.text.contains(&format!("crate::{other}::")))
        .map(|other| format!("{}: knows the area {other}", source.path))
        .collect()
}

/// `area: name name;` lines of the table.
fn listed_ids(table: &str) -> Vec<String> {
    let Some((_, body)) = table.split_once("\nexperiments! {") else {
        return Vec::new();
    };
    let body = body.split('}').next().unwrap_or_default();
    body.split(';')
        .filter_map(|line| line.split_once(':'))
        .flat_map(|(area, names)| {
            names
                .split_whitespace()
                .map(move |name| format!("{}/{name}", area.trim()))
        })
        .collect()
}

fn head(source: &Source, id: &str) -> Vec<String> {
    let head: String = source
        .text
        .lines()
        .take_while(|l| l.starts_with("//!"))
        .map(|l| format!("{l}\n"))
        .collect();
    let mut wrong = Vec::new();
    if !head.starts_with(&format!("//! # {id} - ")) {
        wrong.push(format!(
            "{}: the head must begin with '//! # {id} - title'",
            source.path
        ));
    }
    for section in SECTIONS {
        if !head.contains(&format!("//! {section}\n")) {
            wrong.push(format!("{}: the head lacks '{section}'", source.path));
        }
    }
    wrong
}

/// Clippy refuses clocks and sleeps by what they are (experiments/clippy.toml). It is
/// excused where the experiment's form says that its operation is one.
fn clocks(sources: &[Source]) -> Vec<String> {
    let excused = |text: &str| text.contains(&format!("expect({LINT}"));
    let mut wrong = Vec::new();
    for source in sources.iter().filter(|s| s.path.starts_with(FOLDER)) {
        let Source { path, text } = source;
        if text.contains(&format!("allow({LINT}")) {
            wrong.push(format!(
                "{path}: {LINT} is expected with a reason, never allowed"
            ));
        }
        let is_form = text.contains("pub static EXPERIMENT");
        let says_so = is_form && text.contains("    clock: Some(");
        // The form excuses its own functions and its modules, where they are declared.
        if excused(text) != says_so {
            wrong.push(format!(
                "{path}: a form with `clock` and an expect({LINT}) go together"
            ));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source {
            path: format!("{FOLDER}{path}"),
            text: text.to_owned(),
        }
    }

    #[test]
    fn an_unlisted_incomplete_meddling_experiment_with_a_clock_is_found_four_times() {
        let table = source("table.rs", "x\nexperiments! {\n    mem: latency line;\n}\n");
        let good = source(
            "mem/line.rs",
            "//! # mem/line - T\n//! ## Counts\n//! ## Does not count\n//! ## Origin\n//! ## Theory\npub static EXPERIMENT: E = E {};",
        );
        let bad = source(
            "mem/new.rs",
            "//! # mem/new - T\n//! ## Counts\n//! ## Does not count\n//! ## Theory\npub static EXPERIMENT: E = E {};\nuse crate::ipc::trial;\n#[expect(clippy::disallowed_methods)]\nfn f() {}",
        );
        assert_eq!(check(&[table, good]), Vec::<String>::new());
        let table = source(
            "table.rs",
            "x\nexperiments! {\n    mem: latency line;\n    ipc: pipe;\n}\n",
        );
        let wrong = check(&[table, bad]);
        assert_eq!(wrong.len(), 4, "{wrong:?}");
    }
}
