//! Sessions with measuring processes that crash, hang and leave things behind.
//!
//! This executable is its own measuring process, as the real one is.

use harness::session::Patience;
use harness::worker::{self, WORKER_ARGUMENT};
use harness::{
    Block, ClockSpec, Context, Ending, HarnessError, Launcher, PlannedExperiment, PlannedPoint,
    Point, Sampling, Scheduling, Session, SetupError, Shape, Sink, Subject,
};
use libtest_mimic::{Arguments, Failed, Trial};
use record::{AxisValue, MachineCard, PointHead, PointState, Sample, Setting};
use std::collections::VecDeque;
use std::error::Error;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[path = "session/again.rs"]
mod again;

/// Draws nothing.
struct NoProgress;

impl harness::Progress for NoProgress {
    fn update(&mut self, _status: &harness::Status) {}
}

const COORDINATOR: &str = "__coordinator";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.get(1).map(String::as_str) {
        Some(WORKER_ARGUMENT) => {
            say_nothing();
            worker::main(&set_up)
        }
        Some(COORDINATOR) => coordinate(Path::new(&arguments[2])),
        _ => libtest_mimic::run(&Arguments::from_args(), trials()).exit_code(),
    }
}

/// A measuring process panics here on purpose: who looks through a long
/// log for what failed is not to find that.
fn say_nothing() {
    let nothing = File::create("/dev/null").unwrap();
    // SAFETY: both descriptors are open; no other thread is there yet.
    assert_eq!(unsafe { libc::dup2(nothing.as_raw_fd(), 2) }, 2);
}

fn trials() -> Vec<Trial> {
    let list: [(&str, fn()); 22] = [
        (
            "what_met_something_is_measured_again_until_most_processes_are_free_of_it",
            again::what_met_something_is_measured_again_until_most_processes_are_free_of_it,
        ),
        (
            "who_always_disturbs_is_not_measured_for_ever",
            again::who_always_disturbs_is_not_measured_for_ever,
        ),
        (
            "a_stop_while_points_are_measured_again_leaves_a_run_that_is_done",
            again::a_stop_while_points_are_measured_again_leaves_a_run_that_is_done,
        ),
        (
            "nothing_is_measured_again_without_a_doubt_or_time",
            again::nothing_is_measured_again_without_a_doubt_or_time,
        ),
        (
            "points_come_back_with_their_samples",
            points_come_back_with_their_samples,
        ),
        (
            "what_interrupts_is_kept_where_it_is_asked_for",
            what_interrupts_is_kept_where_it_is_asked_for,
        ),
        (
            "repetitions_visit_experiments_in_rounds",
            repetitions_visit_experiments_in_rounds,
        ),
        (
            "traces_are_kept_once_and_what_is_not_is_noted",
            traces_are_kept_once_and_what_is_not_is_noted,
        ),
        (
            "a_crash_fails_its_point_and_the_rest_goes_on",
            a_crash_fails_its_point_and_the_rest_goes_on,
        ),
        (
            "a_crash_among_several_is_found_and_the_others_measured",
            a_crash_among_several_is_found_and_the_others_measured,
        ),
        (
            "each_way_to_die_is_read_and_not_guessed",
            each_way_to_die_is_read_and_not_guessed,
        ),
        ("a_hang_is_ended", a_hang_is_ended),
        (
            "who_is_slow_is_left_out_and_does_not_fail",
            who_is_slow_is_left_out_and_does_not_fail,
        ),
        (
            "a_set_up_that_crashes_or_hangs_is_blamed",
            a_set_up_that_crashes_or_hangs_is_blamed,
        ),
        (
            "skipped_points_are_not_tried_again",
            skipped_points_are_not_tried_again,
        ),
        (
            "a_point_without_a_sample_is_not_done",
            a_point_without_a_sample_is_not_done,
        ),
        (
            "a_stop_keeps_what_was_finished",
            a_stop_keeps_what_was_finished,
        ),
        ("a_full_disk_ends_the_run", a_full_disk_ends_the_run),
        (
            "a_program_that_is_no_worker_fails_the_points",
            a_program_that_is_no_worker_fails_the_points,
        ),
        (
            "a_missing_program_is_an_error",
            a_missing_program_is_an_error,
        ),
        (
            "children_of_a_crashed_subject_are_ended",
            children_of_a_crashed_subject_are_ended,
        ),
        (
            "a_killed_coordinator_takes_its_worker_along",
            a_killed_coordinator_takes_its_worker_along,
        ),
    ];
    list.into_iter()
        .map(|(name, test)| {
            Trial::test(name, move || {
                test();
                Ok::<(), Failed>(())
            })
        })
        .collect()
}

