//! `pontage persist`: logs that are written, killed and checked.

mod program;

use program::Program;

#[test]
fn a_log_is_acknowledged_checked_and_never_overwritten() {
    let program = Program::new();
    for way in ["lines", "msync", "fdatasync", "none"] {
        let written = program.run(&["persist", "log", way, "--records", "9", "--sync", way]);
        assert_eq!(written.status, 0, "{written:?}");
        let numbers: Vec<&str> = written.stdout.lines().collect();
        assert_eq!(numbers, ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
        let whole = program.run(&["persist", "check", way, "--acknowledged", "9"]);
        assert_eq!(whole.status, 0, "{whole:?}");
        assert!(
            whole
                .stdout
                .contains("9 records whole, 9 acknowledged, 0 of them missing")
        );
        let missing = program.run(&["persist", "check", way, "--acknowledged", "12"]);
        assert_eq!(missing.status, 1, "{missing:?}");
        assert!(missing.stdout.contains("3 of them missing"), "{missing:?}");
        let again = program.run(&["persist", "log", way, "--sync", way]);
        assert_eq!(again.status, 2, "{again:?}");
        assert!(
            again.stderr.contains("hint: a log is never overwritten"),
            "{again:?}"
        );
    }
}

#[test]
fn map_sync_works_or_is_skipped_and_a_log_that_is_not_there_is_named() {
    let program = Program::new();
    let written = program.run(&["persist", "log", "log", "--sync", "map_sync"]);
    assert!([0, 77].contains(&written.status), "{written:?}");
    if written.status == 77 {
        assert!(written.stderr.contains("MAP_SYNC"), "{written:?}");
    }
    let nothing = program.run(&["persist", "check", "nowhere", "--acknowledged", "1"]);
    assert_eq!(nothing.status, 2, "{nothing:?}");
    assert!(
        nothing.stderr.contains("cannot read nowhere"),
        "{nothing:?}"
    );
}
