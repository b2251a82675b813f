//! `pontage trace stats --syscalls`, idle states, and files of several rings.

use std::fs::File;
use std::io::Cursor;
use std::path::Path;
use std::process::{Command, Output};
use trace::format::PageLayout;
use trace::page::PageWriter;
use trace::{Head, Order, System};

fn format(id: u16, name: &str, fields: &str) -> String {
    format!(
        "name: {name}\nID: {id}\nformat:\n\
         \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
         \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n{fields}\nprint fmt: \"\"\n"
    )
}

/// A task that reads twice and writes once, on a CPU that then idles.
fn write(path: &Path, by_name: bool) {
    let number = "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n";
    let raw = "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n";
    let state = "\tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n";
    let system = |name: &str, formats: Vec<String>| System {
        name: name.to_owned(),
        formats,
    };
    let mut head = Head::empty(Order::Little, 8, 4096);
    head.clock = Some("mono".to_owned());
    head.comms = "7 reader\n".to_owned();
    head.systems = vec![system("power", vec![format(9, "cpu_idle", state)])];
    head.systems.push(match by_name {
        true => system(
            "syscalls",
            vec![
                format(1, "sys_enter_read", number),
                format(2, "sys_exit_read", number),
                format(3, "sys_enter_write", number),
                format(4, "sys_exit_write", number),
            ],
        ),
        false => system(
            "raw_syscalls",
            vec![format(1, "sys_enter", raw), format(2, "sys_exit", raw)],
        ),
    });
    let mut pages = PageWriter::new(4096, PageLayout::usual(8), Order::Little);
    let mut push = |at_ns: u64, id: u16, pid: u8, value: u32| {
        let mut payload = [0; 16];
        (payload[0], payload[4]) = (id as u8, pid);
        payload[8..12].copy_from_slice(&value.to_le_bytes());
        assert!(pages.push(at_ns, &payload));
    };
    let (enter, exit) = if by_name { (3, 4) } else { (1, 2) };
    for (from, to) in [(1_000, 3_000), (4_000, 10_000)] {
        push(from, 1, 7, 0);
        push(to, 2, 7, 0);
    }
    push(11_000, enter, 7, 1);
    push(11_500, exit, 7, 1);
    push(20_000, 9, 0, 2);
    push(90_000, 9, 0, u32::MAX);
    let mut pages = Cursor::new(pages.finish());
    let mut file = File::create(path).unwrap();
    trace::file::write(&mut file, &head, vec![(0, &mut pages)]).unwrap();
}

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_pontage"))
        .arg("trace")
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("pontage runs");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn system_calls_are_shown_by_task_and_name() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("named.dat"), true);
    write(&folder.path().join("raw.dat"), false);
    let (status, text, _) = run(folder.path(), &["stats", "named.dat", "--syscalls"]);
    assert_eq!(status, Some(0));
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let read = [
        "reader", "[7]", "read", "2", "8.00", "µs", "4.00", "µs", "6.00", "µs", "-",
    ];
    assert_eq!(rows[1], read);
    assert!(
        rows[2].starts_with(&["reader", "[7]", "write", "1", "500", "ns"]),
        "{text}"
    );
    let (_, text, _) = run(
        folder.path(),
        &["stats", "raw.dat", "--syscalls", "--top", "1"],
    );
    assert!(
        text.contains("call 0") && text.contains("1 more: --top 2"),
        "{text}"
    );
    assert!(text.contains("pontage trace record -e syscalls"), "{text}");
    let json = ["stats", "named.dat", "--syscalls", "--format", "json"];
    let (_, text, _) = run(folder.path(), &json);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let first = &json["syscalls"]["calls"][0];
    let counts = (
        &first["name"],
        &first["count"],
        &first["total_ns"],
        &first["max_ns"],
    );
    assert_eq!(
        counts,
        (&"read".into(), &2.into(), &8000.into(), &6000.into())
    );
}

#[test]
fn idle_states_are_in_the_sums() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a.dat"), true);
    let (status, text, _) = run(folder.path(), &["stats", "a.dat"]);
    assert_eq!(status, Some(0));
    let row = text.lines().find(|line| line.starts_with("0 ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    // Of 89 us from the first event to the last.
    let wanted = [
        "0", "2", "1", "70.0", "µs", "79", "%", "70.0", "µs", "70.0", "µs",
    ];
    assert_eq!(cells, wanted, "{text}");
    let (_, text, _) = run(folder.path(), &["stats", "a.dat", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["idle_states"][0]["total_ns"], 70_000);
}

#[test]
fn an_instance_that_is_not_there_is_answered_with_those_that_are() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("a.dat"), true);
    for command in ["stats", "report", "timeline", "explain", "slices"] {
        let (status, _, stderr) = run(folder.path(), &[command, "a.dat", "--instance", "net"]);
        assert_eq!(status, Some(2), "{command}");
        let wanted = "cannot find instance \"net\" in a.dat: it has top\n";
        assert!(
            stderr.contains(wanted) && stderr.contains("--instance top"),
            "{command}: {stderr}"
        );
    }
    let top = ["report", "a.dat", "--instance", "top"];
    assert_eq!(
        run(folder.path(), &top).1,
        run(folder.path(), &["report", "a.dat"]).1
    );
}
