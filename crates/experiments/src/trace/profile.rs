//! # trace/profile - Where a system call spends its time in the kernel
//!
//! How long do the kernel's own functions take on the way of a system call, and
//! which of them takes most?
//!
//! ## Counts
//! One call of one kernel function, from its entry to its return as function_graph
//! stamps them: one sample a call. With it comes all that the function calls, and
//! the time that the task sleeps in it. `own` is that without the other functions
//! of the same way, `asleep` how much of it the task was off the CPU. Only the
//! measuring thread is traced, and only the few functions of the way.
//!
//! ## Does not count
//! The way into the kernel and out of it, and everything outside the named
//! functions. What the tracer itself takes is in the time: a function that does next
//! to nothing (`call=getppid`) shows how much, and nothing shorter can be separated
//! from it. Functions that the compiler has put into their callers have no time of
//! their own.
//!
//! ## Origin
//! The function profile of a study of two tasks on one core, 2022, which put
//! set_ftrace_filter and function_profile_enabled before msync(2) down to the flush
//! of a cache line. The kernel's Documentation/trace/ftrace.rst.
//!
//! ## Theory
//! Functions of a kernel that is built for tracing begin with five bytes of nothing.
//! Where a function is traced they become a call, which notes the time and bends the
//! return address, so that the return comes by as well. That costs some tens to
//! hundreds of nanoseconds a call, and it costs the caller: the time of a function
//! has the tracer's work for every traced function below it. So few functions are
//! traced at once, and the times are to be held against each other rather than
//! against untraced ones (`syscall/*`, `ipc/pipe` have those).
//!
//! A kernel of before 6.11 has function_graph for its own ring only; that is used
//! then, where no other program uses it, and put back.

use ::trace::Capture;
use ::trace::analyse::functions::{Call, EachCall};
use ::trace::analyse::{Known, Pass, Symbols};
use catalogue::{AxisSpec, Experiment, Figure, Grid, Preset, Tally};
use engines::crew::in_use::InUse;
use engines::reading::of_events;
use engines::scheduler::replay::{Recorded, Replay};
use harness::tracing::{FunctionWish, Tracing};
use harness::{Context, Point, Reading, SetupError, Shape, Subject};
use record::{FigureHead, MachineCard};
use ways::{WAYS, Way};

const CALLS: &[&str] = &["getppid", "pipe", "fsync", "msync", "mmap"];

const AXES: &[AxisSpec] = &[
    AxisSpec::word(
        "call",
        "getppid: almost nothing; pipe: write and read 4 KiB; fsync, msync: change 4 KiB of a \
         file and synchronise; mmap: map, touch and unmap 16 KiB",
        CALLS,
    ),
    AxisSpec::word("function", "kernel function on the path", ways::FUNCTIONS).compared(),
];

const TALLIES: &[Tally] = &[
    Tally::time("own", "without the other functions of the path"),
    Tally::time("asleep", "off the CPU"),
];

/// Times that the system call is made while it is traced: each call of a function
/// is a sample, and there are up to four of one (the faults of `mmap`).
const ROUNDS: u32 = 100;

fn grids(preset: Preset, _card: &MachineCard) -> Vec<Grid> {
    let wanted = |way: &&Way| preset == Preset::Full || matches!(way.call, "getppid" | "fsync");
    let of = |way: &Way| Grid::new(10).words("call", &[way.call]);
    let grids = WAYS.iter().filter(wanted);
    grids
        .map(|way| of(way).words("function", way.functions))
        .collect()
}

/// One call of the workload, with all functions on its way.
struct Recording {
    capture: Capture,
    notes: Vec<String>,
}

thread_local! {
    /// The functions of a call are of one recording.
    static RECORDING: InUse<String, Recording> = const { InUse::none() };
}

impl Recording {
    fn make(way: &Way, context: &Context) -> Result<Recording, SetupError> {
        let mut work = (way.work)(context)?;
        // What happens once happens before.
        work();
        let wish = FunctionWish {
            only: way.functions.iter().map(|f| (*f).to_owned()).collect(),
            ..FunctionWish::default()
        };
        let here = ways::this_thread();
        let events = ["sched:sched_switch"];
        let tracing = Tracing::start_functions(&wish, &events, &[here], &context.scratch)?;
        let notes = tracing.notes().to_vec();
        for _ in 0..ROUNDS {
            work();
        }
        let capture = tracing.stop()?;
        context.keep_trace("calls", &capture);
        Ok(Recording { capture, notes })
    }

