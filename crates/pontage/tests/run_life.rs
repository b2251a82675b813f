//! The life of a run from outside: finished, interrupted, killed, resumed, out
//! of space, refused. Counts and contents, never times.

mod program;

use program::{Program, head, points, run_folder};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Long enough for a signal to arrive in the middle, short enough for a test.
const SLOW: [&str; 6] = ["run", "syscall/*", "--budget-ms", "700", "--processes", "1"];

#[test]
fn a_run_is_measured_recorded_and_shown() {
    let program = Program::new();
    let shown = program.run(&["run", "syscall/getppid", "--budget-ms", "20"]);
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(shown.stdout.contains("syscall/getppid"), "{shown:?}");
    let folder = run_folder(&program);
    assert!(folder.join("report.html").is_file());
    assert!(folder.join("syscall-getppid.parquet").is_file());
    assert!(
        !folder.join("samples.stream").exists(),
        "a complete run keeps no stream"
    );
    let again = program.run(&["report", folder.to_str().unwrap()]);
    assert_eq!(again.status, 0, "{again:?}");
    assert!(again.stdout.contains("syscall/getppid"));
}

#[test]
fn a_recipe_that_names_an_experiment_twice_records_it_once() {
    let program = Program::new();
    let recipe = program.out().join("twice.toml");
    std::fs::create_dir_all(program.out()).unwrap();
    let entry = |size: &str| {
        format!(
            "[[experiment]]\nid = \"ipc/memcpy\"\nbudget_ms = 5\naxes = {{ size = \"{size}\" }}\n"
        )
    };
    let text = format!("title = \"twice\"\n{}{}", entry("64"), entry("4096"));
    std::fs::write(&recipe, text).unwrap();
    let shown = program.run(&["run", recipe.to_str().unwrap()]);
    assert_eq!(shown.status, 0, "{shown:?}");
    let folder = run_folder(&program);
    assert_eq!(head(&folder)["experiments"].as_array().unwrap().len(), 1);
    assert_eq!(points(&folder), (2, 2));
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_resume_finishes_it() {
    for signal in ["INT", "TERM"] {
        let program = Program::new();
        let mut child = program
            .command(&SLOW)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        program::wait_for_point(&program);
        program::send(signal, child.id());
        let status = child.wait().unwrap();
        assert_eq!(status.code(), Some(2), "{signal}");
        let folder = run_folder(&program);
        let (done, all) = points(&folder);
        assert!(done >= 1 && done < all, "{signal}: {done} of {all}");
        assert!(folder.join("report.html").is_file(), "the part is reported");
        let shown = program.run(&["report", folder.to_str().unwrap()]);
        assert!(
            shown.stdout.to_lowercase().contains("incomplete"),
            "{shown:?}"
        );
        let how = format!("pontage run --resume {}", folder.display());
        for form in [
            &["--all"][..],
            &["-q"],
            &["--format", "json"],
            &["--html", "x.html"],
        ] {
            let shown = program.run(&[&["report", folder.to_str().unwrap()], form].concat());
            assert!(shown.stderr.contains(&how), "{form:?}: {shown:?}");
        }
        let resumed = program.run(&["run", "--resume", folder.to_str().unwrap()]);
        assert_eq!(resumed.status, 0, "{resumed:?}");
        assert_eq!(points(&folder), (all, all));
        let whole = program.run(&["report", folder.to_str().unwrap()]);
        assert!(!whole.stderr.contains("--resume"), "{whole:?}");
    }
}

#[test]
fn kill_9_loses_no_finished_point_and_leaves_no_process() {
    let program = Program::new();
    let mut child = program
        .command(&SLOW)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    program::wait_for_point(&program);
    let workers = program::wait_for_worker(child.id());
    program::send("KILL", child.id());
    child.wait().unwrap();
    let folder = run_folder(&program);
    let shown = program.run(&["report", folder.to_str().unwrap()]);
    assert_eq!(shown.status, 0, "{shown:?}");
    assert!(
        shown.stdout.to_lowercase().contains("incomplete"),
        "{shown:?}"
    );
    let limit = Instant::now() + Duration::from_secs(20);
    while workers.iter().any(|pid| program::alive(*pid)) {
        assert!(
            Instant::now() < limit,
            "a measuring process outlived its coordinator"
        );
        sleep(Duration::from_millis(20));
    }
    let resumed = program.run(&["run", "--resume", folder.to_str().unwrap()]);
    assert_eq!(resumed.status, 0, "{resumed:?}");
    let (done, all) = points(&folder);
    assert_eq!(done, all);
    let refused = program.run(&["run", "--resume", folder.to_str().unwrap()]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("it is complete"), "{refused:?}");
}

/// RLIMIT_FSIZE stands in for a full disk: writing fails at a size, without
/// root and without a file system of our own.
#[test]
fn a_disk_that_fills_up_is_named_and_nothing_measured_is_lost() {
    let program = Program::new();
    let folder = program.out().to_str().unwrap().to_owned();
    let full = program.shell(&format!(
        "ulimit -f 48; exec \"$PONTAGE\" run 'syscall/*' --processes 5 --budget-ms 100 --out {folder}"
    ));
    assert_eq!(full.status, 2, "{full:?}");
    assert!(full.stderr.contains("cannot write"), "{full:?}");
    assert!(full.stderr.contains("hint:"), "{full:?}");
    let folder = run_folder(&program);
    let shown = program.run(&["report", folder.to_str().unwrap()]);
    assert_eq!(shown.status, 0, "{shown:?}");
    let left: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.ends_with(".tmp") || name.starts_with(".report"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let resumed = program.run(&["run", "--resume", folder.to_str().unwrap()]);
    assert_eq!(resumed.status, 0, "{resumed:?}");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_measuring() {
    let program = Program::new();
    let file = program.out().join("file");
    std::fs::create_dir_all(program.out()).unwrap();
    std::fs::write(&file, "not a folder").unwrap();
    let refused = program.run(&["run", "syscall/getppid", "--out", file.to_str().unwrap()]);
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(refused.stderr.contains("file"), "{refused:?}");
    assert!(refused.stderr.contains("hint:"), "{refused:?}");
}

#[test]
fn on_one_cpu_what_needs_two_is_skipped_with_its_reason() {
    let program = Program::new();
    let shown = program.one_cpu(&[
        "run",
        "switch/context",
        "--budget-ms",
        "5",
        "--processes",
        "1",
    ]);
    assert_eq!(shown.status, 0, "{shown:?}");
    let folder = run_folder(&program);
    let head = program::head(&folder);
    let skipped: Vec<_> = head["points"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|p| p["state"]["state"] == "skipped")
        .collect();
    assert!(!skipped.is_empty());
    for point in skipped {
        assert!(
            point["state"]["reason"].as_str().unwrap().contains("CPU"),
            "{point}"
        );
        assert!(
            !point["state"]["remedy"].as_str().unwrap().is_empty(),
            "{point}"
        );
    }
}

#[test]
fn a_load_that_cannot_be_had_is_skipped_before_anything_is_recorded() {
    let program = Program::new();
    let refused = program
        .shell("PATH=/nonexistent exec \"$PONTAGE\" run syscall/getppid --load heavy --out runs");
    let two_cpus = std::thread::available_parallelism().is_ok_and(|n| n.get() > 1);
    assert_eq!(refused.status, 77, "{refused:?}");
    assert!(refused.stderr.contains("SKIP"), "{refused:?}");
    let remedy = if two_cpus {
        "apt-get install stress-ng"
    } else {
        "--load heavy-all"
    };
    assert!(refused.stderr.contains(remedy), "{refused:?}");
    assert!(!program.out().exists(), "no empty record is left");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let program = Program::new();
    let ended = program
        .shell("\"$PONTAGE\" list --format json | head -c 1 >/dev/null; echo ${PIPESTATUS[0]}");
    assert_eq!(ended.stdout.trim(), "0", "{ended:?}");
}
