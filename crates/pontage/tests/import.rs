//! Files of ipc-benchmark become runs that can be shown, exported and compared.

mod program;

use program::Program;
use std::path::{Path, PathBuf};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/foreign/ipc-benchmark-a72.json")
}

fn only_run(program: &Program) -> String {
    let mut runs = std::fs::read_dir(program.out()).expect("a folder of runs");
    let first = runs.next().expect("a run").expect("readable");
    first.path().to_str().expect("text").to_owned()
}

#[test]
fn a_file_of_freebsd_is_shown_exported_and_compared_with_ours() {
    let program = Program::new();
    let imported = program.run(&["import", "ipc-benchmark", fixture().to_str().unwrap()]);
    assert_eq!(imported.status, 0, "{imported:?}");
    assert!(
        imported.stdout.contains("ARM Cortex-A72 r0p3"),
        "{imported:?}"
    );
    let head = std::fs::read_to_string(Path::new(&only_run(&program)).join("run.json")).unwrap();
    assert!(
        head.contains("the same here: pontage run ipc/pipe --axis size=131072"),
        "{head}"
    );
    let theirs = only_run(&program);
    let csv = program.run(&["export", &theirs, "--format", "csv", "--samples"]);
    assert_eq!(csv.status, 0, "{csv:?}");
    // 26.870752 ms by 128 messages; 256 reads by 128 messages.
    for wanted in ["209927.75", ",receiver_calls,,0,0,128,0,0,2,", "CPU_CYCLES"] {
        assert!(csv.stdout.contains(wanted), "{wanted} in {}", csv.stdout);
    }
    let out = program.out().join("ours");
    let ours = program.run(&[
        "run",
        "ipc/pipe",
        "--axis",
        "size=128KiB",
        "--axis",
        "mode=2threads",
        "--axis",
        "placement=same_cpu",
        "--axis",
        "pattern=stream",
        "--axis",
        "partner=idle",
        "--axis",
        "buffer=0",
        "--axis",
        "total=16MiB",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(ours.status, 0, "{ours:?}");
    let ours = std::fs::read_dir(&out)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let compared = program.run(&["compare", &theirs, ours.to_str().unwrap(), "--all"]);
    assert!(
        compared.stdout.contains("different cpu model"),
        "{compared:?}"
    );
    assert!(compared.stdout.contains("ipc/pipe"), "{compared:?}");
}

#[test]
fn what_is_no_such_file_is_named_with_the_cause() {
    let program = Program::new();
    let none = program.run(&["import", "ipc-benchmark", "/nonexistent.json"]);
    assert_eq!(none.status, 2);
    assert!(
        none.stderr.contains("cannot import /nonexistent.json"),
        "{none:?}"
    );
    std::fs::create_dir_all(program.out()).unwrap();
    let odd = program.out().join("odd.json");
    std::fs::write(&odd, "{\"benchmark_samples\": []}").unwrap();
    let refused = program.run(&["import", "ipc-benchmark", odd.to_str().unwrap()]);
    assert_eq!(refused.status, 2);
    assert!(
        refused.stderr.contains("benchmark_configuration"),
        "{refused:?}"
    );
    assert!(refused.stderr.contains("hint:"), "{refused:?}");
    let renamed = std::fs::read_to_string(fixture())
        .unwrap()
        .replace("rpi4-046", "rpi4-047");
    std::fs::write(&odd, renamed).unwrap();
    let mixed = program.run(&[
        "import",
        "ipc-benchmark",
        fixture().to_str().unwrap(),
        odd.to_str().unwrap(),
    ]);
    assert_eq!(mixed.status, 2);
    assert!(mixed.stderr.contains("kern.hostname differ"), "{mixed:?}");
}
