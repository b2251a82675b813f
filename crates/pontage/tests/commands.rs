//! Typical mistakes and what is answered: by status and by words that name the object,
//! the cause and the remedy.

mod program;

use program::{Ended, Program, run_folder};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;

fn refused(ended: &Ended, words: &[&str]) {
    assert_eq!(ended.status, 2, "{ended:?}");
    for word in words {
        assert!(ended.stderr.contains(word), "{word}: {ended:?}");
    }
}

/// Measures in a folder of its own.
fn measured(program: &Program, name: &str, id: &str) -> String {
    let out = program.out().join(name);
    let out = out.to_str().unwrap();
    let ended = program.run(&["run", id, "--budget-ms", "5", "--out", out]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let mut runs = fs::read_dir(out).unwrap();
    runs.next().unwrap().unwrap().path().display().to_string()
}

#[test]
fn what_cannot_be_compared_is_a_skip() {
    let program = Program::new();
    let a = measured(&program, "a", "syscall/getppid");
    let b = measured(&program, "b", "syscall/fstat");
    for format in ["text", "json"] {
        let none = program.run(&["compare", &a, &b, "--format", format]);
        assert_eq!(none.status, 77, "{none:?}");
        assert!(
            none.stderr.contains("SKIP: nothing was compared"),
            "{none:?}"
        );
    }
    // A stored one: a point measured in 5 ms on a busy machine may carry no interval.
    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/records/v2-small");
    let stored = stored.display().to_string();
    for threshold in ["5", "5%", "2.5 %"] {
        let same = program.run(&["compare", &stored, &stored, "--threshold", threshold]);
        assert_eq!(same.status, 0, "{same:?}");
    }
    let wrong = program.run(&["compare", &a, &a, "--threshold", "five"]);
    refused(&wrong, &["--threshold", "a percentage: 5, 5%"]);
}

#[test]
fn a_report_as_json_is_what_export_writes() {
    let program = Program::new();
    let run = measured(&program, "a", "syscall/getppid");
    let report = program.run(&["report", &run, "--format", "json"]);
    let export = program.run(&["export", &run, "--format", "json"]);
    assert_eq!((report.status, export.status), (0, 0), "{report:?}");
    assert_eq!(report.stdout, export.stdout);
    let json: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
    for part in ["experiments", "findings", "claims"] {
        assert!(json[part].is_array(), "{part}");
    }
}

#[test]
fn huge_pages_beyond_half_of_the_memory_are_refused_before_anything_begins() {
    let program = Program::new();
    for many in ["99999999", "18446744073709551615"] {
        let ended = program.run(&["run", "syscall/getppid", "--huge-pages", many]);
        refused(&ended, &["cannot reserve", many, "at most half", "hint:"]);
    }
    for wrong in ["0", "many", "1.5"] {
        let ended = program.run(&["run", "syscall/getppid", "--huge-pages", wrong]);
        refused(&ended, &["--huge-pages"]);
    }
    assert!(!program.out().exists(), "no record is left");
}

#[test]
fn every_iteration_of_ipc_finds_the_cpus_of_the_first() {
    let program = Program::new();
    let mut found = 0;
    for placement in ["smt_sibling", "same_cluster", "same_cache", "same_socket"] {
        let base = [
            "ipc",
            "-B",
            "-j",
            "-t",
            "1048576",
            "-i",
            "pipe",
            "--placement",
            placement,
        ];
        let once = program.run(&[&base[..], &["-n", "1", "2thread"]].concat());
        let thrice = program.run(&[&base[..], &["-n", "3", "2thread"]].concat());
        assert_eq!(once.status, thrice.status, "{placement} {thrice:?}");
        if once.status == 0 {
            found += 1;
            let json: serde_json::Value = serde_json::from_str(&thrice.stdout).unwrap();
            assert_eq!(json["benchmark_samples"].as_array().unwrap().len(), 3);
        }
    }
    if found == 0 {
        eprintln!("skipped: this process may use one CPU only");
    }
}

#[test]
fn ipc_without_a_mode_is_one_thread() {
    let program = Program::new();
    let ran = program.run(&["ipc", "-B", "-v", "-j", "-t", "1M", "-b", "64K"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let asked = &json["benchmark_configuration"];
    assert_eq!(asked["mode"], "1thread");
    assert_eq!(
        (&asked["buffer_size"], &asked["msgcount"]),
        (&65536.into(), &16.into())
    );
}

#[test]
fn commands_are_looked_for_before_anything_is_measured() {
    let program = Program::new();
    let gone = "/nonexistent/program --fast";
    let axis = format!("victim=cmd:{gone}");
    for words in [
        &["pollute", "--victim", gone][..],
        &["colocate", "--a", gone, "--b", "alu"],
        &[
            "colocate",
            "--a",
            "alu",
            "--b",
            "cmd:/nonexistent/program --fast",
        ],
        &["colocate", "--matrix", "--a", gone],
        &["run", "colocate/matrix", "--axis", &axis],
        &["run", "pollute/victim", "--axis", &axis],
    ] {
        let ended = program.run(words);
        let causes = [
            "cannot run `/nonexistent/program --fast`",
            "No such file",
            "hint: see: ls",
        ];
        refused(&ended, &causes);
    }
    assert!(!program.out().exists(), "no record is left");
}

/// The experiments of a plan, in its order.
fn planned(program: &Program, words: &[&str]) -> Vec<String> {
    let ended = program.run(&[&["run", "--dry-run"], words].concat());
    assert_eq!(ended.status, 0, "{ended:?}");
    let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let ids = ended.stdout.lines().filter_map(first);
    ids.filter(|id| id.contains('/')).collect()
}

#[test]
fn areas_and_lists_are_selections() {
    let program = Program::new();
    let area = planned(&program, &["mem/*"]);
    assert!(area.len() > 2);
    assert_eq!(planned(&program, &["mem"]), area);
    assert_eq!(planned(&program, &["mem/"]), area);
    let two = ["mem/latency", "mem/line"];
    assert_eq!(planned(&program, &["mem/latency,mem/line"]), two);
    assert_eq!(planned(&program, &["mem/latency, mem/line,"]), two);
    let wrong = program.run(&["run", "mem/latency,mem/lime"]);
    refused(&wrong, &["cannot find experiment mem/lime", "mem/line"]);
    refused(&program.run(&["run", ","]), &["no experiment is named"]);
}

#[test]
fn recordings_take_their_time_in_the_plan() {
    let program = Program::new();
    for (id, axes, least_s) in [
        (
            "sched/slice",
            &["length=5s", "task=first,second", "policy=other", "rank=0/0"][..],
            5.0,
        ),
        (
            "irq/timer",
            &["length=30s", "timeout=4ms", "state=idle"],
            30.0,
        ),
        ("irq/tick", &["window=2s"], 10.0),
        ("irq/delta", &["window=2s"], 10.0),
        (
            "sched/wakeup",
            &["source=trace", "interval=10ms", "wakes=1000"],
            10.0,
        ),
    ] {
        let mut words = vec!["run", "--dry-run", id];
        words.extend(axes.iter().flat_map(|axis| ["--axis", axis]));
        let ended = program.run(&words);
        assert_eq!(ended.status, 0, "{ended:?}");
        let line = ended.stdout.lines().next().unwrap();
        let seconds = line
            .split("points")
            .nth(1)
            .unwrap()
            .trim()
            .trim_end_matches(" s");
        let seconds: f64 = seconds.parse().unwrap();
        assert!(seconds >= least_s, "{id}: {seconds} s of {least_s}: {line}");
    }
}

#[test]
fn a_plan_under_both_loads_takes_the_time_of_two() {
    let program = Program::new();
    let seconds = |load: &[&str]| -> f64 {
        let words = ["run", "--dry-run", "syscall/getppid", "--budget-ms", "9000"];
        let ended = program.run(&[&words[..], load].concat());
        assert_eq!(ended.status, 0, "{ended:?}");
        let all = ended.stdout.lines().last().unwrap();
        let rest = all.split_once("points").unwrap().1.trim();
        assert_eq!(rest.contains("under load"), !load.is_empty(), "{all}");
        rest.split_once(' ').unwrap().0.parse().unwrap()
    };
    let (one, both) = (seconds(&[]), seconds(&["--load", "both"]));
    assert!((1.9..2.1).contains(&(both / one)), "{one} {both}");
}

#[test]
fn a_long_run_says_how_long_before_it_begins() {
    let program = Program::new();
    let mut child = program
        .command(&["run", "syscall/getppid", "--full", "--budget-ms", "60000"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut first).unwrap();
    program::send("INT", child.id());
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    child.wait().unwrap();
    // Six processes of a minute; on a machine where nothing ran, nine tenths of that.
    assert!(first.contains("1 point(s), about 6 min"), "{first}{rest}");
}

#[test]
fn a_malformed_axis_prints_what_the_axis_takes() {
    let program = Program::new();
    let ended = program.run(&["run", "mem/latency", "--axis", "size=64.."]);
    refused(
        &ended,
        &[
            "cannot read axis size=64..",
            "nothing is after",
            "64..1MiB:x4",
        ],
    );
    let ended = program.run(&["run", "--dry-run", "mem/latency", "--axis", "size=64k..1M"]);
    assert_eq!(ended.status, 0, "{ended:?}");
    let ended = program.run(&[
        "run",
        "mem/bandwidth",
        "--axis",
        "size=1..4096:+1",
        "--axis",
        "cores=1..4096:+1",
    ]);
    refused(
        &ended,
        &[
            "cannot plan mem/bandwidth",
            "points",
            "has at most 2000000",
            "hint:",
        ],
    );
}

#[test]
fn a_recipe_is_a_regular_file_of_bounded_size() {
    let program = Program::new();
    let parent = program.out();
    fs::create_dir_all(&parent).unwrap();
    let path = |name: &str| parent.join(name).display().to_string();
    let made = program.shell("mkfifo runs/fifo.toml && mkdir runs/folder.toml");
    assert_eq!(made.status, 0, "{made:?}");
    fs::write(path("huge.toml"), vec![b'#'; 2 << 20]).unwrap();
    fs::write(path("bytes.toml"), [0xff, 0xfe]).unwrap();
    fs::write(path("notes.txt"), "title = 'x'").unwrap();
    for name in [
        "fifo.toml",
        "folder.toml",
        "huge.toml",
        "bytes.toml",
        "notes.txt",
        "gone.toml",
    ] {
        let file = path(name);
        refused(
            &program.run(&["run", &file]),
            &["cannot read recipe", name, "hint:"],
        );
    }
    let run = measured(&program, "measured", "syscall/getppid");
    for record in [run.clone(), format!("{run}/run.json")] {
        let ended = program.run(&["run", &record]);
        refused(&ended, &["is a recorded run", "pontage report", "--resume"]);
    }
}

#[test]
fn a_recipe_file_with_commands_is_shown_and_needs_trust() {
    let program = Program::new();
    let parent = program.out();
    fs::create_dir_all(&parent).unwrap();
    let (file, proof) = (parent.join("x.toml"), parent.join("proof"));
    let text = format!(
        "title = 't'\n[[experiment]]\nid = 'colocate/matrix'\nbudget_ms = 5\n\
         axes = {{ victim = 'cmd:touch {}', neighbour = 'alu', placement = 'same_cpu', window = '1ms' }}\n",
        proof.display()
    );
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let ended = program.run(&["run", file]);
    refused(
        &ended,
        &["command: touch ", "commands of its own", "--trust"],
    );
    assert!(!proof.exists());
    let trusted = program.run(&["run", file, "--trust"]);
    assert!(proof.exists(), "{trusted:?}");
    assert!(run_folder(&program).is_dir());
}
