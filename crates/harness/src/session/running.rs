//! The state of a run: what is left to measure and what the current process
//! is doing.

use super::met::Met;
use super::process::{Heard, UnreadableEvent, WorkerProcess};
use super::queue::{find, remove};
use super::schedule::Schedule;
use super::silence::{Silence, TooLong};
use super::{Ending, PlannedExperiment, Progress, Samplings, Session, Sink, Spent, Status};
use crate::clock::monotonic_now_ns;
use crate::error::HarnessError;
use crate::point::Context;
use crate::worker::{Block, Event, Job, PlannedPoint, lacks_time};
use record::{PointHead, PointState, Sample};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often silence is interrupted to look at the stop flag and the limits.
/// Rare, because the coordinator runs on a CPU that measuring may need.
const LOOK: Duration = Duration::from_millis(250);

/// What the process is doing, as far as it has reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before readiness, or between two blocks.
    Idle,
    SettingUp(u32),
    Sampling,
}

/// A session under way.
pub struct Run<'a> {
    pub session: &'a Session<'a>,
    pub sink: &'a mut dyn Sink,
    pub progress: &'a mut dyn Progress,
    pub status: Status,
    pub ending: Ending,
    /// What the present process is given, and is left of it.
    pub queue: VecDeque<Block>,
    pub phase: Phase,
    /// Points that need not be tried by later repetitions.
    pub given_up: HashSet<u32>,
    /// Points that have samples.
    pub measured: HashSet<u32>,
    /// What the processes of points met, where that is asked for.
    pub met: HashMap<u32, Met>,
    /// Notes to add to points when they are done: how they came to be
    /// measured alone.
    pub remarks: HashMap<u32, String>,
    pub next_index: u32,
    /// The system call that a seccomp filter forbade the present process.
    pub forbidden: Option<i64>,
    /// Processes in a row that died without finishing a point.
    pub fruitless: u32,
    pub began: Instant,
    pub schedule: Schedule,
    /// What the points of the present process took.
    pub spent: Spent,
}

impl<'a> Run<'a> {
    /// Nothing is started.
    pub fn new(
        session: &'a Session<'a>,
        plan: &[PlannedExperiment],
        sink: &'a mut dyn Sink,
        progress: &'a mut dyn Progress,
    ) -> Self {
        let processes = session.processes.max(1);
        let once = |e: &PlannedExperiment| e.blocks.iter().map(|b| b.points.len()).sum::<usize>();
        let total = |points: usize| u32::try_from(points).unwrap_or(u32::MAX);
        let status = Status {
            processes,
            points_total: total(plan.iter().map(once).sum()),
            samplings: plan
                .iter()
                .map(|e| Samplings {
                    done: 0,
                    total: total(once(e)).saturating_mul(u32::from(processes)),
                })
                .collect(),
            ..Status::default()
        };
        Run {
            session,
            sink,
            progress,
            status,
            ending: Ending::default(),
            queue: VecDeque::new(),
            phase: Phase::Idle,
            given_up: HashSet::new(),
            measured: HashSet::new(),
            met: HashMap::new(),
            remarks: HashMap::new(),
            next_index: 0,
            forbidden: None,
            fruitless: 0,
            began: Instant::now(),
            schedule: Schedule::new(session.limit, processes, plan.len(), session.again),
            spent: Spent::default(),
        }
    }

    /// Whether the user asked to stop.
    pub fn stopped(&self) -> bool {
        self.session.stop.load(Ordering::Relaxed)
    }

    /// The blocks without the points that were given up.
    pub(super) fn left_of(&mut self, experiment: &PlannedExperiment) -> VecDeque<Block> {
        let mut queue = VecDeque::new();
        for block in &experiment.blocks {
            let given_up = |p: &&PlannedPoint| self.given_up.contains(&p.point.index);
            let counted = block.points.iter().filter(given_up).count();
            (0..counted).for_each(|_| self.count());
            let left = self.without_given_up(block);
            if !left.points.is_empty() {
                queue.push_back(left);
            }
        }
        queue
    }

