//! `pontage trace record` and `trace interrupts` on this machine: what is
//! recorded, and that nothing stays switched on. Where tracefs is closed the
//! tests say so, in words that fixtures/skips/tracing.toml knows.

mod program;

use program::{Ended, Program};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use trace::{Capture, Item};

const NOTHING_RUNS: i32 = 77;

#[derive(Deserialize)]
struct Ledger {
    skip: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    test: String,
    reason: String,
}

/// False, and reported, where this machine cannot record.
fn can_record(program: &Program) -> bool {
    is_there(&program.run(&["trace", "record", "-o", "try.dat", "--", "true"]))
}

/// It was done, or it is not to be had here and said why.
fn is_there(ended: &Ended) -> bool {
    if ended.status != NOTHING_RUNS {
        assert_eq!(ended.status, 0, "{ended:?}");
        return true;
    }
    let ledger: Ledger =
        toml::from_str(include_str!("../../../fixtures/skips/tracing.toml")).unwrap();
    let known = |e: &Expected| e.test == "trace" && ended.stderr.contains(&e.reason);
    assert!(ledger.skip.iter().any(known), "unexpected skip: {ended:?}");
    assert!(ended.stderr.contains("enable: "), "{ended:?}");
    eprintln!("skipped: {}", ended.stderr.trim());
    false
}

fn tracefs() -> PathBuf {
    let own = PathBuf::from("/sys/kernel/tracing");
    match own.join("instances").exists() {
        true => own,
        false => "/sys/kernel/debug/tracing".into(),
    }
}

fn instance_of(pid: u32) -> PathBuf {
    tracefs().join(format!("instances/pontage-{pid}"))
}

#[track_caller]
fn wait_until(what: &str, mut found: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(60);
    while !found() {
        assert!(Instant::now() < limit, "{what}: not within 60 s");
        sleep(Duration::from_millis(20));
    }
}

fn folder(program: &Program) -> PathBuf {
    program.out().parent().unwrap().to_owned()
}

/// Events of one name, and gaps.
fn count(capture: &Capture, name: &str) -> (usize, usize) {
    let order = capture.head.order;
    let id = capture.head.systems.iter().find_map(|system| {
        let begin = format!("name: {name}\n");
        let format = system.formats.iter().find(|f| f.starts_with(&begin))?;
        let line = format.lines().find_map(|l| l.strip_prefix("ID: "))?;
        line.trim().parse::<u16>().ok()
    });
    let id = id.unwrap();
    let mut found = (0, 0);
    let mut items = capture.merged();
    while let Some(item) = items.next() {
        match item.unwrap() {
            Item::Event(event) if event.id(order) == id => found.0 += 1,
            Item::Event(_) => {}
            Item::Lost(_) => found.1 += 1,
        }
    }
    found
}

