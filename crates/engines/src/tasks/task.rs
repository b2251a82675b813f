//! One task: a process of its own (or, where that is the question, a thread of
//! ours), bound to a CPU, that builds its program there and then does as its mailbox
//! says.

use super::kinds::{Program, WorkKind};
use super::mailbox::{Ask, Asked, Mailbox};
use super::occupancy::Watched;
use crate::crew::body::{Body, Host};
use crate::crew::child::{Departure, not_started};
use crate::crew::waiting::{Missed, asleep, spin};
use crate::scheduler::policy::Policy;
use harness::long_wait::LongWait;
use harness::name::be_called;
use harness::windows::{Window, pass};
use harness::{Context, Fault, SetupError};
use std::sync::Arc;
use std::time::Duration;

/// A task that has not answered for so long is taken for lost. Commands have a
/// deadline of their own, which is added.
const PATIENCE: Duration = Duration::from_secs(20);

/// Looks for an answer before this side goes to sleep all the same: seconds.
const SPINS: u32 = 200_000_000;

/// Where and how a task runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    /// Distinguishes seats on one CPU.
    pub number: u32,
    pub cpu: u32,
    pub host: Host,
    /// Whether others have the same CPU: then the task is of the ordinary class,
    /// under which equals take turns.
    pub shared: bool,
}

/// A task that is ready. Dropping it ends it.
#[derive(Debug)]
pub struct Task {
    mailbox: Arc<Mailbox>,
    pub kind: WorkKind,
    pub seat: Seat,
    /// What it said of itself when its program was built.
    pub said: Option<Result<String, SetupError>>,
    /// What it fills, where occupancy is counted.
    pub watched: Watched,
    body: Body,
}

impl Task {
    /// Starts it; its program is built while this goes on: [`Task::ready`] waits
    /// for it.
    ///
    /// # Errors
    /// `Skip` where no process can be had.
    pub fn start(kind: &WorkKind, seat: Seat, context: &Context) -> Result<Task, SetupError> {
        harness::affinity::bindable(seat.cpu)?;
        let mailbox = Mailbox::map().map_err(|e| SetupError::fail("map a board", e))?;
        let mailbox = Arc::new(mailbox);
        let (its, made, surroundings) = (Arc::clone(&mailbox), kind.clone(), context.clone());
        let life = move |bound: std::io::Result<()>| match bound {
            Ok(()) => live(&made, seat, &surroundings, &its),
            Err(cause) => refuse(&its, &format!("cannot be pinned to its CPU: {cause}")),
        };
        let body = Body::start(seat.host, kind.name, seat.cpu, &[], life)
            .map_err(|e| not_started("start a task", &e))?;
        let task = Task {
            mailbox,
            kind: kind.clone(),
            seat,
            said: None,
            watched: Watched::default(),
            body,
        };
        task.mailbox.ask(Ask::Rest, 0);
        Ok(task)
    }

    /// Waits until its program is built; what it says of it, empty or a note.
    ///
    /// # Errors
    /// `Skip` where the machine lacks what the program needs.
    pub fn ready(&mut self) -> Result<String, SetupError> {
        if let Some(said) = &self.said {
            return said.clone();
        }
        let said = self.answered().map_err(SetupError::from);
        let said = said.and_then(|()| self.built());
        self.said = Some(said.clone());
        said
    }

    fn built(&self) -> Result<String, SetupError> {
        let text = self.mailbox.text();
        match text.split_once('\n') {
            None => Ok(text),
            Some((SKIP, rest)) => {
                let (reason, remedy) = rest.split_once('\n').unwrap_or((rest, ""));
                Err(SetupError::skip(reason, remedy))
            }
            Some((_, why)) => Err(SetupError::fail(&format!("start {}", self.kind.name), why)),
        }
    }

    /// Puts it into a monitoring group of its own, where there are such.
    pub fn watch(&mut self) {
        self.watched = Watched::process(self.thread());
    }

    /// Has it work for a window, while this thread sleeps.
    ///
    /// # Errors
    /// The task is gone or does not answer.
    pub fn window(&mut self, window_ns: u64) -> Result<Window, Fault> {
        self.have(Ask::Window, window_ns)?;
        Ok(self.mailbox.window())
    }

    /// Has it do one unit while this thread, on another CPU, stays awake: a CPU that
    /// rests may lose what is in its caches.
    ///
    /// # Errors
    /// The task is gone or does not answer.
    pub fn unit_awake(&mut self) -> Result<(), Fault> {
        self.mailbox.ask(Ask::Window, 0);
        match spin(SPINS, || self.mailbox.has_answer()) {
            true => Ok(()),
            false => self.answered(),
        }
    }

