//! Light and heavy from outside: two runs of one plan, measured one after the
//! other or given. Verdicts of what is measured here are not looked at.

mod program;

use program::{Program, head, points};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const QUESTION: &str = "Which paths stay predictable under load?";

/// A copy of a stored run whose head `change` changes.
fn copied(program: &Program, name: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/records/v1-small");
    let to = program.out().join(name);
    fs::create_dir_all(&to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    let mut changed = head(&to);
    change(&mut changed);
    fs::write(to.join("run.json"), changed.to_string()).unwrap();
    to
}

fn loaded(head: &mut Value) {
    head["conditions"]["load"] = json!("heavy");
    head["conditions"]["load_detail"] = json!(["stress-ng --cpu 1"]);
}

fn laid(program: &Program, light: &Path, heavy: &Path, more: &[&str]) -> program::Ended {
    let (light, heavy) = (light.to_str().unwrap(), heavy.to_str().unwrap());
    let mut words = vec!["report", light, "--under-load", heavy];
    words.extend(more);
    program.run(&words)
}

#[test]
fn two_runs_are_laid_side_by_side_as_text_page_and_json() {
    let program = Program::new();
    let light = copied(&program, "light", |_| ());
    let heavy = copied(&program, "heavy", loaded);
    let shown = laid(&program, &light, &heavy, &[]);
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(shown.stdout.contains(QUESTION), "{shown:?}");
    assert!(shown.stdout.contains("copy/memcpy"), "{shown:?}");
    let page = program.out().join("page.html");
    let written = laid(
        &program,
        &light,
        &heavy,
        &["--html", page.to_str().unwrap()],
    );
    assert_eq!((written.status, written.stdout.as_str()), (0, ""));
    assert!(fs::read_to_string(page).unwrap().contains(QUESTION));
    let json = laid(&program, &light, &heavy, &["--format", "json"]);
    let data: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(data["load"], "heavy");
    assert!(!data["series"].as_array().unwrap().is_empty());
}

#[test]
fn what_does_not_belong_together_is_refused_with_what_helps() {
    let program = Program::new();
    let light = copied(&program, "light", |_| ());
    let heavy = copied(&program, "heavy", loaded);
    let other = copied(&program, "other", |head| {
        loaded(head);
        head["machine"]["kernel"] = json!("6.12.0");
    });
    let idle = copied(&program, "idle", |head| {
        loaded(head);
        head["conditions"]["load_busy"] = json!(0.4);
    });
    for (a, b, message, hint) in [
        (
            &light,
            &other,
            "different kernel: 6.1.0 and 6.12.0",
            "pontage run --load both",
        ),
        (
            &heavy,
            &light,
            "the first run is the one under load",
            "swap them: ",
        ),
        (
            &light,
            &light,
            "both were measured under load light",
            "pontage run --load both",
        ),
        (
            &light,
            &idle,
            "the load was missing",
            "pontage run --load both",
        ),
    ] {
        let refused = laid(&program, a, b, &[]);
        assert_eq!(refused.status, 2, "{refused:?}");
        assert!(refused.stderr.contains(message), "{refused:?}");
        assert!(refused.stderr.contains(hint), "{refused:?}");
    }
    let alone = program.run(&["report", light.to_str().unwrap(), "--format", "json"]);
    assert_eq!(alone.status, 0, "{alone:?}");
}

#[test]
fn an_experiment_that_one_run_lacks_is_listed_and_nothing_in_common_is_77() {
    let program = Program::new();
    let light = copied(&program, "light", |_| ());
    let without = |id: Option<&str>| {
        let lacking = move |head: &mut Value| {
            loaded(head);
            for (list, key) in [
                ("experiments", "id"),
                ("points", "experiment"),
                ("tables", "experiment"),
            ] {
                let kept = head[list].as_array_mut().unwrap();
                kept.retain(|e| id.is_some_and(|id| e[key] != id));
            }
        };
        copied(&program, id.map_or("none", |_| "some"), lacking)
    };
    let shown = laid(&program, &light, &without(Some("syscall/getppid")), &[]);
    assert_eq!(shown.status, 0, "{shown:?}");
    let said = "1 point of syscall/getppid: only in the light run";
    assert!(shown.stdout.contains(said), "{shown:?}");
    let shown = laid(&program, &light, &without(None), &[]);
    assert_eq!(shown.status, 77, "{shown:?}");
    assert!(
        shown.stderr.contains("no point was measured in both runs"),
        "{shown:?}"
    );
}

/// Folders of runs, the earlier first.
fn runs(program: &Program) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(program.out())
        .unwrap()
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.join("run.json").is_file())
        .collect();
    found.sort();
    found
}

#[test]
fn both_loads_are_measured_one_after_the_other() {
    let program = Program::new();
    let both = [
        "run",
        "syscall/getppid",
        "--budget-ms",
        "20",
        "--processes",
        "1",
        "--load",
        "both",
    ];
    let shown = program.run(&both);
    if shown.status == 77 {
        // No stress-ng, or one CPU: said before anything is measured.
        assert!(
            shown.stderr.contains("SKIP: cannot load the machine"),
            "{shown:?}"
        );
        assert!(!program.out().exists());
        return;
    }
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(shown.stdout.contains(QUESTION), "{shown:?}");
    let mut found = runs(&program);
    // Both may have begun in the same second; their names do not tell then which came first.
    found.sort_by_key(|f| head(f)["conditions"]["load"] != "light");
    let loads: Vec<Value> = found
        .iter()
        .map(|f| head(f)["conditions"]["load"].clone())
        .collect();
    assert_eq!(loads, ["light", "heavy"]);
    assert!(found[1].join("under-load.html").is_file());
    assert!(head(&found[1])["conditions"]["load_busy"].is_number());
    assert!(head(&found[0])["conditions"]["load_busy"].is_null());
}

#[test]
fn an_interruption_keeps_the_first_half_and_says_how_to_go_on() {
    let program = Program::new();
    if !can_load(&program) {
        return;
    }
    let slow = [
        "run",
        "syscall/*",
        "--budget-ms",
        "700",
        "--processes",
        "1",
        "--load",
        "both",
    ];
    let child = program
        .command(&slow)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    program::wait_for_point(&program);
    program::send("INT", child.id());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    let found = runs(&program);
    assert_eq!(found.len(), 1, "the second half never began");
    let (done, all) = points(&found[0]);
    assert!(done >= 1 && done < all, "{done} of {all}");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    for hint in [
        "pontage run --resume runs/",
        "then measure under load with: pontage run 'syscall/*' --budget-ms 700 --processes 1 --load heavy",
        "then show both with: pontage report runs/",
        "--under-load HEAVY",
    ] {
        assert!(said.contains(hint), "{said}");
    }
}

/// Whether this machine can be loaded: a generator, and a CPU to spare.
fn can_load(program: &Program) -> bool {
    let found = program.shell("command -v stress-ng && test $(nproc) -gt 1");
    found.status == 0
}
