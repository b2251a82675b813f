//! The task on the other side: a thread of this process or a process.

use super::board::Board;
use super::end::End;
use super::fds::pause;
use super::serve::{Role, Station};
use crate::crew::child::{Child, Departure, not_started};
use harness::SetupError;
use harness::affinity::bindable;
use std::sync::Arc;
use std::thread::JoinHandle;

/// Which task the partner is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Thread,
    Process,
}

/// What the partner shall do, and where.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub kind: Kind,
    pub cpu: u32,
    pub message_bytes: usize,
    pub role: Role,
    pub polling: bool,
}

/// How often, and how many milliseconds, a fault waits for a dying process.
const LAST_BREATHS: u32 = 200;
const BREATH_MS: i32 = 1;

/// A running partner. It leaves when its end says that the other has gone, or
/// when the board asks; a process is killed if it must be.
pub struct Partner {
    board: Arc<Board>,
    thread: Option<JoinHandle<()>>,
    process: Option<Child>,
}

impl Partner {
    /// Starts the partner with `end` and waits until it is ready.
    ///
    /// # Errors
    /// `Skip` where this user may not have more of them; `Fail` when none can be
    /// had otherwise, or it leaves at once.
    pub fn start<E: End>(plan: Plan, end: E, board: Arc<Board>) -> Result<Partner, SetupError> {
        let doing = "start the partner of an exchange";
        bindable(plan.cpu)?;
        let mut partner = Partner {
            board: Arc::clone(&board),
            thread: None,
            process: None,
        };
        match plan.kind {
            Kind::Thread => {
                let thread = std::thread::Builder::new()
                    .name("partner".to_owned())
                    .spawn(move || in_thread(plan, end, &board))
                    .map_err(|e| not_started(doing, &e))?;
                partner.thread = Some(thread);
            }
            Kind::Process => {
                let mut end = end;
                let fds = end.fds();
                let child = Child::fork(plan.cpu, &fds, || in_process(plan, &mut end, &board))
                    .map_err(|e| not_started(doing, &e))?;
                board.watch(child.id());
                partner.process = Some(child);
                // The child has its own copy; only its death may close it.
                drop(end);
            }
        }
        partner
            .board
            .await_ready()
            .map_err(|cause| SetupError::fail(doing, partner.why(&cause)))?;
        Ok(partner)
    }

    /// `cause`, and how a process left. A process that dies closes its ends
    /// some time before it can be asked how it died.
    pub fn why(&mut self, cause: &str) -> String {
        for _ in 0..LAST_BREATHS {
            if let Some(how) = self.process.as_mut().and_then(Child::departure) {
                self.board.say_gone();
                return format!("{cause} ({how})");
            }
            if self.process.is_none() {
                break;
            }
            pause(BREATH_MS);
        }
        cause.to_owned()
    }

    /// The process of the other side; None where it is a thread.
    #[must_use]
    pub fn process(&self) -> Option<libc::pid_t> {
        self.process.as_ref().map(Child::id)
    }

    /// Notices that a process has died, which cannot say so itself.
    pub fn look(&mut self) {
        if self.process.as_mut().and_then(Child::departure).is_some() {
            self.board.say_gone();
        }
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        self.board.leave();
        if let Some(child) = &self.process {
            child.kill();
        }
        if let Some(thread) = self.thread.take() {
            // A panic has already been told by the hook.
            let _ = thread.join();
        }
    }
}

/// Says that the partner has gone, however it goes.
struct SayGone<'a>(&'a Board);

impl Drop for SayGone<'_> {
    fn drop(&mut self) {
        self.0.say_gone();
    }
}

fn in_thread<E: End>(plan: Plan, mut end: E, board: &Board) {
    let _gone = SayGone(board);
    if harness::affinity::pin(&[plan.cpu]).is_ok() {
        // An error here is seen by the other side as an end that has closed.
        let _ = station(plan, &mut end, board).serve();
    }
}

fn in_process<E: End>(plan: Plan, end: &mut E, board: &Board) -> Departure {
    let _gone = SayGone(board);
    match station(plan, end, board).serve() {
        Ok(()) => Departure::NeighbourGone,
        Err(_) => Departure::PipeFailed,
    }
}

fn station<'a, E: End>(plan: Plan, end: &'a mut E, board: &'a Board) -> Station<'a, E> {
    Station {
        end,
        board,
        message_bytes: plan.message_bytes,
        role: plan.role,
        polling: plan.polling,
    }
}
