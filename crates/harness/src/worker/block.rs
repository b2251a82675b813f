//! One block inside the measuring process: set up, sample, report, drop.

use super::job::{Block, Event, GRACE_NS, Job, PlannedPoint};
use super::pipes::Events;
use super::{Instruments, SetUp};
use crate::counters::Count;
use crate::error::HarnessError;
use crate::sampler::{Bench, Ended, Member, Sampled, sample_block};
use crate::subject::{SetupError, Subject};
use crate::traces::{self, Kept};
use record::PointState;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::AtomicBool;

/// A point that could be set up.
struct Standing<'a> {
    planned: &'a PlannedPoint,
    subject: Box<dyn Subject>,
    kept: Kept,
}

pub fn measure(
    block: &Block,
    job: &Job,
    setup: SetUp<'_>,
    instruments: &mut Instruments,
    events: &mut Events,
    stop: &AtomicBool,
) -> Result<(), HarnessError> {
    let mut standing = set_up(block, job, setup, events)?;
    if standing.is_empty() {
        return Ok(());
    }
    events.send(&Event::Sampling {
        indices: standing.iter().map(|s| s.planned.point.index).collect(),
    })?;
    let deadline_ns = block.deadline_ns().saturating_add(GRACE_NS);
    instruments.granted.arm(deadline_ns);
    let sampled = catch_unwind(AssertUnwindSafe(|| {
        sample(&mut standing, job, instruments, stop)
    }));
    instruments.granted.disarm();
    match sampled {
        Ok(results) => report(&standing, results, events)?,
        // Which of several subjects panicked cannot be told: the coordinator
        // tries them one by one in new processes.
        Err(panic) if standing.len() > 1 => resume_unwind(panic),
        Err(panic) => report_panic(&standing, &*panic, events)?,
    }
    drop_all(standing);
    Ok(())
}

/// Sets up each point; those that cannot be are reported at once.
fn set_up<'a>(
    block: &'a Block,
    job: &Job,
    setup: SetUp<'_>,
    events: &mut Events,
) -> Result<Vec<Standing<'a>>, HarnessError> {
    let mut standing = Vec::new();
    for planned in &block.points {
        let index = planned.point.index;
        events.send(&Event::PointStarted { index })?;
        traces::begin(&planned.point);
        let made = catch_unwind(AssertUnwindSafe(|| setup(&planned.point, &job.context)));
        let kept = traces::taken();
        let state = match made {
            Ok(Ok(subject)) => {
                standing.push(Standing {
                    planned,
                    subject,
                    kept,
                });
                continue;
            }
            Ok(Err(SetupError::Skip { reason, remedy })) => PointState::Skipped { reason, remedy },
            Ok(Err(SetupError::Fail(reason))) => PointState::Failed { reason },
            Err(panic) => PointState::Failed {
                reason: format!("set-up panicked: {}", panic_text(&*panic)),
            },
        };
        events.send(&without_samples(index, state, kept))?;
    }
    Ok(standing)
}

fn sample(
    standing: &mut [Standing<'_>],
    job: &Job,
    instruments: &mut Instruments,
    stop: &AtomicBool,
) -> Vec<Sampled> {
    let counted = attach(standing, instruments);
    let mut members: Vec<Member<'_>> = standing
        .iter_mut()
        .map(|s| Member {
            subject: &mut *s.subject,
            parts: s.planned.parts,
            sampling: s.planned.sampling,
        })
        .collect();
    let mut bench = Bench {
        clock: &*instruments.clock,
        watch: &mut instruments.watch,
        counters: instruments.counters.as_mut().map(|c| c as &mut dyn Count),
        floor_ns: instruments.floor_ns,
        process: job.process,
        next_index: instruments.next_index,
        stop,
    };
    let mut results = sample_block(&mut members, &mut bench);
    instruments.next_index = bench.next_index;
    if let Some(counters) = &mut instruments.counters {
        counters.detach();
    }
    for (result, notes) in results.iter_mut().zip(counted) {
        result.notes.extend(notes);
    }
    results
}

/// Counts the threads that the subjects name; notes for each of them.
fn attach(standing: &[Standing<'_>], instruments: &mut Instruments) -> Vec<Vec<String>> {
    let Some(counters) = &mut instruments.counters else {
        return Vec::new();
    };
    let subjects = standing.iter().enumerate();
    subjects
        .map(|(member, s)| counters.attach(member, &s.subject.counted_threads()))
        .collect()
}

/// A block that was asked to stop is not reported: its points stay pending.
fn report(
    standing: &[Standing<'_>],
    results: Vec<Sampled>,
    events: &mut Events,
) -> Result<(), HarnessError> {
    for (point, result) in standing.iter().zip(results) {
        if result.ended == Ended::Stopped {
            continue;
        }
        let state = match result.failure {
            None => PointState::Done,
            Some(reason) => PointState::Failed { reason },
        };
        let mut notes = result.notes;
        notes.extend(point.kept.notes.iter().cloned());
        events.send(&Event::PointDone {
            index: point.planned.point.index,
            state,
            samples: result.samples,
            notes,
            traces: point.kept.traces.clone(),
        })?;
    }
    Ok(())
}

fn report_panic(
    standing: &[Standing<'_>],
    panic: &(dyn Any + Send),
    events: &mut Events,
) -> Result<(), HarnessError> {
    for point in standing {
        let reason = format!("sampling panicked: {}", panic_text(panic));
        let index = point.planned.point.index;
        let state = PointState::Failed { reason };
        events.send(&without_samples(index, state, point.kept.clone()))?;
    }
    Ok(())
}

fn without_samples(index: u32, state: PointState, kept: Kept) -> Event {
    Event::PointDone {
        index,
        state,
        samples: Vec::new(),
        notes: kept.notes,
        traces: kept.traces,
    }
}

/// A subject whose drop panics must not keep the others from undoing theirs.
fn drop_all(standing: Vec<Standing<'_>>) {
    for point in standing {
        if catch_unwind(AssertUnwindSafe(|| drop(point.subject))).is_err() {
            eprintln!(
                "pontage: cleaning up {} panicked",
                point.planned.point.experiment
            );
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
