//! A machine next to reference machines, and how one becomes an entry.

mod program;

use program::{Ended, Program};
use std::fs;
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("examples").join(name).canonicalize().unwrap()
}

fn against(program: &Program, with: &[&str]) -> Ended {
    let run = example("before");
    program.run(&[&["report", run.to_str().unwrap(), "--against"], with].concat())
}

#[test]
fn the_nearest_of_the_built_in_machines_is_the_same_processor() {
    let program = Program::reading();
    let ended = against(&program, &["gallery", "--format", "json"]);
    let placed: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let next = placed["next"].as_array().unwrap();
    assert!(next.len() >= 4, "{}", next.len());
    assert_eq!(next[0]["entry"]["name"], "epyc-zen5-guest");
    let ratio = next[0]["time_ratio"].as_f64().unwrap();
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
    for width in ["60", "80", "100", "200"] {
        let run = example("before");
        let mut command =
            program.command(&["report", run.to_str().unwrap(), "--against", "gallery"]);
        let ended = program::ended(command.env("COLUMNS", width).output().unwrap());
        let width: usize = width.parse().unwrap();
        let widest = ended.stdout.lines().map(|l| l.chars().count()).max();
        // The narrowest table has one other machine.
        assert!(widest.unwrap() <= width.max(70), "{widest:?} at {width}");
        assert!(ended.stdout.lines().count() <= 60, "{}", ended.stdout);
    }
}

#[test]
fn an_exported_entry_is_a_machine_to_compare_with() {
    let program = Program::reading();
    let folder = program.out();
    let run = example("before");
    let out = folder.to_str().unwrap();
    let ended = program.run(&[
        "export",
        run.to_str().unwrap(),
        "--format",
        "gallery",
        "--out",
        out,
    ]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let text = fs::read_to_string(folder.join("before.json")).unwrap();
    assert!(!text.contains("\"host\""), "an entry names no host");
    // Next to itself stands nothing; next to one that is twice as slow, all are ahead.
    let itself = against(&program, &[out]);
    assert_eq!(itself.status, 77, "{}", itself.stderr);
    let mut entry: serde_json::Value = serde_json::from_str(&text).unwrap();
    entry["name"] = "slower".into();
    for value in entry["values"].as_array_mut().unwrap() {
        for end in ["value", "low", "high"] {
            if let Some(number) = value[end].as_f64() {
                value[end] = (number * 2.0).into();
            }
        }
    }
    fs::write(folder.join("slower.json"), entry.to_string()).unwrap();
    fs::write(folder.join("damaged.json"), &text[..200]).unwrap();
    let ended = against(&program, &[out, "--format", "csv"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert!(
        ended.stderr.contains("damaged.json: EOF"),
        "{}",
        ended.stderr
    );
    let times: Vec<&str> = ended
        .stdout
        .lines()
        .filter(|l| l.contains(",ns,"))
        .collect();
    assert!(times.len() > 10, "{}", times.len());
    let half = times
        .iter()
        .filter(|l| l.contains(",slower,") && l.contains(",0.5"));
    assert!(half.count() > 10, "{}", ended.stdout);
    assert!(
        times.iter().all(|l| !l.ends_with(",behind")),
        "{}",
        ended.stdout
    );
}

#[test]
fn what_is_no_gallery_is_refused_with_what_is_wrong() {
    let program = Program::reading();
    let here = program.out();
    fs::create_dir(&here).unwrap();
    let refused = |with: &str, says: &str| {
        let ended = against(&program, &[with]);
        assert_eq!(ended.status, 2, "{with}: {}", ended.stdout);
        assert!(ended.stderr.contains(says), "{with}: {}", ended.stderr);
    };
    refused(here.to_str().unwrap(), "it has no .json");
    refused("nowhere.json", "No such file");
    for (name, text, says) in [
        ("empty.json", "", "EOF"),
        ("other.json", "{\"format\": \"other\"}", "missing field"),
        (
            "run.json",
            &fs::read_to_string(example("before").join("run.json")).unwrap(),
            "run.json",
        ),
    ] {
        let file = here.join(name);
        fs::write(&file, text).unwrap();
        refused(file.to_str().unwrap(), says);
    }
    // A folder of nothing but damaged entries, and what never ends.
    refused(here.to_str().unwrap(), "no file is an entry");
    refused("/dev/zero", "not a regular file");
    let ended = against(&program, &["gallery", "--html", "x.html"]);
    assert_eq!(ended.status, 2, "{}", ended.stdout);
}