    pub(super) fn without_given_up(&self, block: &Block) -> Block {
        let points = block.points.iter();
        let left = points.filter(|p| !self.given_up.contains(&p.point.index));
        Block {
            points: left.cloned().collect(),
        }
    }

    /// Starts a process for the queue and listens until it has ended.
    pub(super) fn one_process(&mut self) -> Result<(), HarnessError> {
        let left = self.schedule.left(self.began.elapsed());
        let job = Job {
            experiment: self.status.experiment.clone(),
            until_ns: left.map(|left| {
                let left_ns = u64::try_from(left.as_nanos()).unwrap_or(u64::MAX);
                monotonic_now_ns().saturating_add(left_ns)
            }),
            process: self.status.process,
            first_index: self.next_index,
            clock: self.session.clock.clone(),
            floor_ns: self.session.floor_ns,
            scheduling: self.session.scheduling,
            counters: self.session.counters.clone(),
            interrupts: self.session.interrupts,
            context: self.context(),
            blocks: self.queue.iter().cloned().collect(),
        };
        self.forbidden = None;
        let mut worker = WorkerProcess::start(&self.session.launcher, &job)?;
        self.phase = Phase::Idle;
        let mut silence = Silence::of(worker.pid());
        let end = loop {
            match worker.hear(LOOK) {
                Heard::Event(Event::Finished { demoted, .. }) => {
                    if demoted {
                        self.note("real-time priority was dropped: a block overran its deadline");
                    }
                    break End::Finished;
                }
                Heard::Event(event) => {
                    self.take(event)?;
                    silence.broken();
                }
                Heard::Gone => break End::Died,
                Heard::Unreadable(cause) => break End::Unreadable(cause),
                Heard::Silence => {}
            }
            self.status.left_ns = self.left_ns();
            self.progress.update(&self.status);
            if self.stopped() {
                break End::Stopped;
            }
            if let Some(silent) = silence.longer_than(self.limit()) {
                break End::Silent(silent);
            }
        };
        self.after(end, worker)
    }

    /// Traces are kept of one repetition only: one is enough to see the sequence.
    fn context(&self) -> Context {
        let mut context = self.session.context.clone();
        context.traces = context.traces.filter(|_| self.status.process == 0);
        context
    }

    /// How long the process may be silent now.
    fn limit(&self) -> Duration {
        let patience = &self.session.patience;
        let ns = match self.phase {
            Phase::Idle => patience.idle_ns,
            Phase::SettingUp(index) => {
                let asked = find(&self.queue, index).map_or(0, |p| p.sampling.shape.lasts_ns());
                patience.setup_ns.saturating_add(asked)
            }
            Phase::Sampling => {
                let deadline_ns = self.queue.front().map_or(0, Block::deadline_ns);
                deadline_ns.saturating_add(patience.grace_ns)
            }
        };
        Duration::from_nanos(ns)
    }

    /// Takes one event in.
    pub fn take(&mut self, event: Event) -> Result<(), HarnessError> {
        match event {
            Event::Ready {
                scheduling,
                memory_locked,
                notes,
            } => {
                self.ending.scheduling = scheduling;
                self.ending.memory_locked = memory_locked;
                notes.iter().for_each(|note| self.note(note));
                self.phase = Phase::Idle;
            }
            Event::PointStarted { index } => {
                self.status.point = Some(index);
                self.phase = Phase::SettingUp(index);
            }
            Event::Sampling { .. } => self.phase = Phase::Sampling,
            Event::PointDone {
                index,
                state,
                samples,
                mut notes,
                traces,
                interrupts,
            } => {
                // Of several points the others are still being worked on.
                let others = self.queue.front().is_some_and(|b| b.points.len() > 1);
                if !(others && self.phase == Phase::Sampling) {
                    self.phase = Phase::Idle;
                }
                let state = with_samples(state, &samples);
                if let Some(planned) = remove(&mut self.queue, index) {
                    notes.extend(self.remarks.get(&index).cloned());
                    let done = PointHead {
                        traces,
                        interrupts: interrupts.map(Box::new),
                        ..head(&planned, state)
                    };
                    self.keep(&planned, done, &samples, &notes)?;
                    self.fruitless = 0;
                }
            }
            Event::Forbidden { call } => self.forbidden = Some(call),
            Event::Finished { .. } => self.phase = Phase::Idle,
        }
        Ok(())
    }