    /// Has it work until [`Task::rest`]; returns when it does.
    ///
    /// # Errors
    /// The task is gone or does not answer.
    pub fn accompany(&mut self) -> Result<(), Fault> {
        self.have(Ask::Accompany, 0)
    }

    /// Has it sleep; returns when it does.
    ///
    /// # Errors
    /// The task is gone or does not answer.
    pub fn rest(&mut self) -> Result<(), Fault> {
        self.have(Ask::Rest, 0)
    }

    /// Units that it has done since it began to accompany; 0 of a command.
    pub fn units(&self) -> u64 {
        self.mailbox.units()
    }

    /// # Errors
    /// What was wrong with a result, or that the task is gone.
    pub fn verify(&mut self) -> Result<(), Fault> {
        self.have(Ask::Verify, 0)?;
        match self.mailbox.text() {
            fine if fine.is_empty() => Ok(()),
            why => Err(Fault::wrong(format!("{}: {why}", self.kind.name))),
        }
    }

    /// Its number, gettid(2), where it is a process.
    pub fn thread(&self) -> Option<u32> {
        self.body.process_id().and_then(|id| u32::try_from(id).ok())
    }

    /// The thread that does its work, for counters. None of a command, whose processes come
    /// and go, and of a thread of ours.
    pub fn counted(&self) -> Option<u32> {
        self.thread().filter(|_| !self.kind.is_command())
    }

    fn have(&mut self, what: Ask, window_ns: u64) -> Result<(), Fault> {
        self.mailbox.ask(what, window_ns);
        self.answered()
    }

    fn answered(&mut self) -> Result<(), Fault> {
        // Every look is a rest.
        let there = || self.mailbox.is_answered();
        let patience = PATIENCE + self.kind.deadline;
        let task = self.thread();
        let ended = asleep(
            LongWait::new(patience, task),
            there,
            || self.body.departure(),
            || (),
        );
        ended.map_err(|missed| {
            let who = self.kind.name.to_owned();
            let seconds = patience.as_secs();
            match missed {
                Missed::Lost(how) => Fault::Gone { who, how },
                Missed::Late => Fault::Silent { who, seconds },
            }
        })
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        // A process is killed by its body's drop; a thread leaves after its unit.
        self.mailbox.ask(Ask::Leave, 0);
    }
}

/// First line of what a task says that could not be built.
const SKIP: &str = "skip";
const FAIL: &str = "fail";

fn refuse(mailbox: &Mailbox, why: &str) -> Departure {
    mailbox.leave_text(&format!("{FAIL}\n{why}"));
    mailbox.answer(&mailbox.next(0));
    Departure::Done
}

/// The whole life of a task. Allocates while it builds its program, as the C
/// library lets a forked child do.
fn live(kind: &WorkKind, seat: Seat, context: &Context, mailbox: &Mailbox) -> Departure {
    be_called(&kind.comm());
    let ordinary = Policy::Other { nice: 0 };
    if (seat.shared || kind.is_command())
        && let Err(cause) = ordinary.take()
    {
        return refuse(
            mailbox,
            &format!("cannot leave its scheduling policy: {cause}"),
        );
    }
    let mut built = match kind.build(context) {
        Ok(built) => built,
        Err(SetupError::Skip { reason, remedy }) => {
            mailbox.leave_text(&format!("{SKIP}\n{reason}\n{remedy}"));
            mailbox.answer(&mailbox.next(0));
            return Departure::Done;
        }
        Err(SetupError::Fail(why)) => return refuse(mailbox, &why),
    };
    let to_warm = built.units_to_warm;
    // Pages are touched and branches learned before the measurement.
    if let Program::Steps(program) = &mut built.program {
        program.run(1);
    }
    mailbox.leave_text(&built.note);
    obey(&mut built.program, to_warm, mailbox);
    Departure::Done
}

fn obey(program: &mut Program, to_warm: u64, mailbox: &Mailbox) {
    let mut last = 0;
    loop {
        let asked = mailbox.next(last);
        last = asked.word;
        match asked.what {
            Ask::Rest => {}
            Ask::Window => {
                mailbox.leave_window(window(program, to_warm, asked.window_ns));
            }
            Ask::Accompany => {
                accompany(program, mailbox, &asked);
                continue;
            }
            Ask::Verify => {
                let verified = match program {
                    Program::Steps(steps) => steps.verify().map_err(|w| w.to_string()),
                    Program::Command(command) => command.verify().map_err(|f| f.to_string()),
                };
                mailbox.leave_text(verified.err().as_deref().unwrap_or(""));
            }
            Ask::Leave => {
                mailbox.answer(&asked);
                return;
            }
        }
        mailbox.answer(&asked);
    }
}

