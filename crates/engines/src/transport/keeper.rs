//! A thread that sleeps until the other side has gone, then raises an alarm:
//! for calls that block without a limit, so that they need not be preceded by
//! looks that would be measured with them.

use super::tether::Tether;
use crate::crew::body::Body;
use crate::crew::child::not_started;
use crate::crew::poll;
use harness::SetupError;
use std::os::fd::{AsRawFd, OwnedFd};

/// Dropping it ends the thread without an alarm.
#[derive(Debug)]
pub struct Keeper {
    /// Closed first: the thread sees it and leaves.
    _stop: Tether,
    _thread: Body,
}

impl Keeper {
    /// Calls `alarm` once the other end of `tether` has closed.
    ///
    /// # Errors
    /// `Fail` where no thread or descriptor can be had.
    pub fn watch(
        tether: &Tether,
        alarm: impl FnOnce() + Send + 'static,
    ) -> Result<Keeper, SetupError> {
        let doing = "start the watch over a partner";
        let watched = tether.again().map_err(|e| SetupError::fail(doing, e))?;
        let (stop, stopped) = Tether::pair()?;
        let thread = Body::thread("keeper", move || {
            if sleep_until_one_breaks(&watched, &stopped) {
                alarm();
            }
        });
        Ok(Keeper {
            _stop: stop,
            _thread: thread.map_err(|e| not_started(doing, &e))?,
        })
    }
}

/// True: it was `watched`, and no stop was requested.
fn sleep_until_one_breaks(watched: &OwnedFd, stopped: &Tether) -> bool {
    let mut both = [watched.as_raw_fd(), stopped.fd()].map(|fd| poll::of(fd, 0));
    loop {
        poll::poll(&mut both, -1);
        if both[1].revents != 0 {
            return false;
        }
        if both[0].revents != 0 {
            return true;
        }
    }
}