    /// Its calls of a function, and what there is to say of them.
    fn calls_of(&self, function: &str) -> (Vec<OneCall>, Vec<String>) {
        let known = Known::of(&self.capture);
        let symbols = Symbols::parse(&self.capture.head.kallsyms);
        let mut each = EachCall::new(&known, &symbols, function);
        Pass::over(&self.capture, &known, &mut [&mut each]);
        let mut notes = self.notes.clone();
        if each.dropped() > 0 {
            notes.push(format!(
                "{} calls were not recorded completely",
                each.dropped()
            ));
        }
        (each.calls.into_iter().map(OneCall).collect(), notes)
    }
}

/// One recorded call, as a sample.
struct OneCall(Call);

impl Recorded for OneCall {
    fn reading(&self) -> Reading {
        of_events(1, self.0.total_ns as f64, None)
    }

    fn tally(&self) -> Vec<f64> {
        vec![self.0.self_ns as f64, self.0.off_ns as f64]
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let function = point.word("function");
    let way = ways::of(point.word("call"))
        .ok_or_else(|| SetupError::fail("find the way", point.word("call")))?;
    let recording = RECORDING
        .with(|shared| shared.across(point, "function", || Recording::make(way, context)))?;
    let (calls, notes) = recording.calls_of(function);
    if calls.is_empty() {
        return Err(SetupError::skip(
            format!("{function} is not on the path of {} here", way.call),
            "none: this file system, or this kernel, takes another path",
        ));
    }
    Ok(Box::new(Replay::of(calls, notes).keeping(recording)))
}

fn figures() -> Vec<FigureHead> {
    let figure = Figure::of("Time of kernel functions by call", "call", "time");
    vec![figure.log_y().series(&["function"]).reading(
        "The time of a function includes those it calls; that of getppid is almost all due to the \
         tracer.",
    )]
}

pub static EXPERIMENT: Experiment = Experiment {
    axes: AXES,
    parts: &[("time", "from the entry of a kernel function to its return")],
    tallies: TALLIES,
    shape: |_| Shape::Single { repetitions: 1 },
    grids,
    setup,
    figures,
    findings: |table, _| findings::findings(table),
    ..Experiment::EMPTY
};

mod findings;
mod ways;

#[cfg(test)]
mod tests {
    use super::findings::findings;
    use super::*;
    use crate::testing::table;
    use analysis::PointView;
    use testbed::{context, measured, point, word};

    const ID: &str = "trace/profile";

    fn at(call: &str, function: &str, ns: f64, own: f64) -> PointView {
        let settings = [word("call", call), word("function", function)];
        measured(ID, &settings, &[ns, own, 0.0])
    }

    #[test]
    fn the_costliest_of_its_own_and_the_floor_are_found() {
        let all = findings(&table(
            ID,
            vec![
                at("getppid", ways::LEAF, 400.0, 400.0),
                at("fsync", "vfs_write", 9_000.0, 9_000.0),
                at("fsync", "vfs_fsync_range", 40_000.0, 39_000.0),
            ],
        ));
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(
            all[0].sentence.contains("almost nothing takes 400 ns"),
            "{}",
            all[0].sentence
        );
        assert!(
            all[1].sentence.contains("vfs_fsync_range"),
            "{}",
            all[1].sentence
        );
    }

    #[test]
    fn a_call_is_a_sample() {
        let call = OneCall(Call {
            function: 1,
            total_ns: 70,
            self_ns: 30,
            off_ns: 10,
            cpu: 0,
            tag: 0,
        });
        assert_eq!(call.reading().elapsed_ns, 70.0);
        assert_eq!(call.tally(), [30.0, 10.0]);
        assert_eq!(call.tally().len(), TALLIES.len());
    }

    #[test]
    fn every_way_can_be_gone_untraced() {
        for way in WAYS {
            let (context, _keep) = context();
            let mut work = (way.work)(&context).unwrap();
            work();
            work();
            drop(work);
            assert!(
                std::fs::read_dir(&context.scratch)
                    .unwrap()
                    .next()
                    .is_none()
            );
        }
    }

    #[test]
    fn here_it_runs_or_says_why_not() {
        let (context, _keep) = context();
        let settings = [word("call", "fsync"), word("function", "vfs_fsync_range")];
        match (EXPERIMENT.setup)(&point(ID, &settings), &context) {
            Ok(subject) => assert_eq!(subject.recorded(), Some(ROUNDS)),
            Err(SetupError::Skip { reason, remedy }) => {
                assert!(reason.contains("tracing") && !remedy.is_empty(), "{reason}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}
