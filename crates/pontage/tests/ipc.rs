//! `pontage ipc` word for word, with every measured number masked.
//! After a wanted change: `UPDATE_GOLDEN=1 cargo test -p pontage --test ipc`.

mod program;

use program::Program;
use std::net::TcpListener;
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

/// What this command line may ask for and this machine cannot give; the figures
/// are the machine's.
#[test]
fn what_cannot_be_had_here_is_skipped_with_reason_and_remedy() {
    let program = Program::new();
    let most = "9223372036854775807";
    let large = "1099511627776";
    for (arguments, reason, remedy) in [
        (
            &["-b", most, "-t", most][..],
            "of buffers are needed",
            "-b ",
        ),
        (
            &["-i", "local", "-s", "-b", large, "-t", large],
            "of buffers are needed",
            "-b ",
        ),
        (
            &["-i", "udp", "-b", "65508", "-t", "65508"],
            "the limit of 65507 bytes",
            "-b 65507, or less",
        ),
        (
            &["-i", "memcpy"],
            "there is no partner",
            "pontage run ipc/memcpy --axis mode=1thread",
        ),
    ] {
        let ran = program.run(&[&["ipc", "-B"], arguments, &["2thread"]].concat());
        assert_eq!((ran.status, ran.stdout.as_str()), (77, ""), "{ran:?}");
        let (_, enable) = ran.stderr.split_once("\nenable: ").expect("a remedy");
        assert!(ran.stderr.starts_with("SKIP ipc/"), "{ran:?}");
        assert!(ran.stderr.contains(reason), "{ran:?}");
        assert!(enable.contains(remedy), "{ran:?}");
    }
}

/// As any user: the limit holds for root too.
#[test]
fn a_socket_buffer_above_the_limit_is_refused_with_the_limit() {
    let limit = std::fs::read_to_string("/proc/sys/net/core/wmem_max").expect("readable");
    let above = 2 * limit.trim().parse::<u64>().expect("a number");
    let above = above.to_string();
    let program = Program::new();
    for transport in ["local", "tcp"] {
        let ran = program.run(&[
            "ipc", "-B", "-s", "-i", transport, "-b", &above, "-t", &above, "2thread",
        ]);
        assert_eq!((ran.status, ran.stdout.as_str()), (77, ""), "{ran:?}");
        let wanted =
            format!("enable: sudo sysctl net.core.wmem_max={above} net.core.rmem_max={above}");
        assert!(ran.stderr.contains("net.core.wmem_max is "), "{ran:?}");
        assert!(ran.stderr.contains(&wanted), "{ran:?}");
    }
}

/// One without a trace of a connection, and below those that the kernel gives
/// away, so that nobody gets it meanwhile.
fn free_port() -> u16 {
    let start = 20_000 + u16::try_from(std::process::id() % 10_000).expect("small");
    let free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok() && !was_used(*port);
    let found = (start..32_000).find(free);
    found.expect("a port below 32000 is free")
}

/// Whether a connection has been there, known by what TCP keeps of it.
fn was_used(port: u16) -> bool {
    let table = std::fs::read_to_string("/proc/net/tcp").expect("readable");
    table.contains(&format!("0100007F:{port:04X} "))
}

#[test]
fn tcp_takes_the_port_it_is_given_again_and_again() {
    let program = Program::new();
    for mode in ["1thread", "2thread", "2proc"] {
        let port = free_port();
        let given = port.to_string();
        let base = ["ipc", "-B", "-q", "-i", "tcp", "-t", "131072", "-n", "3"];
        for _ in 0..2 {
            let ran = program.run(&[&base[..], &["-p", &given, mode]].concat());
            assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{ran:?}");
            assert!(was_used(port), "{mode} {port}");
        }
    }
}

#[test]
fn a_port_that_somebody_holds_is_named() {
    let program = Program::new();
    let port = free_port();
    let held = TcpListener::bind(("127.0.0.1", port)).expect("just found free");
    let given = port.to_string();
    let refused = program.run(&["ipc", "-i", "tcp", "-p", &given, "2thread"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (2, ""));
    golden("held-port.txt", &refused.stderr.replace(&given, "PORT"));
    // Only what measures needs it.
    for arguments in [
        &["ipc", "-i", "tcp", "-p", &given, "-j", "describe"][..],
        &["ipc", "-B", "-q", "-i", "pipe", "-p", &given, "2thread"],
        &["ipc", "-B", "-q", "-i", "local", "-p", &given, "2thread"],
    ] {
        let ran = program.run(arguments);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{arguments:?}");
    }
    drop(held);
    let udp = program.run(&["ipc", "-B", "-q", "-i", "udp", "-p", "7", "1thread"]);
    assert!(udp.stderr.contains("port 7 is not used"), "{udp:?}");
}

#[test]
fn without_p_tcp_listens_where_the_original_does() {
    let program = Program::new();
    // Where another process holds it already, it is held as well.
    let _held = TcpListener::bind(("127.0.0.1", 10_141));
    let refused = program.run(&["ipc", "-i", "tcp", "2thread"]);
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("127.0.0.1 port 10141:"),
        "{refused:?}"
    );
}

/// Each iteration once asked for the allowed CPUs after the one before had pinned the process.
#[test]
fn the_last_iteration_finds_the_partner_that_the_first_found() {
    let program = Program::new();
    for placement in ["same_cache", "same_socket", "same_cpu"] {
        let of = |number: &str| {
            let words = ["ipc", "-B", "-t", "1M", "-n", number, "--placement"];
            program.run(&[&words[..], &[placement, "2thread"]].concat())
        };
        let (one, eleven) = (of("1"), of("11"));
        assert!([0, 77].contains(&one.status), "{one:?}");
        assert_eq!(eleven.status, one.status, "{placement}: {eleven:?}");
        if one.status == 0 {
            assert_eq!(eleven.stdout.matches("datum:").count(), 11);
            let summary = eleven.stdout.split("summary of 11 iterations:").nth(1);
            assert!(summary.is_some_and(|text| text.contains("95 % interval")));
            assert!(!one.stdout.contains("summary"), "{one:?}");
        }
    }
}
