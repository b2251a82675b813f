//! The words that mean a run, wherever a command asks for one.

mod program;
mod shelf;

use program::Program;
use shelf::{keep, keep_as, label};
use std::fs;

const OLD: &str = "20260101T000000Z-host-aaaaaa";
const MID: &str = "20260102T000000Z-host-bbbbbb";
const NEW: &str = "20260101T000000Z-host-cccccc";

/// Three runs; the newest by its time is not the last by its name.
fn three() -> Program {
    let program = Program::new();
    let old = keep(&program, OLD, "2026-01-01T00:00:00Z");
    let mid = keep(&program, MID, "2026-01-02T00:00:00Z");
    let new = keep(&program, NEW, "2026-01-03T00:00:00Z");
    label(&old, Some("before"), &["ci", "zen5"]);
    label(&mid, Some("zen5"), &["ci"]);
    label(&new, None, &["nightly"]);
    program
}

/// The id of the run that `advise` takes its figures from; it says it in any case.
fn meant(program: &Program, word: &[&str]) -> Result<String, String> {
    let ended = program.run(&[&["advise", "--bytes", "64"], word].concat());
    let named = ended.stderr.strip_prefix("pontage: run ");
    match named.and_then(|rest| rest.split_once(' ')) {
        Some((id, _)) if ended.status == 77 => Ok(id.to_owned()),
        _ => Err(format!("{}: {}", ended.status, ended.stderr)),
    }
}

#[test]
fn latest_previous_names_tags_and_parts_of_ids_mean_runs() {
    let program = three();
    let folder = format!("runs/{OLD}");
    let file = format!("runs/{OLD}/run.json");
    for (word, id) in [
        (&[][..], NEW),
        (&["latest"], NEW),
        (&["previous"], MID),
        (&["@before"], OLD),
        // A name comes before a tag, and of runs with a tag the newest.
        (&["@zen5"], MID),
        (&["@ci"], MID),
        (&["@nightly"], NEW),
        (&[OLD], OLD),
        (&["20260102"], MID),
        (&["aaaaaa"], OLD),
        (&[&folder], OLD),
        (&[&file], OLD),
    ] {
        assert_eq!(meant(&program, word).as_deref(), Ok(id), "{word:?}");
    }
}

#[test]
fn a_folder_that_is_there_comes_before_any_other_meaning() {
    let program = three();
    let parent = program.out();
    for word in ["latest", "@before", "20260102"] {
        let folder = parent.parent().unwrap().join(word);
        fs::rename(keep(&program, "x", "2025-01-01T00:00:00Z"), &folder).unwrap();
        assert_eq!(meant(&program, &[word]).as_deref(), Ok("x"));
        fs::remove_dir_all(&folder).unwrap();
        // A file is no run.
        fs::write(&folder, "").unwrap();
        assert_ne!(meant(&program, &[word]).as_deref(), Ok("x"));
        assert!(meant(&program, &[word]).is_ok(), "{word}");
        fs::remove_file(&folder).unwrap();
    }
}

#[test]
fn a_word_that_means_no_run_or_several_is_refused_with_what_is_near() {
    let program = three();
    for (word, causes) in [
        (
            "@befor",
            &["cannot find run @befor", "did you mean @before?", "hint:"][..],
        ),
        ("lates", &["cannot find run lates", "did you mean latest?"]),
        (
            "before",
            &["cannot find run before", "did you mean @before?"],
        ),
        (
            "20260101",
            &[
                "2 runs begin or end with it",
                OLD,
                NEW,
                "hint: type more of the id",
            ],
        ),
        ("aaaaa", &["cannot find run aaaaa"]),
        ("@", &["cannot find run @"]),
        ("runs/nowhere", &["cannot open runs/nowhere as a run"]),
    ] {
        let refused = meant(&program, &[word]).unwrap_err();
        assert!(refused.starts_with("2: "), "{refused}");
        for cause in causes {
            assert!(refused.contains(cause), "{word}: {refused}");
        }
    }
}

#[test]
fn without_runs_the_remedy_is_to_measure() {
    let program = Program::new();
    for words in [
        &["report"][..],
        &["report", "latest"],
        &["compare"],
        &["export", "--format", "json"],
        &["run", "--resume", "latest"],
    ] {
        let ended = program.run(words);
        assert_eq!(ended.status, 2, "{ended:?}");
        assert!(
            ended.stderr.contains("hint: measure one with: pontage run"),
            "{ended:?}"
        );
    }
    keep(&program, OLD, "2026-01-01T00:00:00Z");
    let one = program.run(&["compare"]);
    assert!(
        one.stderr
            .contains("cannot find a previous run: runs/ has only"),
        "{one:?}"
    );
}

#[test]
fn every_command_that_asks_for_a_run_takes_the_words() {
    let program = three();
    keep_as("v3-crashed", &program, "crashed", "2025-01-01T00:00:00Z");
    let json = |words: &[&str]| -> serde_json::Value {
        let ended = program.run(words);
        assert!([0, 77].contains(&ended.status), "{ended:?}");
        serde_json::from_str(&ended.stdout).unwrap_or_default()
    };
    let exported = json(&["export", "--format", "json"]);
    assert_eq!(exported, json(&["export", NEW, "--format", "json"]));
    assert_eq!(exported, json(&["report", "latest", "--format", "json"]));
    let compared = |words: &[&str]| {
        let all = json(&[&["compare", "--format", "json"], words].concat());
        ["a", "b"].map(|side| all[side].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(compared(&[]), [MID, NEW]);
    assert_eq!(compared(&["@before"]), [OLD, NEW]);
    assert_eq!(compared(&["latest", "previous"]), [NEW, MID]);
    let itself = program.run(&["compare", "latest"]);
    assert!(
        itself.status == 2 && itself.stderr.contains("it is that run"),
        "{itself:?}"
    );
    let same = program.run(&["report", "@before", "--under-load", "latest"]);
    assert!(
        same.stderr
            .contains(&format!("cannot compare runs/{NEW} with runs/{OLD}")),
        "{same:?}"
    );
    let resumed = program.run(&["run", "--resume", "@nightly"]);
    assert!(
        resumed
            .stderr
            .contains(&format!("cannot resume runs/{NEW}: it is complete"))
    );
}

#[test]
fn a_newer_run_that_cannot_be_read_is_said() {
    let program = three();
    let damaged = keep(
        &program,
        "20270101T000000Z-host-dddddd",
        "2027-01-01T00:00:00Z",
    );
    fs::write(damaged.join("run.json"), "{\"schema_version\": 3, \"id\"").unwrap();
    let ended = program.run(&["export", "--format", "bmf"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    assert!(
        ended
            .stderr
            .contains("note: a newer run is left out: cannot read"),
        "{ended:?}"
    );
    let named = program.run(&["report", "20270101T000000Z-host-dddddd"]);
    assert!(
        named.status == 2 && named.stderr.contains("cannot read"),
        "{named:?}"
    );
}
