//! Outputs: what stands at the path that a user names is a file, or it stays.

mod program;

use program::{Ended, Program};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

fn fixture(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    folder.join(name).to_str().unwrap().to_owned()
}

fn at(program: &Program, name: &str) -> PathBuf {
    std::fs::create_dir_all(program.out()).unwrap();
    program.out().join(name)
}

/// A node like that of the null device, away from /dev; None where this user
/// may not make one.
fn null(program: &Program) -> Option<PathBuf> {
    let node = at(program, "null");
    let made = Command::new("mknod")
        .arg(&node)
        .args(["c", "1", "3"])
        .output();
    if made.is_ok_and(|o| o.status.success()) {
        return Some(node);
    }
    eprintln!("SKIP: only root makes device nodes");
    None
}

/// Every command that writes a file which the user names, without the name.
fn writers() -> Vec<(Vec<String>, bool)> {
    let trace = fixture("traces/x86-6.12.dat");
    let run = fixture("records/v1-small");
    let words = |text: String| text.split(' ').map(str::to_owned).collect();
    vec![
        (words(format!("trace timeline {trace} --html")), true),
        (
            words(format!("trace export {trace} --format csv --out")),
            true,
        ),
        (
            words(format!("trace export {trace} --format json --out")),
            true,
        ),
        (
            words(format!("trace export {trace} --format chrome --out")),
            true,
        ),
        (
            words(format!("trace export {trace} --format perfetto --out")),
            true,
        ),
        (
            words(format!("trace export {trace} --format trace-dat --out")),
            false,
        ),
        (words(format!("trace cut {trace} --out")), false),
        (words(format!("report {run} --html")), true),
    ]
}

fn write_to(program: &Program, words: &[String], to: &Path) -> Ended {
    let mut all: Vec<&str> = words.iter().map(String::as_str).collect();
    all.push(to.to_str().unwrap());
    program.run(&all)
}

#[test]
fn a_device_is_written_into_or_refused_and_stays_a_device() {
    let program = Program::new();
    let Some(null) = null(&program) else { return };
    for (words, streams) in writers() {
        let ended = write_to(&program, &words, &null);
        let kind = std::fs::symlink_metadata(&null).unwrap().file_type();
        assert!(kind.is_char_device(), "{words:?} replaced the device");
        if streams {
            assert_eq!(ended.status, 0, "{words:?}: {}", ended.stderr);
        } else {
            assert_eq!(ended.status, 2, "{words:?}");
            assert!(
                ended.stderr.contains("it is a character device"),
                "{}",
                ended.stderr
            );
        }
    }
}