// ---- subjects ----

struct Acting {
    kind: String,
    file: PathBuf,
    verified: u32,
}

impl Subject for Acting {
    fn batch(&mut self, _part: u16, ops: u64) {
        for op in 0..ops {
            std::hint::black_box(op);
        }
        match self.kind.as_str() {
            // SAFETY: raise takes a number.
            "segv" => unsafe {
                libc::raise(libc::SIGSEGV);
            },
            // SAFETY: as above.
            "ill" => unsafe {
                libc::raise(libc::SIGILL);
            },
            "bus" => touch_what_is_gone(&self.file),
            // SAFETY: as above.
            "kill" => unsafe {
                libc::raise(libc::SIGKILL);
            },
            // SAFETY: as above.
            "xcpu" => unsafe {
                libc::raise(libc::SIGXCPU);
            },
            "large" => outgrow(&self.file),
            "forbidden" => make_a_forbidden_call(),
            "exit" => std::process::exit(3),
            "panic" => panic!("out of cheese"),
            "hang" => hang(&self.file),
            "toil-by-child" => toil_by_a_child(),
            "print" => println!("a library that prints"),
            "child" => leave_child(&self.file),
            _ => {}
        }
    }

    fn verify(&mut self) -> Result<(), harness::Fault> {
        self.verified += 1;
        match (self.kind.as_str(), self.verified) {
            ("late", 2) => Err(harness::Fault::Slow("the partner is slow".to_owned())),
            _ => Ok(()),
        }
    }

    fn recorded(&self) -> Option<u32> {
        (self.kind == "recorded-nothing").then_some(0)
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("I am {}", self.kind)]
    }
}

fn hang(file: &Path) {
    std::fs::write(file, std::process::id().to_string()).unwrap();
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Sleeps while a child works for ever.
fn toil_by_a_child() {
    let line = "while :; do :; done";
    let child = Command::new("sh").args(["-c", line]).spawn();
    let _ = child.unwrap().wait();
}

/// Reads a page of a file that has been cut.
fn touch_what_is_gone(file: &Path) {
    use std::os::fd::AsRawFd;
    let cut = std::fs::File::create_new(file.with_extension("cut")).unwrap();
    // SAFETY: a new mapping of an open file; reading it is what ends this process.
    unsafe {
        let page = libc::mmap(
            std::ptr::null_mut(),
            4096,
            libc::PROT_READ,
            libc::MAP_SHARED,
            cut.as_raw_fd(),
            0,
        );
        std::ptr::read_volatile(page.cast::<u8>());
    }
}

/// Writes beyond RLIMIT_FSIZE, which nothing here survives.
fn outgrow(file: &Path) {
    let limit = libc::rlimit {
        rlim_cur: 1,
        rlim_max: 1,
    };
    // SAFETY: the structure lives through the call.
    unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
    std::fs::write(file.with_extension("large"), "more than one byte").unwrap();
}

fn make_a_forbidden_call() {
    use seccompiler::{SeccompAction, SeccompFilter, TargetArch};
    let call = harness::widths::whole(libc::SYS_memfd_create).cast_signed();
    let rules = std::collections::BTreeMap::from([(call, Vec::new())]);
    let here = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Trap, here).unwrap();
    let program: seccompiler::BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
    // SAFETY: makes a file; the name lives through the call.
    unsafe { libc::memfd_create(c"x".as_ptr(), 0) };
}

