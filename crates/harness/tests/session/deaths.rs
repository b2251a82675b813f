//! Processes that die, hang, and leave others behind.

use super::COORDINATOR;
use super::NoProgress;
use super::plans::Shelf;
use super::plans::plan;
use super::plans::run;
use super::plans::run_till;
use super::plans::session;
use harness::Sink;
use record::PointHead;
use record::PointState;
use record::Sample;
use std::collections::VecDeque;
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::process::ExitCode;
use std::time::Duration;
use std::time::Instant;

pub fn a_crash_fails_its_point_and_the_rest_goes_on() {
    let (shelf, _) = run(&plan(&[
        &["calm"],
        &["segv"],
        &["ill"],
        &["exit"],
        &["panic"],
        &["b"],
    ]));
    assert!(shelf.is_done(0) && shelf.is_done(5));
    assert!(shelf.failure(1).contains("SIGSEGV"), "{}", shelf.failure(1));
    assert!(shelf.failure(2).contains("SIGILL"), "{}", shelf.failure(2));
    assert!(
        shelf.failure(3).contains("exit code 3"),
        "{}",
        shelf.failure(3)
    );
    assert!(
        shelf.failure(4).contains("out of cheese"),
        "{}",
        shelf.failure(4)
    );
}

pub fn each_way_to_die_is_read_and_not_guessed() {
    let (shelf, _) = run(&plan(&[
        &["kill"],
        &["xcpu"],
        &["bus"],
        &["large"],
        &["forbidden"],
        &["b"],
    ]));
    let says = |index: u32, word: &str| {
        let text = shelf.failure(index);
        assert!(text.contains(word), "{text}");
    };
    says(0, "was killed by SIGKILL");
    assert!(!shelf.failure(0).contains("perhaps"));
    assert!(!shelf.failure(0).contains("by the out-of-memory killer:"));
    says(1, "was killed by SIGXCPU");
    assert!(!shelf.failure(1).contains("real-time"));
    says(2, "was killed by SIGBUS");
    says(3, "was killed by SIGXFSZ");
    says(3, "ulimit -f");
    says(4, "was killed by SIGSYS");
    says(4, "forbids system call memfd_create");
    assert!(shelf.is_done(5));
}

pub fn a_crash_among_several_is_found_and_the_others_measured() {
    let (shelf, _) = run(&plan(&[&["a", "segv", "panic", "b"], &["c"]]));
    assert!(shelf.is_done(0) && shelf.is_done(3) && shelf.is_done(4));
    assert!(shelf.failure(1).contains("SIGSEGV"));
    assert!(shelf.failure(2).contains("out of cheese"));
    let notes = shelf.of(0).notes.join("; ");
    assert!(notes.contains("measured alone"), "{notes}");
    assert!(!shelf.of(4).notes.join("; ").contains("measured alone"));
}

pub fn a_hang_is_ended() {
    let shelf = run_till(|shelf| shelf.is_done(1), &plan(&[&["hang"], &["b"]]));
    assert!(
        shelf.failure(0).contains("did not answer"),
        "{}",
        shelf.failure(0)
    );
    assert!(shelf.is_done(1));
}

pub fn who_is_slow_is_left_out_and_does_not_fail() {
    let shelf = run_till(
        |shelf| shelf.is_done(1),
        &plan(&[&["toil-by-child"], &["b"], &["late"], &["setup-late"]]),
    );
    let PointState::Skipped { reason, remedy } = &shelf.of(0).head.state else {
        panic!("{:?}", shelf.of(0).head.state);
    };
    assert!(reason.starts_with("no time for it: "), "{reason}");
    assert!(reason.contains("was still at work after"), "{reason}");
    assert!(!remedy.is_empty());
    for index in [2, 3] {
        let PointState::Skipped { reason, .. } = &shelf.of(index).head.state else {
            panic!("{:?}", shelf.of(index).head.state);
        };
        assert_eq!(reason, "no time for it: the partner is slow");
        assert!(shelf.of(index).samples.is_empty());
    }
    let notes = shelf.of(2).notes.join("; ");
    assert!(notes.contains("samples are not kept"), "{notes}");
}

pub fn a_set_up_that_crashes_or_hangs_is_blamed() {
    let plan = plan(&[
        &["a", "setup-abort"],
        &["setup-hang"],
        &["setup-panic", "fail"],
    ]);
    let answered = |shelf: &Shelf| {
        let late = |index| shelf.failure(index).contains("did not answer");
        shelf.is_done(0) && ![1, 3, 4].into_iter().any(late)
    };
    let shelf = run_till(answered, &plan);
    assert!(shelf.failure(1).contains("SIGABRT"), "{}", shelf.failure(1));
    assert!(shelf.failure(1).contains("set-up"), "{}", shelf.failure(1));
    assert!(
        shelf.failure(2).contains("did not answer"),
        "{}",
        shelf.failure(2)
    );
    assert!(
        shelf.failure(3).contains("no cheese"),
        "{}",
        shelf.failure(3)
    );
    assert_eq!(shelf.failure(4), "cannot open x: no such file");
}

pub fn children_of_a_crashed_subject_are_ended() {
    let scratch = tempfile::tempdir().unwrap();
    let mut shelf = Shelf::default();
    session(scratch.path())
        .run(&plan(&[&["child"], &["b"]]), &mut shelf, &mut NoProgress)
        .unwrap();
    assert!(shelf.failure(0).contains("SIGABRT"), "{}", shelf.failure(0));
    assert!(shelf.is_done(1));
    assert_gone(&scratch.path().join("pid"));
}

/// Runs a session that never ends; another process's tests kill it.
pub fn coordinate(scratch: &Path) -> ExitCode {
    let mut endless = session(scratch);
    endless.patience.grace_ns = 600_000_000_000;
    let ending = endless.run(
        &plan(&[&["hang"]]),
        &mut VecSink::default(),
        &mut NoProgress,
    );
    eprintln!("{ending:?}");
    ExitCode::SUCCESS
}

#[derive(Default)]
pub struct VecSink(VecDeque<u32>);

impl Sink for VecSink {
    fn point(
        &mut self,
        _process: u16,
        head: &PointHead,
        _samples: &[Sample],
        _notes: &[String],
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.0.push_back(head.index);
        Ok(())
    }
}

pub fn a_killed_coordinator_takes_its_worker_along() {
    let scratch = tempfile::tempdir().unwrap();
    let mut coordinator = Command::new("/proc/self/exe")
        .arg(COORDINATOR)
        .arg(scratch.path())
        .spawn()
        .unwrap();
    let file = scratch.path().join("pid");
    wait_until("the worker hangs", || file.exists());
    coordinator.kill().unwrap();
    coordinator.wait().unwrap();
    assert_gone(&file);
}

/// The process whose number stands in `file` is gone, or a zombie that init
/// has not collected yet.
pub fn assert_gone(file: &Path) {
    wait_until("the process is gone", || {
        let Ok(pid) = std::fs::read_to_string(file) else {
            return false;
        };
        match std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())) {
            Err(_) => !pid.is_empty(),
            Ok(stat) => stat
                .rsplit(')')
                .next()
                .is_some_and(|s| s.trim().starts_with('Z')),
        }
    });
}

pub fn wait_until(what: &str, done: impl Fn() -> bool) {
    let limit = Instant::now() + Duration::from_secs(120);
    while !done() {
        assert!(Instant::now() < limit, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