/// A window that starts with warm caches, whatever neighbour the last one had: 4 MiB take longer
/// to come back from memory than a window of 3 ms lasts.
fn window(program: &mut Program, to_warm: u64, window_ns: u64) -> Window {
    match program {
        Program::Steps(steps) if window_ns > 0 => {
            steps.run(to_warm);
            let window = pass(window_ns, || steps.run(1));
            Window {
                units_before: to_warm,
                ..window
            }
        }
        Program::Steps(steps) => pass(window_ns, || steps.run(1)),
        Program::Command(command) => pass(window_ns, || command.run()),
    }
}

fn accompany(program: &mut Program, mailbox: &Mailbox, asked: &Asked) {
    match program {
        Program::Command(command) => command.accompany(mailbox, asked),
        Program::Steps(steps) => {
            steps.run(1);
            let mut units = 1;
            mailbox.leave_units(units);
            mailbox.answer(asked);
            while mailbox.holds(asked) {
                steps.run(1);
                units += 1;
                mailbox.leave_units(units);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Host, Seat, Task, window};
    use crate::tasks::kinds::find;
    use testbed::{context, exists};

    fn seat(cpu: u32, host: Host) -> Seat {
        Seat {
            number: 0,
            cpu,
            host,
            shared: true,
        }
    }

    #[test]
    fn a_task_works_for_a_window_and_is_gone_with_its_owner() {
        let (context, _keep) = context();
        let kind = find("alu").unwrap();
        for host in [Host::Process, Host::Thread] {
            let mut task = Task::start(&kind, seat(context.test_cpu, host), &context).unwrap();
            assert!(task.ready().unwrap().starts_with("alu"));
            let window = task.window(2_000_000).unwrap();
            assert!(window.units > 0 && window.elapsed_ns >= 2_000_000);
            assert_eq!(window.units_before, 1);
            task.accompany().unwrap();
            task.rest().unwrap();
            task.verify().unwrap();
            let process = task.body.process_id();
            assert_eq!(process.is_some(), host == Host::Process);
            assert_eq!(task.counted(), task.thread(), "its work is its own");
            drop(task);
            assert!(!process.is_some_and(exists));
        }
    }

    #[test]
    fn a_window_begins_with_its_set_in_the_caches() {
        let (context, _keep) = context();
        for (word, laps) in [("chase_llc_half", 1), ("chase_memory", 0)] {
            let built = find(word).unwrap().build(&context).unwrap();
            let lap = built.units_per_run;
            assert!(lap > 1, "{word}");
            assert_eq!(built.units_to_warm, (laps * lap).max(1), "{word}");
            let mut program = built.program;
            let mut of = |window_ns| window(&mut program, built.units_to_warm, window_ns);
            let timed = of(1);
            assert_eq!((timed.units_before, timed.units), ((laps * lap).max(1), 1));
            let one = of(0);
            assert_eq!(
                (one.units_before, one.units),
                (0, 1),
                "one unit and no more"
            );
        }
    }

    #[test]
    fn the_processes_of_a_command_are_not_counted() {
        let (context, _keep) = context();
        let kind = crate::tasks::kinds::found("cmd:true").unwrap();
        let seat = seat(context.test_cpu, Host::Process);
        let mut task = Task::start(&kind, seat, &context).unwrap();
        task.ready().unwrap();
        assert!(task.thread().is_some());
        assert_eq!(task.counted(), None);
    }

    #[test]
    fn a_task_that_was_killed_is_named() {
        let (context, _keep) = context();
        let kind = find("alu").unwrap();
        let seat = seat(context.test_cpu, Host::Process);
        let mut task = Task::start(&kind, seat, &context).unwrap();
        task.ready().unwrap();
        let process = task.body.process_id().expect("it is a process");
        // SAFETY: our own child, not reaped before its task is dropped.
        unsafe { libc::kill(process, libc::SIGKILL) };
        let why = task.window(1_000_000).unwrap_err().to_string();
        assert!(
            why.starts_with("alu is gone: ") && why.contains("signal 9"),
            "{why}"
        );
    }
}
