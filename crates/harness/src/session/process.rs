//! One measuring process as the coordinator holds it.

use super::cause::Before;
use crate::children::{signal_group, tie_to_us};
use crate::error::HarnessError;
use crate::worker::{Event, Job, WORKER_ARGUMENT};
use machine::task::OWN_PROGRAM;
use record::{FrameError, FrameReader, write_frame};
use std::ffi::OsString;
use std::io::{BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How to start a measuring process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

impl Launcher {
    /// This very executable with the hidden argument. Through /proc, so that
    /// a rebuild during a run does not change what runs.
    pub fn this_executable() -> Self {
        let exe = PathBuf::from(OWN_PROGRAM);
        let program = if exe.exists() {
            exe
        } else {
            std::env::current_exe().unwrap_or(exe)
        };
        Launcher {
            program,
            arguments: vec![WORKER_ARGUMENT.into()],
        }
    }
}

/// How long the last events of a process that has ended may take to arrive. Only a child of the
/// subject that outlives it makes this wait last; on a busy machine they come late.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What the coordinator hears.
#[derive(Debug)]
pub enum Heard {
    Event(Event),
    /// Nothing for now.
    Silence,
    /// Its pipe is closed: it ended, or is to be ended.
    Gone,
    /// What it sent cannot be read, and why: it is to be ended.
    Unreadable(UnreadableEvent),
}

impl Heard {
    fn of(received: Result<Result<Event, UnreadableEvent>, RecvTimeoutError>) -> Heard {
        match received {
            Ok(Ok(event)) => Heard::Event(event),
            Ok(Err(cause)) => Heard::Unreadable(cause),
            Err(_) => Heard::Gone,
        }
    }
}

/// Why what a measuring process sent is no event.
#[derive(Debug, thiserror::Error)]
pub enum UnreadableEvent {
    #[error("{0}")]
    Frame(#[from] FrameError),
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

/// A measuring process that runs, with the pipes to it. Ended on drop.
pub struct WorkerProcess {
    before: Before,
    child: Child,
    /// Dropping it asks the process to stop.
    input: Option<ChildStdin>,
    events: Receiver<Result<Event, UnreadableEvent>>,
}

impl WorkerProcess {
    /// Starts a process and hands it its job.
    pub fn start(launcher: &Launcher, job: &Job) -> Result<Self, HarnessError> {
        let mut command = Command::new(&launcher.program);
        command
            .args(&launcher.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        tie_to_us(&mut command, libc::SIGKILL);
        let before = Before::now();
        let mut child = command.spawn().map_err(|source| HarnessError::Spawn {
            program: launcher.program.clone(),
            source,
        })?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (sender, events) = channel();
        let mut process = WorkerProcess {
            before,
            child,
            input,
            events,
        };
        if let Some(output) = output {
            // Ends with the pipe; nobody waits for it.
            std::thread::Builder::new()
                .spawn(move || forward(output, &sender))
                .map_err(|source| HarnessError::Listen { source })?;
        }
        process.send_job(job)?;
        Ok(process)
    }

    /// A process that dies before it has read its job closes the pipe: that is
    /// heard as its end, with its exit status, and is no error here.
    fn send_job(&mut self, job: &Job) -> Result<(), HarnessError> {
        let payload =
            serde_json::to_vec(job).map_err(|e| HarnessError::SendJob { source: e.into() })?;
        if let Some(input) = &mut self.input {
            match write_frame(input, &payload).and_then(|()| input.flush()) {
                Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
                    return Err(HarnessError::SendJob { source: e });
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Its number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the next event.
    pub fn hear(&mut self, patience: Duration) -> Heard {
        match self.events.recv_timeout(patience) {
            // A child of the subject may hold the pipe open after the process
            // itself has died.
            Err(RecvTimeoutError::Timeout) => match self.child.try_wait() {
                Ok(None) => Heard::Silence,
                // What it sent just before it ended may still be on its way through the
                // forwarding thread: that ends with the pipe, at once unless a child of
                // the subject holds the pipe open.
                _ => Heard::of(self.events.recv_timeout(LAST_WORDS)),
            },
            received => Heard::of(received),
        }
    }

    /// Asks it to end after the current batch.
    pub fn ask_to_stop(&mut self) {
        self.input = None;
    }

    /// Ends it and everything it started, at the latest after `patience`. How it
    /// ended by itself; None: it had to be ended.
    pub fn end(mut self, patience: Duration) -> Option<ExitStatus> {
        self.ended(patience)
    }

    /// As `end`: how it ended, as text. `call`: the system call that a seccomp filter forbade.
    pub fn end_with_cause(mut self, patience: Duration, call: Option<i64>) -> String {
        match self.ended(patience) {
            Some(status) => self.before.cause(status, call),
            None => "closed its pipe, did not exit and was killed".to_owned(),
        }
    }

    fn ended(&mut self, patience: Duration) -> Option<ExitStatus> {
        self.input = None;
        let limit = Instant::now() + patience;
        let mut status = self.child.try_wait().ok().flatten();
        while status.is_none() && Instant::now() < limit {
            std::thread::sleep(Duration::from_millis(2));
            status = self.child.try_wait().ok().flatten();
        }
        // The process may be gone and its children not.
        signal_group(self.child.id(), libc::SIGKILL);
        if status.is_none() {
            // Reaps it.
            let _ = self.child.wait();
        }
        status
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        signal_group(self.child.id(), libc::SIGKILL);
        // Reaps; a process that was reaped before gives an error to ignore.
        let _ = self.child.wait();
    }
}

/// Passes events on until the stream ends, is damaged or nobody listens.
fn forward(output: ChildStdout, sender: &Sender<Result<Event, UnreadableEvent>>) {
    let mut frames = FrameReader::new(BufReader::new(output));
    loop {
        let event = match frames.next() {
            Ok(None) => return,
            Ok(Some(payload)) => serde_json::from_slice(&payload).map_err(UnreadableEvent::Json),
            Err(e) => Err(UnreadableEvent::Frame(e)),
        };
        let last = event.is_err();
        if sender.send(event).is_err() || last {
            return;
        }
    }
}
