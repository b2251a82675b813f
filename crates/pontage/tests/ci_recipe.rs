//! docs/ci/compare.sh in a repository of its own: a change that makes a program slower is found and
//! said.

mod program;

use program::{Ended, Program};
use std::path::Path;

/// Two commits of a program that takes so long, and what the recipe makes of the second.
fn compared(before: &str, after: &str) -> (Ended, String) {
    let program = Program::new();
    let recipe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci/compare.sh");
    let script = format!(
        "set -e; git init -q -b main .; git config user.name n; git config user.email e
         echo '{before}' >work; git add work; git commit -qm before; git branch base
         echo '{after}' >work; git commit -qam after
         TIME=20 '{}' base 'cp work built' 'sh built'",
        recipe.display()
    );
    let ended = program.shell(&script);
    let comment =
        std::fs::read_to_string(program.out().with_file_name("comment.md")).unwrap_or_default();
    (ended, comment)
}

#[test]
fn a_slower_program_is_found_and_said() {
    let (ended, comment) = compared("true", "sleep 0.1");
    assert_eq!(ended.status, 1, "{ended:?}");
    for words in [
        "slower than `base`",
        "**Yes.**",
        "| whole process |",
        "pontage 0.",
    ] {
        assert!(comment.contains(words), "{words}: {comment}");
    }
    assert!(!comment.contains("/tmp"), "{comment}");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let program = Program::new();
    let recipe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci/compare.sh");
    let made = "git init -q . && git -c user.name=n -c user.email=e commit -q --allow-empty -m x";
    let unknown = format!("{made} && '{0}' nowhere true true", recipe.display());
    let ended = program.shell(&unknown);
    assert_eq!(ended.status, 2, "{ended:?}");
    assert!(
        ended.stderr.contains("there is no nowhere here"),
        "{ended:?}"
    );
    let failing = format!("{made} && '{0}' HEAD false true", recipe.display());
    let ended = program.shell(&failing);
    assert_eq!(ended.status, 2, "{ended:?}");
    assert!(ended.stderr.contains("cannot build"), "{ended:?}");
}