    /// Hands a point to the sink.
    pub fn keep(
        &mut self,
        planned: &PlannedPoint,
        head: PointHead,
        samples: &[Sample],
        notes: &[String],
    ) -> Result<(), HarnessError> {
        let mut head = head;
        let mut notes = notes.to_vec();
        self.spent.cut |= lacks_time(&head.state);
        if lacks_time(&head.state) && self.measured.contains(&planned.point.index) {
            // Other processes measured it: what they have stands.
            head.state = PointState::Done;
            notes.push(format!("no time for process {}", self.status.process + 1));
        }
        if let Some(met) = self.met.get(&planned.point.index)
            && self.status.process >= self.status.processes
        {
            notes.extend(met.note());
        }
        if self.session.again && head.state == PointState::Done && !samples.is_empty() {
            let met = self.met.entry(planned.point.index).or_default();
            met.processes += 1;
            if let Some(why) = self.sink.doubt(&head, samples) {
                met.doubted += 1;
                met.why = why;
            }
        }
        match head.state {
            PointState::Done => self.measured.insert(planned.point.index),
            _ => self.given_up.insert(planned.point.index),
        };
        if let Some(last) = samples.iter().map(|s| s.index).max() {
            self.next_index = self.next_index.max(last.saturating_add(1));
        }
        if head.state == PointState::Done {
            self.spent.done += 1;
            self.spent.sampled_ns += stats::whole(sampled_ns(planned, samples));
        }
        self.count();
        let kept = self.sink.point(self.status.process, &head, samples, &notes);
        kept.map_err(|source| HarnessError::Sink {
            what: format!("{} {}", head.experiment, head.label()),
            source,
        })?;
        self.progress.update(&self.status);
        Ok(())
    }

    /// A point of the experiment under way is done.
    pub(super) fn count(&mut self) {
        let status = &mut self.status;
        status.points_done = status.points_done.saturating_add(1);
        if let Some(samplings) = status.samplings.get_mut(status.at) {
            samplings.done = samplings.done.saturating_add(1);
        }
    }

    /// Until the limit of time, ns.
    fn left_ns(&self) -> Option<u64> {
        let left = self.schedule.left(self.began.elapsed())?;
        u64::try_from(left.as_nanos()).ok()
    }

    fn note(&mut self, note: &str) {
        if !self.ending.notes.iter().any(|n| n == note) {
            self.ending.notes.push(note.to_owned());
        }
    }
}

/// Why listening to a process ended.
#[derive(Debug)]
pub enum End {
    Finished,
    /// We were asked to stop.
    Stopped,
    /// Its pipe closed.
    Died,
    /// What it sent cannot be read: why.
    Unreadable(UnreadableEvent),
    /// Silent for too long.
    Silent(TooLong),
}

/// Time of the point's batches, ns. Of a recording none: its samples overlap, and it takes
/// its own time in set-up.
fn sampled_ns(planned: &PlannedPoint, samples: &[Sample]) -> f64 {
    if planned.sampling.shape.lasts_ns() > 0 {
        return 0.0;
    }
    let timed = samples.iter().filter(|s| s.metric < planned.parts.max(1));
    timed.map(|s| s.elapsed_ns).sum()
}

/// A point that is done has samples.
fn with_samples(state: PointState, samples: &[Sample]) -> PointState {
    match state {
        PointState::Done if samples.is_empty() => PointState::Failed {
            reason: "no sample of it arrived".to_owned(),
        },
        state => state,
    }
}

/// The head of a planned point.
pub fn head(planned: &PlannedPoint, state: PointState) -> PointHead {
    PointHead {
        index: planned.point.index,
        experiment: planned.point.experiment.clone(),
        settings: planned.point.settings.clone(),
        bytes_per_op: planned.bytes_per_op,
        state,
        notes: Vec::new(),
        traces: Vec::new(),
        interrupts: None,
    }
}
