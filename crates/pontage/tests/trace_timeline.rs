//! `pontage trace timeline` on files: good, empty, broken.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::Path;
use std::process::{Command, Output};
use trace::format::PageLayout;
use trace::page::PageWriter;
use trace::{Head, Order, System};

const SWITCH: &str = "name: sched_switch\nID: 5\nformat:\n\
    \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
    \tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
    \tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\
    \tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\
    \tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\
    \tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\
    \tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\
    \tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";

fn timeline(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pontage"))
        .args(["trace", "timeline"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("pontage runs")
}

fn switch(prev: i32, next: i32) -> [u8; 64] {
    let mut payload = [0; 64];
    payload[0] = 5;
    payload[4..8].copy_from_slice(&prev.to_le_bytes());
    payload[8..12].copy_from_slice(b"prev");
    payload[24..28].copy_from_slice(&prev.to_le_bytes());
    payload[40..44].copy_from_slice(b"next");
    payload[56..60].copy_from_slice(&next.to_le_bytes());
    payload
}

/// A trace.dat with a clock and these switches.
fn write(path: &Path, clock: &str, switches: &[(u64, i32, i32)]) {
    let mut head = Head::empty(Order::Little, 8, 4096);
    head.clock = Some(clock.to_owned());
    head.systems = vec![System {
        name: "sched".to_owned(),
        formats: vec![SWITCH.to_owned()],
    }];
    let mut pages = PageWriter::new(4096, PageLayout::usual(8), Order::Little);
    for (at_ns, prev, next) in switches {
        assert!(pages.push(*at_ns, &switch(*prev, *next)));
    }
    let mut pages = Cursor::new(pages.finish());
    let mut file = File::create(path).unwrap();
    trace::file::write(&mut file, &head, vec![(0, &mut pages)]).unwrap();
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_trace_becomes_one_page() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.dat");
    write(&file, "mono", &[(10, 0, 7), (500, 7, 8), (900, 8, 0)]);
    let output = timeline(folder.path(), &["trace.dat", "--out", "out.html"]);
    assert!(output.status.success(), "{}", printed(&output));
    assert!(
        printed(&output).contains("out.html: 3 events, 2 slices"),
        "{}",
        printed(&output)
    );
    let page = fs::read_to_string(folder.path().join("out.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("trace.dat"));
    let output = timeline(folder.path(), &["trace.dat"]);
    assert!(output.status.success());
    assert!(folder.path().join("trace.dat.html").exists());
}

#[test]
fn what_cannot_be_drawn_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write(&path("empty.dat"), "mono", &[]);
    write(&path("counter.dat"), "counter", &[(1, 0, 7)]);
    write(&path("good.dat"), "mono", &[(1, 0, 7)]);
    fs::write(path("text.dat"), "no trace at all\n").unwrap();
    let good = fs::read(path("good.dat")).unwrap();
    fs::write(path("cut.dat"), &good[..good.len() - 100]).unwrap();
    for (arguments, message) in [
        (&["none.dat"][..], "cannot open none.dat"),
        (&["empty.dat"], "cannot draw empty.dat: it has no events"),
        (&["counter.dat"], "its clock counter counts no time"),
        (&["text.dat"], "it is not a trace.dat"),
        (&["cut.dat"], "it is truncated"),
        (
            &["good.dat", "--html", "no/such/folder.html"],
            "cannot write no/such/folder.html",
        ),
    ] {
        let output = timeline(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            printed(&output).contains(message),
            "{arguments:?}: {}",
            printed(&output)
        );
    }
    let pages = fs::read_dir(folder.path()).unwrap();
    let left = pages.filter(|e| {
        e.as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|e| e == "html")
    });
    assert_eq!(left.count(), 0, "a page was left behind");
}

/// The record of a complete run, whose first point lists these traces.
fn run_with_traces(folder: &Path, traces: &[&str]) {
    let fixture = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../fixtures/records/v1-small"
    );
    for entry in fs::read_dir(fixture).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    let head = folder.join("run.json");
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(&head).unwrap()).unwrap();
    let listed = traces
        .iter()
        .map(|file| serde_json::json!({"file": file, "bytes": 1}));
    json["points"][0]["traces"] = listed.collect();
    fs::write(&head, json.to_string()).unwrap();
}

fn report(folder: &Path) -> (String, Output) {
    let page = folder.join("page.html");
    let output = Command::new(env!("CARGO_BIN_EXE_pontage"))
        .args(["report", ".", "--html", "page.html"])
        .current_dir(folder)
        .output()
        .expect("pontage runs");
    assert!(output.status.success(), "{}", printed(&output));
    (fs::read_to_string(page).unwrap(), output)
}

#[test]
fn a_report_draws_the_traces_of_its_run() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("traces")).unwrap();
    write(
        &folder.path().join("traces/a.dat"),
        "mono",
        &[(10, 0, 7), (500, 7, 8), (900, 8, 0)],
    );
    write(
        &folder.path().join("traces/counter.dat"),
        "counter",
        &[(1, 0, 7)],
    );
    let listed = ["a.dat", "gone.dat", "../run.json", "counter.dat"];
    run_with_traces(folder.path(), &listed);
    let (page, _) = report(folder.path());
    assert_eq!(page.matches("<details class=\"trace\">").count(), 1);
    assert!(page.contains("pontage trace explain ./traces/a.dat"));
    for (why, times) in [
        ("cannot open ./traces/gone.dat", 1),
        ("its name &quot;../run.json&quot; points outside the run", 1),
        ("its clock counts no time", 1),
        ("No timeline", 3),
    ] {
        assert_eq!(page.matches(why).count(), times, "{why}");
    }
    // Every command of traces takes the file.
    for command in ["stats", "explain", "report", "slices"] {
        let output = Command::new(env!("CARGO_BIN_EXE_pontage"))
            .args(["trace", command, "traces/a.dat"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}: {}", printed(&output));
    }
    run_with_traces(folder.path(), &[]);
    assert!(!report(folder.path()).0.contains("class=\"tl"));
}
