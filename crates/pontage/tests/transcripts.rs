//! What the commands print, word for word, over stored records. Refresh with
//! UPDATE_GOLDEN=1 after reading what changed.

mod program;

use program::Program;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// Name of the transcript, then its commands.
const TRANSCRIPTS: &[(&str, &[&[&str]])] = &[
    ("list", &[&["list"]]),
    (
        "explain",
        &[&["explain", "syscall/getppid"], &["explain", "quick"]],
    ),
    (
        "unknown",
        &[
            &["explain", "mem/latencey"],
            &["run", "mem/latencey"],
            &["run", "syscall/getppid", "--axis", "size=64"],
            &["run", "mem/latency", "--axis", "sise=64"],
            &["run", "mem/latency", "--axis", "size=64.."],
            &["run", "irq/timer", "--axis", "length=1d"],
            &["run", "mem/latency", "--axis", "size"],
            &["run", "no-such-recipe.toml"],
            &["run", "syscall/getppid", "--cpu", "4096"],
            &["run", "--budget-ms", "0"],
        ],
    ),
    (
        "ipc-refused",
        &[
            &["ipc", "-t", "0", "2proc"],
            &["ipc", "-t", "1e30", "2proc"],
            &["ipc", "-t", "99999999999999999999", "2proc"],
            &["ipc", "-b", "0", "2proc"],
            &["ipc", "-b", "-5", "2proc"],
            &["ipc", "-b", "64Q", "2proc"],
            &["ipc", "-b", "200000", "-t", "100000", "2proc"],
            &["ipc", "-b", "1000", "2proc"],
            &["ipc", "-b", "2", "-t", "9223372036854775807", "2proc"],
            &["ipc", "-i", "unix_strem", "2proc"],
            &["ipc", "-i", "ipc/pipe", "2proc"],
            &["ipc", "-i", "carrier-pigeon", "2proc"],
            &["ipc", "-s", "2proc"],
            &["ipc", "-p", "0", "2proc"],
            &["ipc", "-p", "-1", "2proc"],
            &["ipc", "-p", "65536", "2proc"],
            &["ipc", "-n", "0", "2proc"],
            &["ipc", "-P", "caches", "2proc"],
            &["ipc", "--placement", "moon", "2proc"],
            &["ipc", "3thread"],
            &["ipc", "2proc", "1thread"],
        ],
    ),
    (
        "colocate-refused",
        &[
            &["colocate", "--a", "alu"],
            &["colocate", "--a", "memcopy", "--b", "alu"],
            &["colocate", "--a", "alu", "--b", "image,"],
            &["colocate", "--a", "alu", "--b", "cmd:"],
            &["colocate", "--a", "alu", "--b", "alu", "--tasks", "0+1"],
            &["colocate", "--a", "alu", "--b", "alu", "--tasks", "2"],
            &[
                "colocate",
                "--a",
                "alu",
                "--b",
                "alu",
                "--placement",
                "moon",
            ],
            &["colocate", "--a", "alu", "--b", "alu", "--window", "0"],
            &["colocate", "--a", "alu", "--b", "alu", "--deadline", "0"],
            &["colocate", "--a", "alu", "--b", "alu", "--cpu", "4096"],
            &["colocate", "--matrix", "--tasks", "1+1"],
            &["colocate", "--list", "--a", "alu"],
        ],
    ),
    (
        "cftu",
        &[
            &["export", "OFFLOAD", "--format", "cftu"],
            &["export", "OFFLOAD", "--format", "cftu", "--out", "dat"],
            &["export", "SMALL", "--format", "cftu", "--out", "none"],
            &["import", "cftu", "nowhere"],
            &["import", "cftu", "nowhere/measures_to.dat"],
            &["import", "cftu", "DAT/README.md"],
            &["import", "cftu", "DAT/malformed"],
            &["import", "cftu", "DAT/malformed/micro-benchmark_from_1.dat"],
            &["import", "cftu", "DAT/malformed/mem_trace_to.dat"],
            &["import", "cftu", "DAT/malformed/measures_to.dat"],
        ],
    ),
    (
        "foreign",
        &[
            &["report", "nowhere"],
            &["report", "RECORDS"],
            &["report"],
            &["compare", "SMALL", "nowhere"],
            &["compare", "SMALL", "SMALL", "--threshold", "-1"],
            &["run", "--resume", "SMALL"],
            &["doctor", "--root", "nowhere"],
        ],
    ),
    ("report", &[&["report", "SMALL"], &["report", "CRASHED"]]),
    (
        "compare",
        &[
            &["compare", "SMALL", "SMALL"],
            &["compare", "SMALL", "SMALL", "--all"],
        ],
    ),
    (
        "export",
        &[
            &["export", "SMALL", "--format", "csv"],
            &["export", "SMALL", "--format", "markdown"],
            &["export", "SMALL", "--format", "bmf"],
            &["export", "SMALL", "--format", "prometheus"],
            &[
                "export",
                "SMALL",
                "--format",
                "prometheus",
                "--experiment",
                "syscall",
            ],
            &[
                "export",
                "SMALL",
                "--format",
                "csv",
                "--experiment",
                "syscal/*",
            ],
            &["export", "SMALL", "--format", "csv", "--metric", "tim"],
            &["export", "SMALL", "--format", "json", "--samples"],
            &["export", "SMALL", "--format", "csv", "--all"],
            &["export", "SMALL", "--format", "cftu", "--metric", "time"],
            &["export", "SMALL", "--format", "parquet"],
            &["export", "SMALL", "--format", "xml"],
        ],
    ),
    ("restore", &[&["restore", "--journal", "nowhere"]]),
    (
        "trace-analyses",
        &[
            &["trace", "stats", CAPTURED, "--top", "8"],
            &["trace", "slices", CAPTURED, "--task", "dd", "--task", "sh"],
            &["trace", "slices", CAPTURED, "--task", "dd", "--csv"],
            &[
                "trace", "slices", CAPTURED, "--task", "dd", "--format", "json",
            ],
            &["trace", "timers", CAPTURED],
            &["trace", "timers", CAPTURED, "--function", "process_timeout"],
            &["trace", "explain", CAPTURED],
            &["trace", "compare", CAPTURED, CAPTURED],
            &["trace", "profile", WRITTEN],
            &["trace", "callpath", WRITTEN, "--root", "vfs_fsync_range"],
        ],
    ),
    (
        "trace-functions",
        &[
            &["trace", "profile", OF_6_1, "--top", "8"],
            &[
                "trace",
                "callpath",
                OF_6_1,
                "--root",
                "vfs_fsync_range",
                "--least",
                "2",
            ],
            &["trace", "profile", OF_6_12, "--top", "4", "--by-cpu"],
            &[
                "trace",
                "callpath",
                OF_6_12,
                "--root",
                "vfs_fsync_range",
                "--least",
                "2",
            ],
        ],
    ),
    (
        "trace-refused",
        &[
            &["trace", "stats", "nowhere.dat"],
            &["trace", "stats", "TRACES/README.md"],
            &["trace", "slices", CAPTURED, "--task", "nobody"],
            &["trace", "slices", CAPTURED, "--cpu", "9"],
            &["trace", "slices", CAPTURED, "--csv", "--format", "json"],
            &["trace", "timers", WRITTEN],
            &["trace", "timers", CAPTURED, "--timer", "abc"],
            &["trace", "timers", CAPTURED, "--timer", "wheel"],
            &["trace", "profile", CAPTURED],
            &["trace", "profile"],
            &["trace", "profile", WRITTEN, "--functions", "vfs_read"],
            &[
                "trace",
                "record",
                "--recover",
                "a.spool",
                "--graph",
                "vfs_read",
            ],
            &["trace", "callpath", WRITTEN, "--root", "no_such_function"],
        ],
    ),
];

