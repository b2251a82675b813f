//! Points whose processes met something are measured by further ones.

use super::NoProgress;
use super::plans::{experiment, session};
use harness::{Ending, Session, Sink};
use record::{PointHead, Sample};
use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Doubts the samples of these processes of a point.
struct Doubting {
    point: u32,
    processes: fn(u16) -> bool,
    /// Set once a process of this number has come.
    stop_at: Option<(u16, &'static AtomicBool)>,
    /// By process and point, with its notes.
    kept: Vec<(u16, u32, Vec<String>)>,
}

impl Sink for Doubting {
    fn point(
        &mut self,
        process: u16,
        head: &PointHead,
        samples: &[Sample],
        notes: &[String],
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        assert!(samples.iter().all(|s| s.process == process));
        self.kept.push((process, head.index, notes.to_vec()));
        if let Some((at, stop)) = self.stop_at {
            stop.fetch_or(process == at, Ordering::Relaxed);
        }
        Ok(())
    }

    fn doubt(&self, head: &PointHead, samples: &[Sample]) -> Option<String> {
        let met = head.index == self.point && (self.processes)(samples[0].process);
        met.then(|| "18 ms were stolen".to_owned())
    }
}

/// Two blocks of two points in two processes; which processes each point had, and what was said.
fn played(
    processes: fn(u16) -> bool,
    limit: Option<Duration>,
    again: bool,
) -> (Vec<Vec<u16>>, Doubting, Ending) {
    played_until(processes, limit, again, None)
}

fn played_until(
    processes: fn(u16) -> bool,
    limit: Option<Duration>,
    again: bool,
    stop_at: Option<(u16, &'static AtomicBool)>,
) -> (Vec<Vec<u16>>, Doubting, Ending) {
    let scratch = tempfile::tempdir().unwrap();
    let mut session = Session {
        processes: 2,
        again,
        limit,
        ..session(scratch.path())
    };
    if let Some((_, stop)) = stop_at {
        session.stop = stop;
    }
    let plan = [experiment("test/x", 0, &[&["a", "b"], &["c", "d"]])];
    let mut sink = Doubting {
        point: 1,
        processes,
        stop_at,
        kept: Vec::new(),
    };
    let ending = session.run(&plan, &mut sink, &mut NoProgress).unwrap();
    let of = |point| {
        let own = sink.kept.iter().filter(|(_, index, _)| *index == point);
        own.map(|(process, _, _)| *process).collect()
    };
    ((0..4).map(of).collect(), sink, ending)
}

/// Keeps where each process stood when it was last seen.
#[derive(Default)]
struct Counting {
    last: Vec<(u16, u32, u32)>,
    samplings: (u32, u32),
}

impl harness::Progress for Counting {
    fn update(&mut self, status: &harness::Status) {
        self.last.retain(|(process, ..)| *process != status.process);
        let (done, total) = (status.points_done, status.points_total);
        assert!(done <= total, "{status:?}");
        self.last.push((status.process, done, total));
        let all = &status.samplings;
        let sum = |of: fn(&harness::Samplings) -> u32| all.iter().map(of).sum();
        self.samplings = (sum(|s| s.done), sum(|s| s.total));
    }
}

pub fn progress_counts_the_points_of_each_process_and_those_measured_again() {
    let scratch = tempfile::tempdir().unwrap();
    let session = Session {
        processes: 2,
        again: true,
        limit: LONG,
        ..session(scratch.path())
    };
    let plan = [
        experiment("test/x", 0, &[&["a", "b"], &["c", "d"]]),
        experiment("test/y", 4, &[&["e"]]),
    ];
    let mut sink = Doubting {
        point: 1,
        processes: |process| process == 0,
        stop_at: None,
        kept: Vec::new(),
    };
    let mut progress = Counting::default();
    session.run(&plan, &mut sink, &mut progress).unwrap();
    assert_eq!(progress.last, [(0, 5, 5), (1, 5, 5), (2, 2, 2)]);
    assert_eq!(progress.samplings, (12, 12));
}

const LONG: Option<Duration> = Some(Duration::from_secs(600));

pub fn what_met_something_is_measured_again_until_most_processes_are_free_of_it() {
    let (processes, sink, ending) = played(|process| process == 0, LONG, true);
    // With all points of its block, which are compared with it; the others are not.
    assert_eq!(
        processes,
        [vec![0, 1, 2], vec![0, 1, 2], vec![0, 1], vec![0, 1]]
    );
    let note = "measured again: in 1 of 2 processes before 18 ms were stolen";
    let noted: Vec<(u16, u32)> = sink
        .kept
        .iter()
        .filter(|(_, _, notes)| notes.iter().any(|n| n == note))
        .map(|(process, index, _)| (*process, *index))
        .collect();
    assert_eq!(noted, [(2, 1)]);
    let said = "2 times a point was measured again";
    assert!(
        ending.notes.iter().any(|n| n.starts_with(said)),
        "{:?}",
        ending.notes
    );
}

pub fn who_always_disturbs_is_not_measured_for_ever() {
    let (processes, _, _) = played(|_| true, LONG, true);
    assert_eq!(processes[1], [0, 1, 2, 3, 4]);
    assert_eq!(processes[2], [0, 1]);
}

pub fn a_stop_while_points_are_measured_again_leaves_a_run_that_is_done() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let (processes, _, ending) = played_until(|_| true, LONG, true, Some((2, &STOP)));
    assert_eq!(processes[1], [0, 1, 2], "no further ones");
    assert!(!ending.stopped);
    let said = "interrupted while points were measured again: the plan was done";
    assert!(ending.notes.iter().any(|n| n == said), "{:?}", ending.notes);
    static EARLIER: AtomicBool = AtomicBool::new(false);
    let (_, _, ending) = played_until(|_| true, LONG, true, Some((1, &EARLIER)));
    assert!(ending.stopped, "in the middle of the plan");
}

pub fn nothing_is_measured_again_without_a_doubt_or_time() {
    for (processes, limit, again) in [
        ((|_| false) as fn(u16) -> bool, LONG, true),
        (|_| true, Some(Duration::ZERO), true),
        (|_| true, LONG, false),
    ] {
        let (processes, _, ending) = played(processes, limit, again);
        assert!(processes.iter().all(|of| of.len() <= 2), "{processes:?}");
        assert!(
            !ending.notes.iter().any(|n| n.contains("again")),
            "{:?}",
            ending.notes
        );
    }
}
