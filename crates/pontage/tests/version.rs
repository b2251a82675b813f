//! What the program says it is.

mod program;

use program::Program;
use std::path::Path;

#[test]
fn the_version_names_the_commit() {
    let said = Program::new().run(&["--version"]).stdout;
    let version = said
        .trim()
        .strip_prefix("pontage ")
        .expect("its name first");
    let (number, words) = version.split_once('+').unwrap_or((version, ""));
    let mut words: Vec<&str> = words.split('.').collect();
    assert_eq!(
        words.pop(),
        Some("debug"),
        "the tests' build says so: {version}"
    );
    let commit = words.first();
    assert_eq!(number, env!("CARGO_PKG_VERSION"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if root.join(".git").exists() {
        let commit = commit.expect("a checkout has one");
        let hex = commit.strip_suffix("-changed").unwrap_or(commit);
        assert!(
            hex.len() >= 7 && hex.bytes().all(|b| b.is_ascii_hexdigit()),
            "{version}"
        );
    }
}
