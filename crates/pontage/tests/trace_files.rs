//! `pontage trace report|cut|export` on the capture of a real kernel, and on
//! files that are none.

mod program;

use program::{Ended, Program};
use std::path::PathBuf;

fn fixture() -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/traces");
    folder.join("x86-6.12.dat").to_str().unwrap().to_owned()
}

fn trace(program: &Program, arguments: &[&str]) -> Ended {
    let all: Vec<&str> = ["trace"].iter().chain(arguments).copied().collect();
    program.run(&all)
}

fn place(program: &Program, name: &str) -> String {
    std::fs::create_dir_all(program.out()).unwrap();
    program.out().join(name).to_str().unwrap().to_owned()
}

#[test]
fn events_are_chosen_by_name_task_cpu_and_time() {
    let program = Program::new();
    let file = fixture();
    let count = |more: &[&str]| {
        let all: Vec<&str> = ["report", &file].iter().chain(more).copied().collect();
        let ended = trace(&program, &all);
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{more:?}");
        ended.stdout.lines().count()
    };
    let all = count(&[]);
    assert!(all > 400);
    let switches = count(&["--event", "sched_switch"]);
    let both = count(&["-e", "sched:sched_sw*", "-e", "print"]);
    assert!(switches > 10 && both == switches + 3, "{switches} {both}");
    assert_eq!(count(&["--cpu", "0"]) + count(&["--cpu", "1"]), all);
    assert_eq!(count(&["--to", "20ms"]) + count(&["--from", "20ms"]), all);
    let idle = count(&["--task", "0"]);
    assert!(idle > 0 && idle < all);
    let csv = trace(&program, &["report", &file, "--format", "csv", "--raw"]);
    assert!(
        csv.stdout
            .starts_with("at_ns,cpu,pid,task,event,text,flags\n")
    );
    let json = trace(
        &program,
        &["report", &file, "--format", "json", "-e", "sched_switch"],
    );
    for line in json.stdout.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(event["fields"]["next_pid"].is_i64(), "{line}");
    }
}

#[test]
fn a_cut_is_what_report_says_of_the_range() {
    let program = Program::new();
    let (file, out) = (fixture(), place(&program, "cut.dat"));
    let range = ["--from", "+10ms", "--to", "30ms"];
    let cut = trace(
        &program,
        &[&["cut", &file, "-o", &out], &range[..]].concat(),
    );
    assert_eq!(cut.status, 0, "{cut:?}");
    let wanted = trace(&program, &[&["report", &file], &range[..]].concat());
    let got = trace(&program, &["report", &out]);
    assert!(got.stdout.lines().count() > 50);
    assert!(got.stdout == wanted.stdout);
}

/// The trace is of 0.1 s, from the boot on.
#[test]
fn a_range_outside_the_trace_is_refused_and_nothing_written() {
    let program = Program::new();
    let (file, out) = (fixture(), place(&program, "outside.dat"));
    for (range, message) in [
        (["--from", "+100s", "--to", "+101s"], "is after the trace"),
        (["--from", "9000", "--to", "9001"], "is after the trace"),
        (["--from", "+0s", "--to", "+0s"], "so it is empty"),
        (
            ["--from", "0", "--to", "0.000000001"],
            "is before the trace",
        ),
    ] {
        for command in [&["cut"][..], &["export", "--format", "trace-dat"]] {
            let arguments = [command, &[&file, "-o", &out], &range[..]].concat();
            let ended = trace(&program, &arguments);
            assert_eq!(ended.status, 2, "{arguments:?}: {ended:?}");
            assert!(ended.stderr.contains(message), "{}", ended.stderr);
            assert!(
                ended.stderr.contains("hint: times with a plus or a unit"),
                "{}",
                ended.stderr
            );
            assert!(!std::path::Path::new(&out).exists(), "{arguments:?}");
        }
        let report = trace(&program, &[&["report", &file], &range[..]].concat());
        assert_eq!((report.status, report.stdout.as_str()), (2, ""));
    }
}

#[test]
fn every_format_is_written() {
    let program = Program::new();
    let file = fixture();
    let export = |format: &str| {
        let out = place(&program, format);
        let ended = trace(&program, &["export", &file, "--format", format, "-o", &out]);
        assert_eq!(ended.status, 0, "{ended:?}");
        std::fs::read(out).unwrap()
    };
    let chrome: serde_json::Value = serde_json::from_slice(&export("chrome")).unwrap();
    let events = chrome["traceEvents"].as_array().unwrap();
    assert!(
        events
            .iter()
            .any(|e| e["ph"] == "X" && e["dur"].as_f64() > Some(0.0))
    );
    assert_eq!(export("perfetto")[0], 0x0a);
    assert_eq!(export("trace-dat")[..10], *b"\x17\x08\x44tracing");
    let lines = |bytes: Vec<u8>| bytes.iter().filter(|b| **b == b'\n').count();
    assert_eq!(lines(export("csv")), lines(export("json")) + 1);
}

