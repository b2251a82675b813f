//! System calls that a sandbox refuses, and limits: what cannot be measured then is a
//! skip that names the cause and a remedy; the rest is measured. Never a failure, never
//! a panic.

mod program;

use faults::Refusal;
use libc::{c_long, *};
use program::{Ended, Program, head, run_folder};

/// A refusal, and what is measured under it.
struct Row {
    calls: &'static [c_long],
    errno: i32,
    run: &'static [&'static str],
    /// A word of the reason of some skip; empty: nothing has to be skipped.
    names: &'static str,
}

const fn row(
    calls: &'static [c_long],
    errno: i32,
    run: &'static [&'static str],
    names: &'static str,
) -> Row {
    Row {
        calls,
        errno,
        run,
        names,
    }
}

const SMALL: [&str; 6] = ["--budget-ms", "1", "--samples", "3", "--processes", "1"];

const TABLE: &[Row] = &[
    row(
        &[SYS_memfd_create],
        EPERM,
        &["ipc/vmsplice", "ipc/splice", "--axis", "size=4096"],
        "memory file",
    ),
    row(
        &[SYS_memfd_create],
        ENOSYS,
        &["syscall/write"],
        "memory file",
    ),
    row(
        &[SYS_sched_setaffinity],
        EPERM,
        &["ipc/eventfd", "ipc/process_vm", "--axis", "size=64"],
        "sched_setaffinity",
    ),
    row(
        &[SYS_sched_setaffinity],
        EPERM,
        &["switch/context", "mem/line_transfer", "irq/delta"],
        "sched_setaffinity",
    ),
    row(
        &[SYS_eventfd2],
        ENOSYS,
        &["ipc/eventfd", "--axis", "size=64"],
        "eventfd",
    ),
    row(
        &[SYS_eventfd2],
        EMFILE,
        &["ipc/eventfd", "--axis", "size=64"],
        "eventfd",
    ),
    row(
        &[SYS_io_uring_setup],
        EPERM,
        &["ipc/io_uring", "--axis", "size=64"],
        "io_uring",
    ),
    row(
        &[SYS_io_uring_setup],
        ENOSYS,
        &["ipc/io_uring", "--axis", "size=64"],
        "io_uring",
    ),
    row(
        &[SYS_io_uring_setup],
        ENOMEM,
        &["ipc/io_uring", "--axis", "size=64"],
        "io_uring",
    ),
    row(
        &[SYS_process_vm_readv],
        EPERM,
        &["ipc/process_vm", "--axis", "size=64"],
        "process_vm_readv",
    ),
    row(
        &[SYS_mq_open],
        ENOSYS,
        &["ipc/mq_posix", "--axis", "size=64"],
        "queue",
    ),
    row(
        &[SYS_msgget],
        ENOSYS,
        &["ipc/mq_sysv", "--axis", "size=64"],
        "queue",
    ),
    row(
        &[SYS_socket],
        EPERM,
        &["ipc/tcp", "ipc/udp", "--axis", "size=64"],
        "socket",
    ),
    row(
        &[SYS_socket],
        EAFNOSUPPORT,
        &["ipc/tcp", "--axis", "size=64"],
        "socket",
    ),
    row(
        &[
            SYS_perf_event_open,
            SYS_userfaultfd,
            SYS_mlock,
            SYS_mlockall,
        ],
        EPERM,
        &[
            "syscall/getppid",
            "mem/line",
            "--counters",
            "software",
            "--mlock",
        ],
        "",
    ),
    row(
        &[SYS_sched_setscheduler, SYS_sched_setattr],
        EPERM,
        &["syscall/getppid", "sched/slice", "--fifo"],
        "",
    ),
];

/// What is wrong with how a run ended, nothing if all is well.
fn wrong(names: &str, program: &Program, ended: &Ended) -> Vec<String> {
    let mut wrong = Vec::new();
    if ![0, 77].contains(&ended.status) {
        wrong.push(format!("exit status {}: {}", ended.status, ended.stderr));
    }
    if ended.stderr.contains("panicked") {
        wrong.push(ended.stderr.clone());
    }
    let head = head(&run_folder(program));
    let mut reasons = Vec::new();
    for point in head["points"].as_array().unwrap() {
        let text = |key: &str| point["state"][key].as_str().unwrap_or_default();
        match text("state") {
            "done" => {}
            "skipped" if !text("remedy").is_empty() => reasons.push(text("reason").to_owned()),
            _ => wrong.push(format!("{} {}", point["experiment"], point["state"])),
        }
    }
    reasons.dedup();
    if !names.is_empty() && !reasons.iter().any(|reason| reason.contains(names)) {
        wrong.push(format!("no skip names {names:?}: {reasons:#?}"));
    }
    wrong.dedup();
    wrong
}

#[test]
fn what_a_sandbox_refuses_is_skipped_with_its_cause() {
    let mut all = Vec::new();
    for row in TABLE {
        let refusal = match Refusal::of(row.calls, row.errno) {
            Ok(refusal) => refusal,
            Err(cause) => return eprintln!("SKIP: {cause}; run it on x86_64 or aarch64"),
        };
        let program = Program::new();
        let mut command = program.command(&["run"]);
        command.args(row.run).args(SMALL);
        let output = refusal.output(&mut command).unwrap();
        for what in wrong(row.names, &program, &program::ended(output)) {
            all.push(format!(
                "{:?} = {}, {:?}: {what}",
                row.calls, row.errno, row.run
            ));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn too_few_descriptors_are_skipped_with_the_limit() {
    let program = Program::new();
    let ended = program.shell(
        "ulimit -n 13; exec \"$PONTAGE\" run ipc/eventfd ipc/pipe ipc/tcp \
         --axis size=64 --budget-ms 1 --samples 3",
    );
    let wrong = wrong("Too many open files", &program, &ended);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
