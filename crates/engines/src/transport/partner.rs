//! The task on the other side: a thread of this process or a process.

use super::control::ControlBlock;
use super::end::End;
use super::fds::pause;
use super::serve::{Plan, serve};
use crate::crew::body::{Body, Farewell, Host};
use crate::crew::child::{Departure, not_started};
use harness::SetupError;
use harness::affinity::bindable;
use std::sync::Arc;

/// How often, and how many milliseconds, a fault waits for a dying process.
const LAST_BREATHS: u32 = 200;
const BREATH_MS: i32 = 1;

/// A running partner. It leaves when its end says that the other has gone, or
/// when the control block asks; a process is killed if it must be.
pub struct Partner {
    control: Arc<ControlBlock>,
    body: Body,
}

impl Partner {
    /// Starts the partner with `end` and waits until it is ready.
    ///
    /// # Errors
    /// `Skip` where this user may not have more of them; `Fail` when none can be
    /// had otherwise, or it leaves at once.
    pub fn start<E: End>(
        host: Host,
        plan: Plan,
        end: E,
        control: Arc<ControlBlock>,
    ) -> Result<Partner, SetupError> {
        let doing = "start the partner of an exchange";
        bindable(plan.cpu)?;
        let (its, fds, mut end) = (Arc::clone(&control), end.fds(), end);
        let body = Body::start(host, "partner", plan.cpu, &fds, move |bound| {
            let _gone = Farewell(|| its.say_gone());
            // An error is seen by the other side as an end that has closed.
            match bound.and_then(|()| serve(plan, &mut end, &its)) {
                Ok(()) => Departure::NeighbourGone,
                Err(_) => Departure::PipeFailed,
            }
        })
        .map_err(|e| not_started(doing, &e))?;
        if let Some(process) = body.process_id() {
            control.watch(process);
        }
        let mut partner = Partner { control, body };
        partner
            .control
            .await_ready()
            .map_err(|cause| SetupError::fail(doing, partner.why(&cause.to_string())))?;
        Ok(partner)
    }

    /// `cause`, and how a process left. A process that dies closes its ends
    /// some time before it can be asked how it died.
    pub fn why(&mut self, cause: &str) -> String {
        for _ in 0..LAST_BREATHS {
            if let Some(how) = self.body.departure() {
                self.control.say_gone();
                return format!("{cause} ({how})");
            }
            if self.process().is_none() {
                break;
            }
            pause(BREATH_MS);
        }
        cause.to_owned()
    }

    /// The process of the other side; None where it is a thread.
    pub fn process(&self) -> Option<libc::pid_t> {
        self.body.process_id()
    }

    /// Notices that a process has died, which cannot say so itself.
    pub fn look(&mut self) {
        if self.body.departure().is_some() {
            self.control.say_gone();
        }
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        // Before the body's drop waits for a thread.
        self.control.leave.set(true);
    }
}
