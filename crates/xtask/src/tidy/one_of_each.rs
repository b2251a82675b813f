//! What is made in one place only.

use super::Source;

/// What stands in product code, where it may stand, and what serves instead.
const ONLY: &[(&str, &[&str], &str)] = &[
    (
        "Finding {",
        // conclude adds the experiment.
        &["analysis/src/conclusion.rs", "catalogue/src/conclude.rs"],
        "analysis::conclusion::Conclusion builds findings",
    ),
    (
        "libc::mmap",
        // Its operation is the call.
        &["mapped/src/lib.rs", "experiments/src/trace/profile/ways.rs"],
        "mapped::Map owns mappings",
    ),
    (
        "libc::sched_setaffinity",
        &["harness/src/affinity.rs"],
        "harness::affinity pins",
    ),
    (
        "comfy_table",
        &["report/src/document/terminal/table.rs"],
        "report::document has the table",
    ),
];

/// Second places, a line for each.
pub fn check(sources: &[Source]) -> Vec<String> {
    let product = |s: &&Source| s.is_product() && !s.path.starts_with("crates/xtask/");
    sources
        .iter()
        .filter(product)
        .flat_map(|source| {
            ONLY.iter()
                .filter(|(what, ..)| stands_in(source, what))
                .filter(|(_, homes, _)| !homes.iter().any(|home| source.path.ends_with(home)))
                .map(|(what, _, instead)| format!("{}: {what}: {instead}", source.path))
        })
        .collect()
}

/// In code, not as the end of a signature or of a definition.
fn stands_in(source: &Source, what: &str) -> bool {
    let ends = |before: &str| {
        let word = before.trim_end().rsplit(' ').next().unwrap_or_default();
        ["->", "struct", "impl", "for"].contains(&word) || before.ends_with(char::is_alphanumeric)
    };
    source
        .code()
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .any(|line| line.match_indices(what).any(|(at, _)| !ends(&line[..at])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_made_by_hand_is_found() {
        let source = |path: &str, text: &str| Source {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let literal = "fn f() -> Finding {\n    Finding {\n        key,\n";
        let signature = "fn f() -> Finding {\n    build()\n}\nstruct OneFinding {\n";
        let wrong = check(&[
            source("crates/engines/src/a.rs", literal),
            source("crates/engines/src/b.rs", signature),
            source("crates/engines/src/a/tests.rs", literal),
            source("crates/analysis/src/conclusion.rs", literal),
        ]);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].starts_with("crates/engines/src/a.rs"), "{wrong:?}");
    }
}