/// Leaves a sleeping child that holds all our pipes open, then crashes.
fn leave_child(file: &Path) {
    let child = Command::new("sleep")
        .arg("600")
        .stdin(Stdio::null())
        .spawn();
    std::fs::write(file, child.unwrap().id().to_string()).unwrap();
    std::process::abort();
}

fn set_up(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let kind = point.word("kind").to_owned();
    match kind.as_str() {
        "skip" => return Err(SetupError::skip("no such device", "modprobe it")),
        "fail" => return Err(SetupError::fail("open x", "no such file")),
        "setup-abort" => std::process::abort(),
        "setup-hang" => std::thread::sleep(Duration::from_secs(600)),
        "setup-panic" => panic!("no cheese"),
        "setup-late" => return Err(harness::Fault::Slow("the partner is slow".to_owned()).into()),
        "traced" => context.keep_trace("switches", &empty_capture()),
        _ => {}
    }
    let file = context.scratch.with_file_name("pid");
    Ok(Box::new(Acting {
        kind,
        file,
        verified: 0,
    }))
}

fn empty_capture() -> trace::Capture {
    let head = trace::Head::empty(trace::Order::Little, 8, 4096);
    trace::Capture::new(head, vec![trace::CpuPages::owned(0, Vec::new())]).unwrap()
}

// ---- plans ----

fn planned(index: u32, experiment: &str, kind: &str) -> PlannedPoint {
    PlannedPoint {
        point: Point {
            index,
            experiment: experiment.to_owned(),
            settings: vec![Setting {
                axis: "kind".to_owned(),
                value: AxisValue::from(kind),
            }],
        },
        sampling: Sampling {
            shape: Shape::Batched,
            batch_ns: 100_000,
            budget_ns: 5_000_000,
            // Who works for all of it keeps the test waiting.
            deadline_ns: match kind {
                "toil-by-child" => 400_000_000,
                _ => 4_000_000_000,
            },
            min_samples: 5,
            max_samples: 20,
            target_width: 0.0,
            singly: false,
        },
        parts: 1,
        bytes_per_op: Some(64),
    }
}

/// One block for each list of kinds.
fn plan(blocks: &[&[&str]]) -> Vec<PlannedExperiment> {
    vec![experiment("test/acting", 0, blocks)]
}

fn experiment(id: &str, first: u32, blocks: &[&[&str]]) -> PlannedExperiment {
    let mut index = first..;
    let blocks = blocks
        .iter()
        .map(|kinds| Block {
            points: kinds
                .iter()
                .map(|kind| planned(index.next().unwrap(), id, kind))
                .collect(),
        })
        .collect();
    PlannedExperiment {
        id: id.to_owned(),
        blocks,
    }
}

#[derive(Debug, Clone)]
struct Kept {
    process: u16,
    head: PointHead,
    samples: Vec<Sample>,
    notes: Vec<String>,
}

