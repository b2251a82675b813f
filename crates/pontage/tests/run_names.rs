//! Names and tags that a run is given when it begins.

mod program;

use program::{Program, head, run_folder};
use std::fs;

const SHORT: [&str; 4] = ["run", "syscall/getppid", "--budget-ms", "5"];

#[test]
fn a_run_keeps_its_name_and_tags_and_no_other_run_there_gets_the_name() {
    let program = Program::new();
    let run = |more: &[&str]| program.run(&[&SHORT[..], more].concat());
    let named = [
        "--name",
        "old-kernel",
        "--tag",
        "ci",
        "--tag",
        "zen5",
        "--tag",
        "ci",
    ];
    let first = run(&named);
    assert_eq!(first.status, 0, "{first:?}");
    let labels = &head(&run_folder(&program))["labels"];
    let expected = serde_json::json!({ "name": "old-kernel", "tags": ["ci", "zen5"] });
    assert_eq!(labels, &expected);

    let second = run(&["--name", "old-kernel"]);
    assert_eq!(second.status, 2, "{second:?}");
    let causes = [
        "cannot name a run old-kernel: runs/",
        "hint: choose another name",
    ];
    for cause in causes {
        assert!(second.stderr.contains(cause), "{second:?}");
    }
    assert_eq!(
        fs::read_dir(program.out()).unwrap().count(),
        1,
        "nothing began"
    );

    let elsewhere = run(&["--name", "old-kernel", "--out", "other"]);
    assert_eq!(elsewhere.status, 0, "{elsewhere:?}");
}

#[test]
fn words_that_are_no_names_are_refused_before_anything_begins() {
    let program = Program::new();
    for (flag, word, cause) in [
        ("--name", "latest", "reserved"),
        ("--name", "a b", "letters, digits"),
        ("--name", "../x", "begin with a letter"),
        ("--name", "", "begin with a letter"),
        ("--tag", "previous", "reserved"),
        ("--tag", "@x", "begin with a letter"),
    ] {
        let ended = program.run(&[&SHORT[..], &[flag, word]].concat());
        assert_eq!(ended.status, 2, "{ended:?}");
        assert!(ended.stderr.contains(cause), "{word}: {ended:?}");
    }
    let resumed = program.run(&["run", "--resume", "x", "--name", "a"]);
    assert!(
        resumed.stderr.contains("cannot be used with"),
        "{resumed:?}"
    );
    assert!(!program.out().exists());
}

#[test]
fn a_run_without_labels_has_no_field_of_them() {
    let program = Program::new();
    assert_eq!(program.run(&SHORT).status, 0);
    assert!(head(&run_folder(&program)).get("labels").is_none());
}
