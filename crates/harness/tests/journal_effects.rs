//! What a journal would do is listed without doing it.

use harness::journal::effects;
use std::fs;
use std::path::PathBuf;

/// Journals with ROOT for the root: those from which the fuzzer sets out.
fn seed(name: &str) -> (tempfile::TempDir, Result<Vec<(PathBuf, String)>, String>) {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/journal");
    let text = fs::read_to_string(format!("{corpus}/{name}")).expect("a seed");
    let root = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(root.path().join("proc/self")).expect("a folder");
    let mounts = "t /sys/kernel/tracing tracefs rw 0 0\nr /sys/fs/resctrl resctrl rw 0 0\n";
    fs::write(root.path().join("proc/self/mounts"), mounts).expect("a file");
    let text = text.replace("ROOT", &root.path().display().to_string());
    let found = effects(root.path(), text.as_bytes()).map_err(|e| e.to_string());
    (root, found)
}

#[test]
fn every_line_of_the_closed_list_is_listed_with_its_value() {
    for (name, wanted) in [
        ("seed-settings", 3),
        ("seed-tracing", 6),
        ("seed-probes", 3),
    ] {
        let (root, found) = seed(name);
        let found = found.expect(name);
        assert_eq!(found.len(), wanted, "{name}: {found:?}");
        assert!(found.iter().all(|(path, _)| path.starts_with(root.path())));
        assert!(
            found.iter().all(|(path, _)| !path.exists()),
            "nothing is made"
        );
    }
    let (root, found) = seed("seed-settings");
    let pages = root.path().join("proc/sys/vm/nr_hugepages");
    assert_eq!(found.expect("settings")[0], (pages, "12".to_owned()));
    assert_eq!(
        seed("seed-objects").1.map(|all| all.len()),
        Ok(1),
        "queues are no files"
    );
}

#[test]
fn a_journal_with_one_line_outside_the_list_does_nothing() {
    let cause = seed("seed-attack").1.expect_err("it names /etc/shadow");
    assert!(cause.contains("this program does not change it"), "{cause}");
}
