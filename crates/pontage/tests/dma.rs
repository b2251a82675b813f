//! `pontage dma` and `pontage copies` where there is no module to speak to: what is reported, what would
//! help, and the exit status. Refresh with UPDATE_GOLDEN=1 after reading what
//! changed.

mod program;

use program::Program;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const STORED: [&str; 6] = [
    "beaglebone-black",
    "epyc-container",
    "firecracker-vm",
    "malformed",
    "raspberry-pi-4",
    "xeon-two-socket",
];

/// A stock kernel that has channels, and what is changed on it: a path, and
/// its text; an empty one takes the file away.
const WRITTEN: &[(&str, &[(&str, &str)])] = &[
    ("not built", &[]),
    ("no headers", &[("lib/modules/6.1.0/build", "")]),
    (
        "installed",
        &[("lib/modules/6.1.0/modules.dep", "updates/dkms/cftu.ko:\n")],
    ),
    (
        "lockdown",
        &[(
            "sys/kernel/security/lockdown",
            "none [integrity] confidentiality\n",
        )],
    ),
    (
        "lockdown, installed",
        &[
            (
                "sys/kernel/security/lockdown",
                "none integrity [confidentiality]\n",
            ),
            ("lib/modules/6.1.0/modules.dep", "updates/dkms/cftu.ko:\n"),
        ],
    ),
    (
        "signatures enforced",
        &[("sys/module/module/parameters/sig_enforce", "Y\n")],
    ),
    (
        "modules disabled",
        &[("proc/sys/kernel/modules_disabled", "1\n")],
    ),
    ("no modules", &[("proc/modules", "")]),
    ("loaded, no node", &[("sys/module/cftu/version", "0.1.0\n")]),
    (
        "loaded, container without the node",
        &[("sys/module/cftu/version", "0.1.0\n"), (".dockerenv", "\n")],
    ),
    (
        "loaded, stored tree",
        &[("sys/module/cftu/version", "0.1.0\n"), ("dev/cftu", "\n")],
    ),
];

const STOCK: &[(&str, &str)] = &[
    ("proc/sys/kernel/osrelease", "6.1.0\n"),
    ("proc/modules", "ioatdma 1 0 - Live\n"),
    ("lib/modules/6.1.0/build", "headers\n"),
    (
        "lib/modules/6.1.0/modules.dep",
        "kernel/drivers/dma/ioat/ioatdma.ko:\n",
    ),
    (
        "sys/kernel/security/lockdown",
        "[none] integrity confidentiality\n",
    ),
    ("sys/module/ioatdma/parameters/ioat_dca_enabled", "1\n"),
    ("sys/class/dca/dca0/dev", "252:0\n"),
    ("sys/class/dma/dma0chan0/in_use", "0\n"),
    ("sys/class/dma/dma0chan0/quickdata/cap", "copy\n"),
    ("sys/class/dma/dma0chan0/memcpy_count", "12\n"),
    ("sys/class/dma/dma0chan0/bytes_transferred", "49152\n"),
    ("sys/class/dma/dma1chan0/in_use", "1\n"),
];

fn written(folder: &Path, changes: &[(&str, &str)]) {
    for (path, text) in STOCK.iter().chain(changes) {
        let place = folder.join(path);
        if text.is_empty() {
            fs::remove_file(place).unwrap();
            continue;
        }
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }
    let device = folder.join("sys/class/dma/dma0chan0/device");
    fs::create_dir_all(&device).unwrap();
    std::os::unix::fs::symlink("../../bus/pci/drivers/ioatdma", device.join("driver")).unwrap();
}

fn transcript(program: &Program, root: &Path, name: &str, words: &[&str]) -> String {
    let mut all = words.to_vec();
    let root_text = root.display().to_string();
    all.extend(["--root", root_text.as_str()]);
    let ended = program.run(&all);
    let mut text = format!(
        "$ pontage {} --root {name:?}\n{}",
        words.join(" "),
        ended.stdout
    );
    for line in ended.stderr.lines() {
        writeln!(text, "! {line}").unwrap();
    }
    writeln!(text, "= {}\n", ended.status).unwrap();
    text.replace(&root_text, name)
}

#[track_caller]
fn expect_golden(name: &str, text: &str) {
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/transcripts/{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, text).unwrap();
    }
    let golden = fs::read_to_string(&file).unwrap_or_default();
    let differs = golden.lines().zip(text.lines()).find(|(a, b)| a != b);
    assert!(golden == text, "{}: {differs:?}", file.display());
}

#[test]
fn channels_of_stored_machines() {
    let program = Program::new();
    let machines = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/machines");
    let described = |name: &&str| {
        let root = machines.join(name).join("root");
        transcript(&program, &root, name, &["dma", "channels"])
    };
    let text: String = STORED.iter().map(described).collect();
    expect_golden("dma-channels", &text);
}

#[test]
fn every_reason_why_there_is_no_module() {
    let program = Program::new();
    let mut text = String::new();
    for (name, changes) in WRITTEN {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path(), changes);
        text += &transcript(&program, folder.path(), name, &["dma", "policy", "show"]);
    }
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), &[]);
    for words in [
        &["dma", "channels"][..],
        &["dma", "channels", "--format", "json"],
        &["dma", "policy", "start", "shared"],
        &[
            "dma",
            "policy",
            "start",
            "priority",
            "--high",
            "2",
            "--quantum",
            "30us",
            "--window",
            "90us",
        ],
        &["dma", "policy", "stop"],
        &["dma", "policy", "show", "--format", "json"],
        &["copies"],
        &["copies", "--format", "json", "--records"],
    ] {
        text += &transcript(&program, folder.path(), "not built", words);
    }
    expect_golden("dma-no-module", &text);
}

#[test]
fn flags_that_do_not_fit_are_refused_before_the_module_is_asked() {
    let program = Program::new();
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("proc")).unwrap();
    let start = |words: &[&str]| {
        let mut all = vec!["dma", "policy", "start"];
        all.extend(words);
        transcript(&program, folder.path(), "empty", &all)
    };
    let mut text = String::new();
    for words in [
        &["shared", "--quantum", "30us"][..],
        &["exclusive", "--hardware-pause"],
        &["shared", "--high", "1"],
        &["priority", "--fold"],
        &["priority", "--quantum", "90us"],
        &["priority", "--quantum", "30"],
        &["priority", "--window", "1y"],
        &["shared", "--channels", "0"],
        &["shared", "--channels", "65"],
        &["shared", "--chunk", "0"],
        &["shared", "--threshold", "4k"],
        &["shared", "--node", "-1"],
        &["fair"],
        &[],
    ] {
        text += &start(words);
    }
    text += &transcript(
        &program,
        Path::new("nowhere"),
        "nowhere",
        &["dma", "channels"],
    );
    for words in [
        &["copies", "--min-size", "8KiB", "--max-size", "4KiB"][..],
        &["copies", "--seconds", "0"],
        &["copies", "--cpu", "3-1"],
        &["copies", "--max-size", "0"],
        &["copies", "--out", "runs"],
    ] {
        text += &transcript(&program, folder.path(), "empty", words);
    }
    expect_golden("dma-refused", &text);
}
