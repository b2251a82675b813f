//! Paths and numbers that are none of what is asked for: status, cause and remedy, and
//! nothing waits for ever.

mod program;

use program::Program;
use std::os::unix::fs::PermissionsExt;

/// What is typed behind `pontage`, the status, and words of standard error.
type Mistake = (&'static str, i32, &'static [&'static str]);

const MISTAKES: &[Mistake] = &[
    (
        "import ipc-benchmark fifo",
        2,
        &["it is a FIFO, not a regular file"],
    ),
    (
        "import ipc-benchmark /dev/zero",
        2,
        &["it is a character device"],
    ),
    ("import cftu measures_from_to.dat", 2, &["it is a FIFO"]),
    ("import cftu tree/cpu", 2, &["it is a FIFO"]),
    ("persist check fifo --acknowledged 1", 2, &["it is a FIFO"]),
    (
        "persist check /dev/zero --acknowledged 1",
        2,
        &["it is a character device"],
    ),
    (
        "persist log no/such/folder/log",
        2,
        &["cannot create no/such/folder/log", "No such file"],
    ),
    ("doctor --root tree", 0, &[]),
    (
        "doctor --root tree/empty",
        2,
        &["neither proc nor sys", "hint: --root takes"],
    ),
    (
        "doctor --root fifo",
        2,
        &["not a directory", "hint: --root takes"],
    ),
    (
        "copies --root no/such/folder",
        2,
        &["No such file", "hint: --root takes"],
    ),
    (
        "dma --root tree/empty channels",
        2,
        &["neither proc nor sys"],
    ),
    (
        "restore --journal /etc/passwd",
        2,
        &["not a directory", "hint: name their folder"],
    ),
    (
        "restore --journal no/such/folder",
        2,
        &["No such file", "hint: name their folder"],
    ),
    (
        "run syscall/read --axis size=64 --axis size=128",
        2,
        &["size was given before", "size=64,128"],
    ),
    ("selftest --trials 0", 2, &["trials"]),
    (
        "selftest --cpu 8191",
        2,
        &["cannot measure on CPU 8191", "hint: allowed: "],
    ),
    ("run ", 2, &["a name is empty"]),
    ("trace callpath x.dat --least 101", 2, &["0 to 100"]),
    ("trace callpath x.dat --least NaN", 2, &["a percentage: 5"]),
    ("run --within 1h30", 2, &["has no unit", "1h30m"]),
    ("ab syscall/getppid --time 2d", 2, &["a time is 70, 70s"]),
    ("trace record --buffer-kib 8T", 2, &["a size is 4096, 64K"]),
    (
        "run mem/latency --axis size=64,,",
        2,
        &["a value is missing", "powers of two"],
    ),
    (
        "trace record -o x.dat -- /nonexistent",
        2,
        &["cannot start /nonexistent", "hint: see: ls -l"],
    ),
    (
        "trace profile --functions vfs_read -- nosuchprogram",
        2,
        &["there is no program nosuchprogram"],
    ),
    (
        "trace interrupts -- nosuchprogram",
        2,
        &["there is no program nosuchprogram"],
    ),
    (
        "pollute --victim /nonexistent",
        2,
        &["cannot run `/nonexistent`"],
    ),
    ("list mem/x*", 2, &["cannot list mem/x*"]),
    ("explain mem nosuch", 2, &["cannot explain nosuch"]),
    (
        "run mem/line syscall/read --axis sizzle=4 --dry-run",
        2,
        &["no selected experiment has it"],
    ),
    ("trace callpath x.dat --least -1", 2, &[]),
];

#[test]
fn each_is_named_with_its_cause() {
    let program = Program::new();
    let made = program.shell(
        "mkfifo fifo measures_from_to.dat; mkdir -p tree/cpu tree/empty tree/proc \
         tree/sys/devices/system/cpu; mkfifo tree/proc/cpuinfo tree/cpu/measures_from_to.dat; \
         ln -s /dev/zero tree/proc/meminfo; ln -s /dev/zero tree/proc/version; \
         mkfifo tree/sys/devices/system/cpu/online",
    );
    assert_eq!(made.status, 0, "{made:?}");
    for (typed, status, words) in MISTAKES {
        // What waits for a FIFO's writer would wait for ever.
        let ended = match typed.strip_suffix(' ') {
            Some(command) => program.shell(&format!("timeout 100 $PONTAGE {command} ''")),
            None => program.shell(&format!("timeout 100 $PONTAGE {typed}")),
        };
        assert_eq!(ended.status, *status, "{typed}: {ended:?}");
        let message = ended.stderr.to_lowercase();
        for word in *words {
            assert!(
                message.contains(&word.to_lowercase()),
                "{typed}: {word}: {}",
                ended.stderr
            );
        }
    }
}

#[test]
fn help_that_cannot_be_written_is_no_success() {
    let program = Program::new();
    for typed in ["--help", "run --help", "--version"] {
        let full = program.shell(&format!("$PONTAGE {typed} > /dev/full"));
        assert_eq!(full.status, 2, "{typed}: {full:?}");
        assert!(
            full.stderr.contains("cannot write standard output"),
            "{full:?}"
        );
        let gone = program.shell(&format!("set -o pipefail; $PONTAGE {typed} | true"));
        assert_eq!(gone.status, 0, "{typed}: {gone:?}");
    }
    assert_eq!(program.run(&["--hepl"]).status, 2);
}

#[test]
fn an_experiment_that_is_named_twice_is_measured_once() {
    let program = Program::new();
    let plan = |words: &[&str]| {
        let planned = program.run(&[&["run", "--dry-run"], words].concat());
        assert_eq!(planned.status, 0, "{planned:?}");
        planned
            .stdout
            .lines()
            .filter(|l| l.contains("syscall/getppid"))
            .count()
    };
    let once = plan(&["syscall/getppid"]);
    assert!(once > 0);
    assert_eq!(plan(&["syscall/getppid", "syscall/getppid"]), once);
    assert_eq!(plan(&["syscall/getppid,syscall/getppid"]), once);
}

#[test]
fn a_log_is_writable_by_its_owner_alone_whatever_the_umask() {
    let program = Program::new();
    let ended = program.shell("umask 0; $PONTAGE persist log log --records 3 --sync none");
    assert_eq!(ended.status, 0, "{ended:?}");
    let log = program.out().parent().unwrap().join("log");
    let mode = log.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
}