const CAPTURED: &str = "TRACES/x86-6.18-sched-timer.dat";
const WRITTEN: &str = "TRACES/written-function-graph.dat";
/// Recorded by ourselves in guests.
const OF_6_1: &str = "TRACES/x86-6.1-functions.dat";
const OF_6_12: &str = "TRACES/x86-6.12-functions.dat";

#[test]
fn commands_print_what_they_printed() {
    let program = Program::new();
    let mut wrong = Vec::new();
    for (name, commands) in TRANSCRIPTS {
        let transcript: String = commands
            .iter()
            .map(|words| transcript(&program, words))
            .collect();
        let file = golden(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&file, &transcript).unwrap();
        } else if fs::read_to_string(&file).unwrap_or_default() != transcript {
            let now = file.with_extension("now");
            fs::write(&now, &transcript).unwrap();
            wrong.push(format!(
                "{}: differs, now {}",
                file.display(),
                now.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A command, its outputs and its exit status. Folders of this machine appear
/// by name.
fn transcript(program: &Program, words: &[&str]) -> String {
    let places = [
        ("SMALL", "v1-small"),
        ("CRASHED", "v1-crashed"),
        ("OFFLOAD", "v1-offload"),
        ("DAT", "../foreign/cftu"),
        ("TRACES", "../traces"),
        ("RECORDS", ""),
    ];
    let path = |folder: &str| records().join(folder).display().to_string();
    let real: Vec<String> = words
        .iter()
        .map(|word| {
            let (first, rest) = word.split_once('/').unwrap_or((word, ""));
            match places.iter().find(|(name, _)| *name == first) {
                Some((_, folder)) if rest.is_empty() => path(folder),
                Some((_, folder)) => path(&format!("{folder}/{rest}")),
                None => (*word).to_owned(),
            }
        })
        .collect();
    let ended = program.run(&real.iter().map(String::as_str).collect::<Vec<_>>());
    let mut text = format!("$ pontage {}\n{}", words.join(" "), ended.stdout);
    for line in ended.stderr.lines() {
        let _ = writeln!(text, "! {line}");
    }
    let _ = writeln!(text, "= {}\n", ended.status);
    for (name, folder) in places {
        let real = path(folder);
        text = text.replace(real.trim_end_matches('/'), name);
    }
    let same_everywhere = |line: &str| match line.split_once("hint: allowed: ") {
        Some((before, _)) => format!("{before}hint: allowed: CPUS\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(same_everywhere).collect()
}

fn records() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/records")
}

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/transcripts/{name}.txt"))
}
