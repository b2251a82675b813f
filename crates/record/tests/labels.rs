//! Names and tags of runs that are there, and the quick reading of heads.

mod common;

use record::{Labels, Run, RunState, RunWriter, brief, relabel};
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/records")
}

fn copied(name: &str, to: &Path) -> PathBuf {
    let folder = to.join(name);
    fs::create_dir_all(&folder).unwrap();
    for entry in fs::read_dir(fixtures().join(name)).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
    }
    folder
}

#[test]
fn labels_are_one_field_and_all_others_stay_as_they_are() {
    let parent = tempfile::tempdir().unwrap();
    for name in [
        "v1-small",
        "v1-switch",
        "v2-small",
        "v3-small",
        "v3-crashed",
    ] {
        let folder = copied(name, parent.path());
        let head = || fs::read_to_string(folder.join("run.json")).unwrap();
        let before = head();
        assert!(!before.contains("\"labels\""), "{name}");
        relabel(&folder, |labels| {
            labels.name = Some("old-kernel".into());
            labels.tag("ci");
            labels.tag("ci");
        })
        .unwrap();
        let labels = Run::open(&folder).unwrap().head().labels.clone();
        let expected = Labels {
            name: Some("old-kernel".into()),
            tags: vec!["ci".into()],
        };
        assert_eq!(labels, expected, "{name}");
        assert_eq!(brief::read(&folder).unwrap().labels, expected, "{name}");
        relabel(&folder, |labels| *labels = Labels::default()).unwrap();
        // One of them was indented by another program.
        let lines = |text: &str| {
            text.lines()
                .map(|l| l.trim().to_owned())
                .collect::<Vec<_>>()
        };
        assert!(lines(&head()) == lines(&before), "{name}");
    }
}

#[test]
fn a_run_that_is_being_written_keeps_its_labels() {
    let parent = tempfile::tempdir().unwrap();
    let mut head = common::small_head("20231114T221320Z-host");
    head.labels.tag("before");
    let mut writer = RunWriter::create(parent.path(), head.clone()).unwrap();
    let folder = writer.folder().to_owned();
    assert_eq!(brief::read(&folder).unwrap().state, RunState::Running);
    let refused = relabel(&folder, |labels| labels.tag("meanwhile")).unwrap_err();
    assert!(refused.to_string().contains("another process is writing"));
    head.state = RunState::Incomplete { reason: "x".into() };
    writer.close(head).unwrap();
    drop(writer);
    relabel(&folder, |labels| labels.tag("after")).unwrap();
    let resumed = RunWriter::resume(&folder).unwrap();
    assert_eq!(resumed.head().labels.tags, ["before", "after"]);
}

#[test]
fn the_beginning_of_a_head_says_what_the_whole_says() {
    for name in [
        "v1-small",
        "v1-crashed",
        "v2-small",
        "v3-small",
        "v3-crashed",
    ] {
        let folder = fixtures().join(name);
        let (run, brief) = (Run::open(&folder).unwrap(), brief::read(&folder).unwrap());
        let head = run.head();
        assert_eq!(
            (&brief.id, &brief.started_utc),
            (&head.id, &head.started_utc)
        );
        assert_eq!((&brief.recipe, &brief.state), (&head.recipe, &head.state));
        assert_eq!(brief.machine.host, head.machine.host);
        assert_eq!(brief.load, head.conditions.load);
    }
}

#[test]
fn points_are_not_read_and_a_damaged_beginning_is_named() {
    let parent = tempfile::tempdir().unwrap();
    let folder = copied("v3-small", parent.path());
    let path = folder.join("run.json");
    let text = fs::read_to_string(&path).unwrap();
    let points = text.find("\"points\"").unwrap();
    fs::write(&path, &text[..points]).unwrap();
    assert!(brief::read(&folder).is_ok());
    for (wrong, cause) in [
        (&text[..100], "cannot read"),
        ("{}", "not the head of a run"),
        ("[1]", "cannot read"),
        ("{\"schema_version\": 99}", "newer than"),
        ("", "cannot read"),
    ] {
        fs::write(&path, wrong).unwrap();
        let error = brief::read(&folder).unwrap_err().to_string();
        assert!(error.contains(cause), "{wrong}: {error}");
    }
    let listed = brief::list(parent.path()).unwrap();
    assert!(listed.len() == 1 && listed[0].head.is_err());
}