/// Before tracing begins, and also where tracing cannot be had.
#[test]
fn a_recording_into_a_device_does_not_begin() {
    let program = Program::new();
    let Some(null) = null(&program) else { return };
    let ended = program.run(&[
        "trace",
        "record",
        "-o",
        null.to_str().unwrap(),
        "--",
        "true",
    ]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("cannot write"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("it is a character device"),
        "{}",
        ended.stderr
    );
    let kind = std::fs::symlink_metadata(&null).unwrap().file_type();
    assert!(kind.is_char_device());
    let names: Vec<_> = std::fs::read_dir(program.out()).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn a_pipe_that_nobody_reads_is_refused_and_one_that_is_read_gets_it_all() {
    let program = Program::new();
    let fifo = at(&program, "fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let trace = fixture("traces/x86-6.12.dat");
    let words = ["trace", "export", &trace, "--format", "csv", "--out"].map(str::to_owned);
    let ended = write_to(&program, &words, &fifo);
    assert_eq!(ended.status, 2);
    assert!(ended.stderr.contains("nobody reads"), "{}", ended.stderr);
    // Opened for both ways first, so that neither waits for the other; the
    // reader must not hold that end, or it would never see the end.
    let through = program.shell(&format!(
        "exec 3<>{fifo}; cat {fifo} 3>&- > got &
         $PONTAGE trace export {trace} --format csv --out {fifo} || exit; exec 3>&-; wait
         $PONTAGE trace export {trace} --format csv | cmp - got",
        fifo = fifo.display(),
    ));
    assert_eq!(through.status, 0, "{}{}", through.stdout, through.stderr);
    assert!(
        std::fs::symlink_metadata(&fifo)
            .unwrap()
            .file_type()
            .is_fifo()
    );
}

#[test]
fn a_link_is_followed_once() {
    let program = Program::new();
    let (link, again) = (at(&program, "link"), at(&program, "again"));
    symlink("page.html", &link).unwrap();
    symlink("link", &again).unwrap();
    for (words, _) in writers() {
        let ended = write_to(&program, &words, &link);
        assert_eq!(ended.status, 0, "{words:?}: {}", ended.stderr);
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        std::fs::remove_file(at(&program, "page.html")).unwrap();
        let refused = write_to(&program, &words, &again);
        assert_eq!(refused.status, 2, "{words:?}");
        assert!(
            refused.stderr.contains("link to a symbolic link"),
            "{}",
            refused.stderr
        );
    }
}

/// `page.html` may be a link to a record's file, too.
#[test]
fn no_output_replaces_a_file_of_a_record() {
    let program = Program::new();
    let head = at(&program, "run.json");
    let table = at(&program, "mem-latency.parquet");
    let link = at(&program, "page.html");
    for file in [&head, &table] {
        std::fs::write(file, "measured").unwrap();
    }
    symlink("run.json", &link).unwrap();
    for (words, _) in writers() {
        for to in [&head, &table, &link] {
            let ended = write_to(&program, &words, to);
            assert_eq!(ended.status, 2, "{words:?}");
            let named = ended.stderr.contains("it is part of a record");
            assert!(named, "{words:?}: {}", ended.stderr);
        }
    }
    let run = fixture("records/v1-small");
    let out = program.out();
    let out = out.to_str().unwrap();
    for format in ["csv", "json", "parquet", "bmf", "prometheus", "cftu"] {
        let ended = program.run(&["export", &run, "--format", format, "--out", out]);
        assert_eq!(ended.status, 2, "{format}");
        assert!(ended.stderr.contains("the folder of a record"), "{format}");
    }
    let recorded = program.run(&["trace", "record", "--out", head.to_str().unwrap()]);
    assert!(recorded.stderr.contains("it is part of a record"));
    for file in [&head, &table] {
        assert_eq!(std::fs::read(file).unwrap(), b"measured");
    }
    assert_eq!(std::fs::read_dir(program.out()).unwrap().count(), 3);
}

/// A limit of 1 KiB stands for it: writing ends in the middle.
#[test]
fn a_full_disk_leaves_what_stood_there_and_names_the_file() {
    let program = Program::new();
    let file = at(&program, "file");
    std::fs::write(&file, "kept").unwrap();
    for (words, _) in writers() {
        let words = words.join(" ");
        let ended = program.shell(&format!("ulimit -f 1; $PONTAGE {words} runs/file"));
        assert_eq!(ended.status, 2, "{words}: {}", ended.stderr);
        let named = ended.stderr.contains("cannot write runs/file: ");
        assert!(named, "{words}: {}", ended.stderr);
        assert_eq!(std::fs::read(&file).unwrap(), b"kept", "{words}");
        assert_eq!(std::fs::read_dir(program.out()).unwrap().count(), 1);
    }
}

/// Of everything below `folder`: what others than the owner may write.
fn writable_by_others(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mode = std::fs::symlink_metadata(&path)
            .unwrap()
            .permissions()
            .mode();
        if mode & 0o022 != 0 {
            found.push(format!("{} {:o}", path.display(), mode & 0o7777));
        }
        if path.is_dir() {
            found.extend(writable_by_others(&path));
        }
    }
    found
}

#[test]
fn nothing_is_writable_by_others_whatever_the_umask() {
    let program = Program::new();
    let run = fixture("records/v1-small");
    let trace = fixture("traces/x86-6.12.dat");
    let ended = program.shell(&format!(
        "umask 000; set -e
         $PONTAGE run syscall/getppid --samples 3 --budget-ms 1 --out runs
         $PONTAGE report {run} --html page.html --svg svg --png png
         $PONTAGE export {run} --format csv --out csv
         $PONTAGE export {run} --format parquet --out parquet
         $PONTAGE trace cut {trace} --out cut.dat
         $PONTAGE trace export {trace} --format chrome --out trace.json"
    ));
    assert_eq!(ended.status, 0, "{}{}", ended.stdout, ended.stderr);
    let folder = program.out();
    let found = writable_by_others(folder.parent().unwrap());
    assert!(found.is_empty(), "{found:#?}");
}
