//! `pontage ipc` word for word, with every measured number masked.
//! After a wanted change: `UPDATE_GOLDEN=1 cargo test -p pontage --test ipc`.

mod program;

use program::Program;
use std::path::PathBuf;

/// Digits that a measurement chose, and what this machine says of itself.
fn masked(text: &str) -> String {
    let mut out = String::new();
    let mut in_number = false;
    for c in text.chars() {
        let digit = c.is_ascii_digit() || (in_number && c == '.');
        if digit && !in_number {
            out.push('#');
        }
        if !digit {
            out.push(c);
        }
        in_number = digit;
    }
    out
}

fn golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/transcripts/ipc")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(&path, text).expect("writable");
    }
    let want = std::fs::read_to_string(&path)
        .unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()));
    assert_eq!(text, want, "{name}");
}

#[test]
fn samples_as_text_and_as_json() {
    let program = Program::new();
    for mode in ["1thread", "2thread", "2proc"] {
        let base = ["ipc", "-B", "-t", "1048576", "-b", "65536", "-n", "2"];
        let text = program.run(&[&base[..], &["-g", mode]].concat());
        assert_eq!(text.status, 0, "{text:?}");
        golden("samples.txt", &masked(&text.stdout));
        let json = program.run(&[&base[..], &["-g", "-j", mode]].concat());
        assert_eq!(json.status, 0, "{json:?}");
        golden("samples.json", &masked(&json.stdout));
        let quiet = program.run(&[&base[..], &["-q", mode]].concat());
        assert_eq!((quiet.status, quiet.stdout.as_str()), (0, ""), "{quiet:?}");
    }
}

#[test]
fn the_counts_are_those_of_the_original() {
    let program = Program::new();
    let ran = program.run(&["ipc", "-B", "-g", "-j", "2thread"]);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a document");
    let sample = &json["benchmark_samples"][0];
    // 16 MiB by 128 KiB: 128 writes; a pipe of 64 KiB is emptied 256 times.
    assert_eq!(sample["msgsnd"], 128, "{sample}");
    assert!(sample["msgrcv"].as_u64() >= Some(128), "{sample}");
    assert!(sample["time"].is_string() && sample["stime"].is_string());
    assert!(sample["bandwidth"].is_f64());
}

#[test]
fn verbose_json_has_every_block_of_the_original() {
    let program = Program::new();
    let ran = program.run(&["ipc", "-B", "-v", "-j", "-t", "131072", "2proc"]);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a document");
    let keys: Vec<&str> = json
        .as_object()
        .expect("blocks")
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "hardware_configuration",
            "os_configuration",
            "network_ipc_configuration",
            "benchmark_configuration",
            "benchmark_samples"
        ]
    );
    let benchmark = &json["benchmark_configuration"];
    assert_eq!(benchmark["buffer_size"], 131_072);
    assert_eq!(benchmark["msgcount"], 1);
    assert_eq!(benchmark["mode"], "2proc");
    assert_eq!(json["os_configuration"]["kern.ostype"], "Linux");
    assert!(json["network_ipc_configuration"]["kern.ipc.pipe_mindirect"].is_null());
    let describe = program.run(&["ipc", "-j", "describe"]);
    let json: serde_json::Value = serde_json::from_str(&describe.stdout).expect("a document");
    assert!(json.get("benchmark_samples").is_none(), "nothing was run");
}

#[test]
fn flags_that_do_not_fit_are_refused_as_there() {
    let program = Program::new();
    for (arguments, said) in [
        (
            &["ipc", "-b", "1000", "2proc"][..],
            "data size (16777216) is not a multiple of buffersize (1000)",
        ),
        (&["ipc", "-s", "2proc"][..], "a pipe has none"),
        (
            &["ipc", "-i", "carrier-pigeon", "2proc"][..],
            "cannot find transport carrier-pigeon",
        ),
        (&["ipc", "-b", "0", "2proc"][..], "must be at least 1"),
        (&["ipc", "-p", "0", "2proc"][..], "0 is not in 1..=65535"),
        (&["ipc", "-n", "0", "2proc"][..], "0 is not in 1"),
        (&["ipc"][..], "<MODE>"),
        (&["ipc", "2proc", "1thread"][..], "unexpected argument"),
    ] {
        let refused = program.run(arguments);
        assert_eq!(refused.status, 2, "{arguments:?}: {refused:?}");
        assert!(refused.stderr.contains(said), "{arguments:?}: {refused:?}");
        assert_eq!(refused.stdout, "");
    }
}
