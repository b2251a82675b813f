//! Manual pages: one for each command, and each that is referred to is there.

mod program;

use program::Program;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// `pontage-trace-record(1)` in a page; its hyphens are escaped.
fn references(page: &str) -> impl Iterator<Item = String> {
    let plain = page.replace('\\', "");
    let words: Vec<String> = plain.split_whitespace().map(str::to_owned).collect();
    let named = |word: String| {
        let from = word.find("pontage-")?;
        let name = word[from..].split_once("(1)")?.0;
        Some(name.to_owned())
    };
    words.into_iter().filter_map(named)
}

#[test]
fn every_page_that_is_referred_to_exists_and_no_other() {
    let program = Program::new();
    let ended = program.run(&["man", "--out", "man/man1"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let folder = program.out().parent().unwrap().join("man/man1");
    let (mut pages, mut wanted) = (BTreeSet::new(), BTreeSet::from(["pontage".to_owned()]));
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        pages.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
        wanted.extend(references(&fs::read_to_string(path).unwrap()));
    }
    assert_eq!(pages, wanted);
    for name in [
        "pontage-run",
        "pontage-runs-delete",
        "pontage-trace-record",
        "pontage-lab-up",
    ] {
        assert!(pages.contains(name), "{name}: {pages:?}");
    }
    assert!(
        !pages
            .iter()
            .any(|name| name.contains("worker") || name.contains("help"))
    );
    let one = fs::read_to_string(folder.join("pontage-run.1")).unwrap();
    assert!(
        one.contains(".TH pontage-run 1") && one.contains("fifo"),
        "{one}"
    );
}

#[test]
fn without_a_folder_the_page_of_the_program_is_printed() {
    let program = Program::new();
    let ended = program.run(&["man"]);
    assert!(
        ended.status == 0 && ended.stdout.contains(".TH pontage 1"),
        "{ended:?}"
    );
    assert_eq!(
        references(&ended.stdout)
            .filter(|name| name == "pontage-run")
            .count(),
        1
    );
    fs::create_dir_all(program.out()).unwrap();
    fs::write(program.out().join("file"), "").unwrap();
    let refused = program.run(&["man", "--out", "runs/file"]);
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("cannot write runs/file"),
        "{refused:?}"
    );
}

#[test]
fn the_reader_of_manual_pages_takes_them() {
    let program = Program::new();
    assert_eq!(program.run(&["man", "--out", "man1"]).status, 0);
    let folder = program.out().parent().unwrap().join("man1");
    let (mut read, mut lint) = (0, None);
    for candidate in [
        &["mandoc", "-T", "lint", "-W", "error"][..],
        &["groff", "-ww", "-man", "-T", "utf8"],
    ] {
        let known = Command::new(candidate[0]).arg("--version").output().is_ok();
        if known && lint.is_none() {
            lint = Some(candidate);
        }
    }
    let Some(lint) = lint else {
        eprintln!("skipped: neither mandoc nor groff");
        return;
    };
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let ended = Command::new(lint[0])
            .args(&lint[1..])
            .arg(&path)
            .output()
            .unwrap();
        assert!(ended.status.success(), "{}: {ended:?}", path.display());
        read += 1;
    }
    assert!(read > 40, "{read}");
}
