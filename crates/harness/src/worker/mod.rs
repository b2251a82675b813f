//! The measuring process: one for each experiment and repetition.
//!
//! It is this same executable started again with a hidden argument. A subject
//! that crashes, hangs or eats all memory takes this process with it and
//! nothing else: what was measured has already been sent.
//!
//! The job comes as one frame on standard input, which then stays open: its
//! end means "stop", whether the coordinator asks for it or is gone. Events
//! leave as frames on what was standard output; standard output itself then
//! points to standard error, so that nothing a library prints can damage them.

mod block;
mod forbidden;
mod job;
mod pipes;

pub use job::{Block, Event, GRACE_NS, Job, PlannedPoint, lacks_time, no_time};

use crate::affinity;
use crate::clock::monotonic_now_ns;
use crate::counters::{self, Count};
use crate::error::HarnessError;
use crate::interrupts::Moment;
use crate::name::be_called;
use crate::point::{Context, Point};
use crate::scheduling::{self, Granted};
use crate::self_test::{floor_ns, resolution_ns};
use crate::stack;
use crate::subject::{SetupError, Subject};
use crate::watch::SystemWatch;
use crate::yardstick::Registers;
use pipes::Events;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// First argument of a measuring process.
pub const WORKER_ARGUMENT: &str = "__worker";

/// Builds the subject of a point.
pub type SetUp<'a> = &'a dyn Fn(&Point, &Context) -> Result<Box<dyn Subject>, SetupError>;

/// The whole life of a measuring process: `main` calls it when its first
/// argument is `WORKER_ARGUMENT`.
pub fn main(setup: SetUp<'_>) -> ExitCode {
    be_called(c"pontage");
    // One line: the message also reaches the record, with the point's name.
    std::panic::set_hook(Box::new(|info| {
        crate::message!("pontage: measuring process: {info}");
    }));
    match serve(setup) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            crate::message!("pontage: measuring process: {e}");
            ExitCode::from(2)
        }
    }
}

fn serve(setup: SetUp<'_>) -> Result<(), HarnessError> {
    let job = pipes::receive_job()?;
    let mut events = Events::open()?;
    run_worker(&job, setup, &mut events, &pipes::STOP)
}

/// Measures a job, block by block, and reports as it goes.
///
/// # Errors
/// Only when no event reaches the coordinator: it is gone, and going on is of no use.
pub fn run_worker(
    job: &Job,
    setup: SetUp<'_>,
    events: &mut Events,
    stop: &AtomicBool,
) -> Result<(), HarnessError> {
    let mut bench = Instruments::ready(job);
    events.send(&bench.ready_event())?;
    for block in &job.blocks {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if job
            .until_ns
            .is_some_and(|until_ns| monotonic_now_ns() >= until_ns)
        {
            block::leave_out(block, events)?;
            continue;
        }
        block::measure(block, job, setup, &mut bench, events, stop)?;
    }
    events.send(&Event::Finished {
        next_index: bench.next_index,
        demoted: bench.granted.demoted(),
    })
}

/// What the process measures with, set up once.
struct Instruments {
    clock: Box<dyn crate::clock::Clock>,
    watch: SystemWatch,
    /// None where this instruction set has none.
    gauge: Option<Registers>,
    counters: Option<Box<dyn Count>>,
    granted: Granted,
    floor_ns: f64,
    resolution_ns: f64,
    next_index: u32,
    notes: Vec<String>,
    /// Whether what interrupts the machine is kept.
    interrupts: bool,
}

impl Instruments {
    fn ready(job: &Job) -> Self {
        let mut notes = Vec::new();
        notes.extend(stack::too_small().map(|bytes| {
            format!(
                "the stack is limited to {bytes} bytes (ulimit -s): measured in a second thread, \
                 where calls on descriptors cost a little more"
            )
        }));
        if let Err(e) = affinity::pin(&[job.context.test_cpu]) {
            notes.push(format!("cannot pin to CPU {}: {e}", job.context.test_cpu));
        }
        let granted = scheduling::apply(job.scheduling, job.longest_block_ns());
        notes.extend(granted.notes.iter().cloned());
        let clock = job.clock.build();
        let resolution_ns = resolution_ns(&*clock);
        let gauge = Registers::fit(&*clock, resolution_ns);
        let watch = SystemWatch::open(Path::new("/"), job.context.test_cpu);
        notes.extend(watch.notes().iter().cloned());
        let counters = job.counters.as_ref().map(|plan| {
            let (counters, missing) = counters::open(plan);
            notes.extend(missing);
            counters
        });
        let interrupts = job.interrupts && interrupts_are_readable(&mut notes);
        Instruments {
            interrupts,
            counters,
            floor_ns: job.floor_ns.unwrap_or_else(|| floor_ns(&*clock)),
            resolution_ns,
            clock,
            watch,
            gauge,
            granted,
            next_index: job.first_index,
            notes,
        }
    }

    fn ready_event(&self) -> Event {
        Event::Ready {
            scheduling: self.granted.policy.clone(),
            memory_locked: self.granted.memory_locked,
            notes: self.notes.clone(),
        }
    }
}

fn interrupts_are_readable(notes: &mut Vec<String>) -> bool {
    let counts = Moment::now(Path::new("/"));
    if let Err(cause) = &counts {
        notes.push(format!(
            "interrupts are not counted: cannot read /proc/interrupts: {cause} (a container may \
             hide it; look with: cat /proc/interrupts)"
        ));
    }
    counts.is_ok()
}