/// Events of the summary's last row.
fn summed(ended: &Ended) -> usize {
    let row = ended
        .stderr
        .lines()
        .find(|l| l.trim_start().starts_with("all "));
    let row = row.unwrap_or_else(|| panic!("{ended:?}"));
    row.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_recording_reads_back_event_for_event_and_nothing_stays() {
    let program = Program::new();
    if !can_record(&program) {
        return;
    }
    // Two processes that wake each other, with nothing but a shell.
    let loops = "mkfifo a b\n\
        (exec 3<a 4>b; i=0; while [ $i -lt 2000 ]; do read x <&3; echo >&4; i=$((i+1)); done) &\n\
        exec 3>a 4<b; i=0; while [ $i -lt 2000 ]; do echo >&3; read x <&4; i=$((i+1)); done\n\
        wait\n";
    let ended = program.run(&[
        "trace", "record", "-e", "sched", "-o", "pipe.dat", "--", "sh", "-c", loops,
    ]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let path = folder(&program).join("pipe.dat");
    let capture = trace::file::open(&path).unwrap();
    let (switches, gaps) = count(&capture, "sched_switch");
    assert_eq!(gaps, 0);
    // Each round trip sleeps at least once on a machine of any size.
    assert!(switches >= 2000, "{switches} switches");
    let (wakings, _) = count(&capture, "sched_waking");
    assert!(wakings >= 2000, "{wakings} wake-ups");
    let all = capture.merged().count();
    assert_eq!(all, summed(&ended), "{ended:?}");
    let lost: u64 = capture
        .head
        .cpu_stats
        .iter()
        .map(trace::CpuStat::lost)
        .sum();
    assert_eq!(lost, 0);
    let stats = &capture.head.cpu_stats;
    assert!(!stats.is_empty());
    // Nothing was left in a ring.
    assert!(
        stats.iter().all(|s| s.value("entries") == Some(0)),
        "{stats:?}"
    );
    assert!(
        capture
            .head
            .notes
            .iter()
            .any(|n| n.starts_with("command: "))
    );
    let Ok(report) = std::process::Command::new("trace-cmd")
        .arg("report")
        .arg(&path)
        .output()
    else {
        eprintln!("not compared with trace-cmd report: it is not installed");
        return;
    };
    let text = String::from_utf8_lossy(&report.stdout);
    let lines = text.lines().filter(|l| l.contains("] ")).count();
    assert_eq!(lines, all, "as trace-cmd counts");
    let shown = text
        .lines()
        .filter(|l| l.contains(" sched_switch: "))
        .count();
    assert_eq!(shown, switches);
}

fn started(program: &Program, arguments: &[&str]) -> Child {
    let mut command = program.command(arguments);
    command.stderr(Stdio::piped()).stdout(Stdio::null());
    command.spawn().unwrap()
}

fn recording(program: &Program, file: &str) -> Child {
    let child = started(program, &["trace", "record", "-o", file]);
    let set = |name: &str, wanted: &[&str]| {
        let text = std::fs::read_to_string(instance_of(child.id()).join(name));
        text.is_ok_and(|t| wanted.contains(&t.trim()))
    };
    // A new instance is on, and records nothing yet.
    wait_until("the recording", || {
        set("tracing_on", &["1"]) && set("events/enable", &["1", "X"])
    });
    child
}

#[test]
fn kill_9_leaves_no_instance_and_its_events_can_be_had() {
    let program = Program::new();
    if !can_record(&program) {
        return;
    }
    let mut child = recording(&program, "killed.dat");
    let instance = instance_of(child.id());
    let spool = folder(&program).join("killed.dat.spool");
    // The rings are emptied once a second, however little is in them.
    wait_until("the first pages", || {
        let size = |cpu: u32| spool.join(format!("cpu{cpu}.raw")).metadata();
        (0..1024).any(|cpu| size(cpu).is_ok_and(|m| m.len() > 0))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the caretaker", || !instance.exists());
    let journal = folder(&program).join("journal");
    wait_until("the journal's end", || {
        std::fs::read_dir(&journal).map_or(0, Iterator::count) == 0
    });
    let again = program.run(&["trace", "record", "-o", "killed.dat", "--", "true"]);
    assert_eq!(again.status, 2, "{again:?}");
    assert!(again.stderr.contains("--recover killed.dat.spool"));
    let recovered = program.run(&["trace", "record", "--recover", "killed.dat.spool"]);
    assert_eq!(recovered.status, 0, "{recovered:?}");
    assert!(!spool.exists());
    let capture = trace::file::open(&folder(&program).join("killed.dat")).unwrap();
    assert!(capture.merged().count() > 0);
    assert!(
        capture
            .head
            .notes
            .iter()
            .any(|n| n.starts_with("recovered"))
    );
}

#[test]
fn a_signal_ends_a_recording_in_order() {
    let program = Program::new();
    if !can_record(&program) {
        return;
    }
    let child = recording(&program, "stopped.dat");
    let instance = instance_of(child.id());
    let stop = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(stop.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(!instance.exists());
    let capture = trace::file::open(&folder(&program).join("stopped.dat")).unwrap();
    assert!(capture.merged().count() > 0);
}

#[test]
fn what_the_kernel_refuses_leaves_nothing() {
    let program = Program::new();
    if !can_record(&program) {
        return;
    }
    let bad_filter = ["trace", "record", "-e", "sched_switch if nothing == 1"];
    let ended = program.run(&bad_filter);
    assert_eq!(ended.status, 2, "{ended:?}");
    assert!(ended.stderr.contains("cannot set the filter"), "{ended:?}");
    let ended = program.run(&["trace", "record", "-e", "sched:sched_swich"]);
    assert_eq!(ended.status, NOTHING_RUNS, "{ended:?}");
    assert!(ended.stderr.contains("did you mean -e sched:sched_switch"));
    let ended = program.run(&["trace", "record", "--", "/nonexistent"]);
    assert_eq!(ended.status, 2, "{ended:?}");
    let ended = program.run(&["trace", "record", "-o", "none/trace.dat", "--", "true"]);
    assert_eq!(ended.status, 2, "{ended:?}");
    let left: Vec<_> = std::fs::read_dir(folder(&program))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .filter(|name| !["try.dat", "journal"].map(Into::into).contains(name))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let journal = folder(&program).join("journal");
    assert_eq!(std::fs::read_dir(journal).map_or(0, Iterator::count), 0);
}

#[test]
fn a_ring_that_is_too_small_is_reported_loudly_and_the_gap_is_in_the_file() {
    let program = Program::new();
    if !can_record(&program) {
        return;
    }
    let busy = "dd if=/dev/zero of=/dev/null bs=1 count=300000";
    let ended = program.run(&[
        "trace",
        "record",
        "-e",
        "raw_syscalls",
        "--buffer-kib",
        "8",
        "-o",
        "small.dat",
        "--",
        "sh",
        "-c",
        busy,
    ]);
    if ended.status == NOTHING_RUNS {
        eprintln!("skipped: this kernel has no events of system calls");
        return;
    }
    assert_eq!(ended.status, 0, "{ended:?}");
    let capture = trace::file::open(&folder(&program).join("small.dat")).unwrap();
    let lost: u64 = capture
        .head
        .cpu_stats
        .iter()
        .map(trace::CpuStat::lost)
        .sum();
    let (_, gaps) = count(&capture, "sys_enter");
    // How fast the reader is depends on the machine; loss and gaps belong
    // together, and so does what is said.
    assert_eq!(lost > 0, gaps > 0, "{lost} lost, {gaps} gaps");
    assert_eq!(lost > 0, ended.stderr.contains("LOST "), "{ended:?}");
    assert_eq!(
        lost > 0,
        ended.stderr.contains("--buffer-kib "),
        "{ended:?}"
    );
}

#[test]
fn the_commands_status_is_handed_on() {
    let program = Program::new();
    if !can_record(&program) {
        return;
    }
    let ended = program.run(&["trace", "record", "-e", "irq", "--", "sh", "-c", "exit 5"]);
    assert_eq!(ended.status, 5, "{ended:?}");
}

#[test]
fn a_function_is_recorded_and_profiled_or_refused_with_a_remedy() {
    let program = Program::new();
    let function = "--functions=vfs_fsync_range";
    let synced = ["dd", "if=/dev/zero", "of=synced", "count=1", "conv=fsync"];
    let start = ["trace", "record", function, "-o", "only.dat", "--"];
    let ended = program.run(&[&start[..], &synced[..]].concat());
    if is_there(&ended) {
        let ended = program.run(&["trace", "profile", "only.dat"]);
        assert!(ended.stdout.contains("\nvfs_fsync_range "), "{ended:?}");
    }
    let start = ["trace", "profile", function, "--"];
    let ended = program.run(&[&start[..], &synced[..]].concat());
    if is_there(&ended) {
        assert!(ended.stdout.contains("\nvfs_fsync_range "), "{ended:?}");
    }
    let journal = folder(&program).join("journal");
    assert_eq!(std::fs::read_dir(journal).map_or(0, Iterator::count), 0);
}

#[test]
fn interrupts_of_a_command_by_cpu() {
    let program = Program::new();
    if !Path::new("/proc/interrupts").exists() {
        eprintln!("skipped: no /proc/interrupts");
        return;
    }
    let ended = program.run(&[
        "trace",
        "interrupts",
        "--format",
        "json",
        "--",
        "sh",
        "-c",
        "sleep 0.3; exit 3",
    ]);
    assert_eq!(ended.status, 3, "{ended:?}");
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(document["command"], "sh -c sleep 0.3; exit 3");
    let cpus = document["interrupts"]["cpus"].as_array().unwrap().len();
    let rows = document["interrupts"]["rows"].as_array().unwrap();
    assert!(!rows.is_empty(), "{document}");
    for row in rows {
        let counts = row["counts"].as_array().unwrap();
        let sum: u64 = counts.iter().map(|c| c.as_u64().unwrap()).sum();
        assert!(counts.is_empty() || counts.len() == cpus);
        assert!(counts.is_empty() || row["total"] == sum);
    }
    assert!(document["context_switches"].as_u64().unwrap() > 0);
    let ended = program.run(&["trace", "interrupts", "--cpu", "4095"]);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("hint: online: "), "{ended:?}");
    let ended = program.run(&["trace", "interrupts", "--seconds", "0.1"]);
    assert!(ended.stdout.contains(" rows did not change"), "{ended:?}");
}