#[test]
fn what_cannot_be_done_is_reported() {
    let program = Program::new();
    let file = fixture();
    let short = place(&program, "short.dat");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&short, &bytes[..bytes.len() - 5000]).unwrap();
    let own = place(&program, "own.dat");
    std::fs::write(&own, &bytes).unwrap();
    for (arguments, message) in [
        (&["report", "/nonexistent"][..], "cannot open /nonexistent"),
        (&["report", &short], "the pages of CPU 1: they should be"),
        (
            &["report", env!("CARGO_BIN_EXE_pontage")],
            "it is not a trace.dat",
        ),
        (
            &["report", &file, "-e", "dog"],
            "cannot find the format of dog",
        ),
        (
            &["report", &file, "--cpu", "7"],
            "the trace has CPUs 0,1, not 7",
        ),
        (
            &["report", &file, "--task", "nobody"],
            "has no task of this name",
        ),
        (
            &["report", &file, "--from", "2s", "--to", "1s"],
            "before its start",
        ),
        (&["report", &file, "--from", "soon"], "is not a time"),
        (
            &["cut", &own, "-o", &own],
            "it is being read\nhint: give another name",
        ),
        (
            &["export", &own, "--format", "chrome", "-o", &own],
            "it is being read",
        ),
        (
            &["timeline", &own, "--html", &own],
            "it is being read\nhint: give another name with --out",
        ),
        (
            &["export", &file, "--format", "perfetto"],
            "hint: name a file",
        ),
    ] {
        let ended = trace(&program, arguments);
        assert_eq!(ended.status, 2, "{arguments:?}: {ended:?}");
        assert!(
            ended.stderr.contains(message),
            "{arguments:?}: {}",
            ended.stderr
        );
        assert_eq!(ended.stdout, "");
    }
    assert!(std::fs::read(&own).unwrap() == bytes);
}

#[test]
fn a_damaged_page_does_not_hide_the_others() {
    let program = Program::new();
    let mut bytes = std::fs::read(fixture()).unwrap();
    // The data of the last page begin with events of length 0.
    let page = bytes.len() - 4096;
    bytes[page + 16..page + 400].fill(0);
    let damaged = place(&program, "damaged.dat");
    std::fs::write(&damaged, &bytes).unwrap();
    let whole = trace(&program, &["report", &fixture()])
        .stdout
        .lines()
        .count();
    let ended = trace(&program, &["report", &damaged]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("of CPU 1: an event at byte 0 goes beyond its end"),
        "{}",
        ended.stderr
    );
    let rest = ended.stdout.lines().count();
    assert!(rest < whole && rest > whole / 2, "{rest} of {whole}");
}

/// What was read is printed, and the status says that it is not all.
#[test]
fn analyses_of_a_damaged_trace_do_not_end_as_if_it_were_whole() {
    let program = Program::new();
    let mut bytes = std::fs::read(fixture()).unwrap();
    let page = bytes.len() - 4096;
    bytes[page + 16..page + 400].fill(0);
    let damaged = place(&program, "damaged.dat");
    std::fs::write(&damaged, &bytes).unwrap();
    for command in [
        &["explain"][..],
        &["stats"],
        &["stats", "--format", "json"],
        &["slices"],
        &["slices", "--csv"],
        &["timers"],
        &["timeline"],
    ] {
        let ended = trace(&program, &[command, &[&damaged]].concat());
        assert_eq!(ended.status, 2, "{command:?}: {ended:?}");
        let message = "cannot read 1 places of the trace\nhint: everything else was written";
        assert!(
            ended.stderr.contains(message),
            "{command:?}: {}",
            ended.stderr
        );
        let written = ended.stdout.len() > 200 || command == ["timeline"];
        assert!(written, "{command:?}: {}", ended.stdout);
    }
}

#[test]
fn only_a_regular_file_is_read() {
    let program = Program::new();
    let fifo = place(&program, "fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let ended = trace(&program, &["report", &fifo]);
    assert_eq!(ended.status, 2);
    let message = "it is a FIFO, not a regular file\nhint: write it into a file first";
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
}