#[derive(Default)]
struct Shelf {
    kept: Vec<Kept>,
    stop_after: Option<(usize, &'static AtomicBool)>,
    full_after: Option<usize>,
}

impl Sink for Shelf {
    fn point(
        &mut self,
        process: u16,
        head: &PointHead,
        samples: &[Sample],
        notes: &[String],
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        if self.full_after == Some(self.kept.len()) {
            return Err("no space left on device".into());
        }
        self.kept.push(Kept {
            process,
            head: head.clone(),
            samples: samples.to_vec(),
            notes: notes.to_vec(),
        });
        if let Some((count, stop)) = self.stop_after
            && self.kept.len() >= count
        {
            stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

impl Shelf {
    fn of(&self, index: u32) -> &Kept {
        let found: Vec<&Kept> = self.kept.iter().filter(|k| k.head.index == index).collect();
        assert_eq!(found.len(), 1, "point {index} kept {} times", found.len());
        found[0]
    }

    fn failure(&self, index: u32) -> &str {
        match &self.of(index).head.state {
            PointState::Failed { reason } => reason,
            other => panic!("point {index} is {other:?}"),
        }
    }

    fn is_done(&self, index: u32) -> bool {
        let kept = self.of(index);
        kept.head.state == PointState::Done && kept.samples.len() >= 5
    }
}

static NEVER: AtomicBool = AtomicBool::new(false);

fn session(scratch: &Path) -> Session<'static> {
    let allowed = harness::affinity::allowed_cpus().unwrap();
    let chosen = harness::affinity::choose(&allowed, Path::new("/"));
    Session {
        launcher: Launcher::this_executable(),
        clock: ClockSpec::posix(None),
        floor_ns: None,
        scheduling: Scheduling::default(),
        counters: None,
        interrupts: false,
        context: Context {
            card: MachineCard::default(),
            test_cpu: chosen.test_cpu,
            partner_cpu: chosen.partner_cpu,
            cpus: allowed,
            memory_available_bytes: 1 << 30,
            scratch: scratch.join("work"),
            traces: None,
        },
        processes: 1,
        patience: Patience::default(),
        limit: None,
        again: false,
        stop: &NEVER,
    }
}

fn run(plan: &[PlannedExperiment]) -> (Shelf, Ending) {
    run_for(Patience::default(), plan)
}

/// Runs a plan of which a part hangs, with little patience. On a machine that
/// stands still what does not hang runs out of it too: then with more.
fn run_till(done: impl Fn(&Shelf) -> bool, plan: &[PlannedExperiment]) -> Shelf {
    let seconds = [1, 8, 60].map(|s: u64| s * 1_000_000_000);
    let mut shelves = seconds.into_iter().map(|limit_ns| {
        let patience = Patience {
            setup_ns: limit_ns,
            grace_ns: limit_ns,
            ..Patience::default()
        };
        run_for(patience, plan).0
    });
    shelves.find(done).expect("done with the most patience")
}

fn run_for(patience: Patience, plan: &[PlannedExperiment]) -> (Shelf, Ending) {
    let scratch = tempfile::tempdir().unwrap();
    let foreign = scratch.path().join("work/not ours");
    std::fs::create_dir_all(&foreign).unwrap();
    let mut shelf = Shelf::default();
    let mut session = session(scratch.path());
    session.patience = patience;
    let ending = session.run(plan, &mut shelf, &mut NoProgress);
    assert!(
        foreign.exists(),
        "the scratch folder belongs to who made it"
    );
    (shelf, ending.unwrap())
}

// ---- tests ----

fn points_come_back_with_their_samples() {
    let (shelf, ending) = run(&plan(&[&["calm"], &["print"], &["a", "b"]]));
    assert!(!ending.stopped);
    assert_eq!(ending.scheduling, "SCHED_OTHER");
    for index in 0..4 {
        assert!(shelf.is_done(index), "{:?}", shelf.of(index));
    }
    assert_eq!(shelf.of(0).head.bytes_per_op, Some(64));
    assert!(shelf.of(0).notes.contains(&"I am calm".to_owned()));
    let mut indices: Vec<u32> = shelf
        .kept
        .iter()
        .flat_map(|k| k.samples.iter().map(|s| s.index))
        .collect();
    indices.sort_unstable();
    let count = indices.len();
    indices.dedup();
    assert_eq!(indices.len(), count, "sample indices repeat");
}

fn traces_are_kept_once_and_what_is_not_is_noted() {
    let scratch = tempfile::tempdir().unwrap();
    let traces = scratch.path().join("traces");
    let mut session = session(scratch.path());
    session.processes = 2;
    let points = plan(&[&["traced"], &["calm"]]);
    let mut shelf = Shelf::default();
    session.run(&points, &mut shelf, &mut NoProgress).unwrap();
    assert!(shelf.kept.iter().all(|kept| kept.head.traces.is_empty()));
    session.context.traces = Some(traces.clone());
    let mut shelf = Shelf::default();
    session.run(&points, &mut shelf, &mut NoProgress).unwrap();
    let files =
        |kept: &Kept| -> Vec<String> { kept.head.traces.iter().map(|t| t.file.clone()).collect() };
    let all: Vec<_> = shelf
        .kept
        .iter()
        .map(|kept| (kept.process, kept.head.index, files(kept)))
        .collect();
    let name = "test-acting-0-switches.dat";
    let wanted = [
        (0, 0, vec![name.to_owned()]),
        (0, 1, vec![]),
        (1, 0, vec![]),
        (1, 1, vec![]),
    ];
    assert_eq!(all, wanted);
    assert!(trace::file::open(&traces.join(name)).is_ok());
    // A folder that cannot be made: noted, and the point is measured.
    session.context.traces = Some("/dev/null/traces".into());
    let mut shelf = Shelf::default();
    session.run(&points, &mut shelf, &mut NoProgress).unwrap();
    let first = &shelf.kept[0];
    assert!(first.head.state == PointState::Done && first.head.traces.is_empty());
    let notes = &first.notes;
    let text = "its trace is not kept: cannot create /dev/null/traces";
    assert!(notes.iter().any(|n| n.starts_with(text)), "{notes:?}");
}

fn what_interrupts_is_kept_where_it_is_asked_for() {
    let scratch = tempfile::tempdir().unwrap();
    let mut shelf = Shelf::default();
    let asked = Session {
        interrupts: true,
        ..session(scratch.path())
    };
    let plan = plan(&[&["calm"], &["a", "b"]]);
    let ending = asked.run(&plan, &mut shelf, &mut NoProgress).unwrap();
    if ending.notes.iter().any(|n| n.contains("/proc/interrupts")) {
        // A container may hide it.
        return;
    }
    let met = |index: u32| {
        let met = shelf.of(index).head.interrupts.clone();
        met.expect("it was counted")
    };
    let (calm, a, b) = (met(0), met(1), met(2));
    assert_eq!((calm.points, a.points), (1, 2));
    assert_eq!(a, b, "points of a block share it");
    assert!(calm.over_ns > 0 && !calm.with_setup);
    assert_eq!(calm.cpu, asked.context.test_cpu);
    let (shelf, _) = run(&plan[..]);
    assert_eq!(shelf.of(0).head.interrupts, None);
}

fn repetitions_visit_experiments_in_rounds() {
    let scratch = tempfile::tempdir().unwrap();
    let mut session = session(scratch.path());
    session.processes = 3;
    let plan = [
        experiment("test/x", 0, &[&["a"]]),
        experiment("test/y", 1, &[&["b"]]),
    ];
    let mut shelf = Shelf::default();
    session.run(&plan, &mut shelf, &mut NoProgress).unwrap();
    let order: Vec<(u16, u32)> = shelf
        .kept
        .iter()
        .map(|k| (k.process, k.head.index))
        .collect();
    assert_eq!(order, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
    for kept in &shelf.kept {
        assert!(kept.samples.iter().all(|s| s.process == kept.process));
    }
}

fn a_crash_fails_its_point_and_the_rest_goes_on() {
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

fn each_way_to_die_is_read_and_not_guessed() {
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

fn a_crash_among_several_is_found_and_the_others_measured() {
    let (shelf, _) = run(&plan(&[&["a", "segv", "panic", "b"], &["c"]]));
    assert!(shelf.is_done(0) && shelf.is_done(3) && shelf.is_done(4));
    assert!(shelf.failure(1).contains("SIGSEGV"));
    assert!(shelf.failure(2).contains("out of cheese"));
    let notes = shelf.of(0).notes.join("; ");
    assert!(notes.contains("measured alone"), "{notes}");
    assert!(!shelf.of(4).notes.join("; ").contains("measured alone"));
}

fn a_hang_is_ended() {
    let shelf = run_till(|shelf| shelf.is_done(1), &plan(&[&["hang"], &["b"]]));
    assert!(
        shelf.failure(0).contains("did not answer"),
        "{}",
        shelf.failure(0)
    );
    assert!(shelf.is_done(1));
}

fn who_is_slow_is_left_out_and_does_not_fail() {
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

fn a_set_up_that_crashes_or_hangs_is_blamed() {
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

fn skipped_points_are_not_tried_again() {
    let scratch = tempfile::tempdir().unwrap();
    let mut session = session(scratch.path());
    session.processes = 2;
    let mut shelf = Shelf::default();
    let plan = plan(&[&["skip"], &["a", "skip"]]);
    session.run(&plan, &mut shelf, &mut NoProgress).unwrap();
    let skipped = PointState::Skipped {
        reason: "no such device".to_owned(),
        remedy: "modprobe it".to_owned(),
    };
    assert_eq!(shelf.of(0).head.state, skipped);
    assert_eq!(shelf.of(2).head.state, skipped);
    assert_eq!(shelf.kept.iter().filter(|k| k.head.index == 1).count(), 2);
}

fn a_point_without_a_sample_is_not_done() {
    let (shelf, ending) = run(&plan(&[&["well", "recorded-nothing"]]));
    assert!(!ending.stopped);
    assert!(shelf.is_done(0));
    let empty = shelf.of(1);
    assert!(empty.samples.is_empty());
    let PointState::Skipped { reason, remedy } = &empty.head.state else {
        panic!("{:?}", empty.head.state);
    };
    assert_eq!(reason, "the recording has nothing of this point");
    assert!(!remedy.is_empty());
}

fn a_stop_keeps_what_was_finished() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let scratch = tempfile::tempdir().unwrap();
    let mut session = session(scratch.path());
    session.stop = &STOP;
    let mut shelf = Shelf {
        stop_after: Some((1, &STOP)),
        ..Shelf::default()
    };
    let plan = plan(&[&["a"], &["hang"], &["b"], &["c"]]);
    let ending = session.run(&plan, &mut shelf, &mut NoProgress).unwrap();
    assert!(ending.stopped);
    assert!(shelf.is_done(0));
    // Nobody waited until the second had hung for long enough to have failed.
    assert_eq!(shelf.kept.len(), 1);
}

fn a_full_disk_ends_the_run() {
    let scratch = tempfile::tempdir().unwrap();
    let mut shelf = Shelf {
        full_after: Some(1),
        ..Shelf::default()
    };
    let plan = plan(&[&["a"], &["b"], &["c"]]);
    let error = session(scratch.path())
        .run(&plan, &mut shelf, &mut NoProgress)
        .unwrap_err();
    assert!(matches!(error, HarnessError::Sink { .. }));
    assert!(error.to_string().contains("no space left"), "{error}");
    assert_eq!(shelf.kept.len(), 1);
}

fn a_program_that_is_no_worker_fails_the_points() {
    let scratch = tempfile::tempdir().unwrap();
    let mut session = session(scratch.path());
    session.launcher.program = PathBuf::from("/bin/true");
    let mut shelf = Shelf::default();
    session
        .run(&plan(&[&["a"], &["b"]]), &mut shelf, &mut NoProgress)
        .unwrap();
    assert!(shelf.failure(0).contains("before it could measure"));
    assert!(shelf.failure(1).contains("before it could measure"));
}

fn a_missing_program_is_an_error() {
    let scratch = tempfile::tempdir().unwrap();
    let mut session = session(scratch.path());
    session.launcher.program = PathBuf::from("/nonexistent/pontage");
    let error = session
        .run(&plan(&[&["a"]]), &mut Shelf::default(), &mut NoProgress)
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("cannot start the measuring process /nonexistent"),
        "{text}"
    );
}

fn children_of_a_crashed_subject_are_ended() {
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
fn coordinate(scratch: &Path) -> ExitCode {
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
struct VecSink(VecDeque<u32>);

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

fn a_killed_coordinator_takes_its_worker_along() {
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
fn assert_gone(file: &Path) {
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

fn wait_until(what: &str, done: impl Fn() -> bool) {
    let limit = Instant::now() + Duration::from_secs(120);
    while !done() {
        assert!(Instant::now() < limit, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
