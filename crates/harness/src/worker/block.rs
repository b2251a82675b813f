//! One block inside the measuring process: set up, sample, report, drop.

use super::job::{Block, Event, GRACE_NS, Job, PlannedPoint, no_time};
use super::pipes::Events;
use super::{Instruments, SetUp};
use crate::counters::{Count, Whom};
use crate::error::HarnessError;
use crate::interrupts::Moment;
use crate::sampler::{Bench, Ended, Member, Sampled, sample_block};
use crate::subject::{SetupError, Subject};
use crate::traces::{self, Kept};
use crate::yardstick::Yardstick;
use record::{InterruptsHead, PointState};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A point that could be set up.
struct Standing<'a> {
    planned: &'a PlannedPoint,
    subject: Box<dyn Subject>,
    kept: Kept,
}

/// Says of the points of a block that the run had no time left for them.
pub fn leave_out(block: &Block, events: &mut Events) -> Result<(), HarnessError> {
    block.points.iter().try_for_each(|planned| {
        let state = no_time("the time of the run was spent before its turn came");
        events.send(&without_samples(
            planned.point.index,
            state,
            Kept::default(),
        ))
    })
}

/// Sets up the points of a block, samples them in alternation and reports each.
pub fn measure(
    block: &Block,
    job: &Job,
    setup: SetUp<'_>,
    instruments: &mut Instruments,
    events: &mut Events,
    stop: &AtomicBool,
) -> Result<(), HarnessError> {
    let mut counting = Counting::begin(instruments.interrupts);
    let mut standing = set_up(block, job, setup, events)?;
    if standing.is_empty() {
        return Ok(());
    }
    events.send(&Event::Sampling {
        indices: standing.iter().map(|s| s.planned.point.index).collect(),
    })?;
    let deadline_ns = block.deadline_ns().saturating_add(GRACE_NS);
    instruments.granted.arm(deadline_ns);
    counting.sampling(&standing);
    let sampled = catch_unwind(AssertUnwindSafe(|| {
        sample(&mut standing, job, instruments, stop)
    }));
    instruments.granted.disarm();
    let interrupts = counting.end(standing.len(), job);
    match sampled {
        Ok(results) => report(&standing, results, interrupts.as_ref(), events)?,
        // Which of several subjects panicked is unknown: the coordinator
        // tries them one by one in new processes.
        Err(panic) if standing.len() > 1 => resume_unwind(panic),
        Err(panic) => report_panic(&standing, &*panic, events)?,
    }
    drop_all(standing);
    Ok(())
}

/// What interrupts the machine while a block is sampled: from the begin of the
/// sampling, or of the set-up where that makes a recording.
struct Counting {
    wanted: bool,
    with_setup: bool,
    began: Option<Moment>,
}

impl Counting {
    fn begin(wanted: bool) -> Counting {
        Counting {
            wanted,
            with_setup: true,
            began: wanted.then(now).flatten(),
        }
    }

    fn sampling(&mut self, standing: &[Standing<'_>]) {
        self.with_setup = standing.iter().any(|s| s.subject.recorded().is_some());
        if self.wanted && !self.with_setup {
            self.began = now();
        }
    }

    fn end(self, points: usize, job: &Job) -> Option<InterruptsHead> {
        let passed = self.began?.until(&now()?, job.context.test_cpu);
        Some(InterruptsHead {
            points: u32::try_from(points).unwrap_or(u32::MAX),
            with_setup: self.with_setup,
            ..passed
        })
    }
}

/// None where it could be read before and cannot now.
fn now() -> Option<Moment> {
    Moment::now(Path::new("/")).ok()
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
    let clock = &*instruments.clock;
    let gauge = instruments.gauge.as_mut();
    let mut bench = Bench {
        clock,
        watch: &mut instruments.watch,
        yardstick: gauge.map(|gauge| Yardstick::begin(gauge, clock)),
        counters: instruments
            .counters
            .as_deref_mut()
            .map(|c| c as &mut dyn Count),
        floor_ns: instruments.floor_ns,
        resolution_ns: instruments.resolution_ns,
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
    let members = standing.iter();
    let members: Vec<Whom> = members
        .map(|s| Whom {
            index: s.planned.point.index,
            threads: s.subject.counted_threads(),
            others_alone: s.subject.counted_alone(),
        })
        .collect();
    counters.attach_block(&members)
}

/// A block that was asked to stop is not reported: its points stay pending.
fn report(
    standing: &[Standing<'_>],
    results: Vec<Sampled>,
    interrupts: Option<&InterruptsHead>,
    events: &mut Events,
) -> Result<(), HarnessError> {
    for (point, mut result) in standing.iter().zip(results) {
        if result.ended == Ended::Stopped {
            continue;
        }
        let state = match result.failure {
            Some(why) if result.late => {
                let lost = std::mem::take(&mut result.samples).len();
                result.notes.extend(left_behind(lost));
                no_time(&why)
            }
            Some(reason) => PointState::Failed { reason },
            None if result.samples.is_empty() => without_a_sample(&*point.subject, result.ended),
            None => PointState::Done,
        };
        let mut notes = result.notes;
        notes.extend(point.kept.notes.iter().cloned());
        events.send(&Event::PointDone {
            index: point.planned.point.index,
            state,
            samples: result.samples,
            notes,
            traces: point.kept.traces.clone(),
            interrupts: interrupts.cloned(),
        })?;
    }
    Ok(())
}

/// Of a point whose other side took too long.
fn left_behind(samples: usize) -> Option<String> {
    let text = format!(
        "{samples} samples are not kept: it is not known how many operations the last of them had"
    );
    (samples > 0).then_some(text)
}

/// A point of which nothing is known is not done.
fn without_a_sample(subject: &dyn Subject, ended: Ended) -> PointState {
    if subject.recorded() == Some(0) {
        return PointState::Skipped {
            reason: "the recording has nothing of this point".to_owned(),
            remedy: "record longer; see pontage explain and the notes of the point".to_owned(),
        };
    }
    if ended == Ended::Deadline {
        return no_time("its block had none left when its turn came");
    }
    PointState::Failed {
        reason: "no sample was taken".to_owned(),
    }
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
        interrupts: None,
    }
}

/// A subject whose drop panics must not keep the others from undoing theirs.
fn drop_all(standing: Vec<Standing<'_>>) {
    for point in standing {
        if catch_unwind(AssertUnwindSafe(|| drop(point.subject))).is_err() {
            crate::message!(
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
