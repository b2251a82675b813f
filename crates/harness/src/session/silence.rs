//! How long a measuring process has been silent, in time that it could use.
//!
//! A machine that is busy, or that its hypervisor leaves standing, makes every process slow:
//! that is no reason to kill one. So silence counts the time for which the process ran; one
//! that waits for something counts every second.

use probe::process_state::ProcessState;
use std::path::Path;
use std::time::{Duration, Instant};

/// Nobody waits longer than so many limits, whatever the process is given.
const MOST: u32 = 20;

/// Since the last word of a process.
pub struct Silence {
    state: Box<dyn Fn() -> Option<ProcessState>>,
    since: Instant,
    ran_before: Duration,
}

impl Silence {
    /// Of process `pid`, from now on.
    pub fn of(pid: u32) -> Silence {
        Silence::by(Box::new(move || ProcessState::of(Path::new("/"), pid)))
    }

    fn by(state: Box<dyn Fn() -> Option<ProcessState>>) -> Silence {
        let mut silence = Silence {
            state,
            since: Instant::now(),
            ran_before: Duration::ZERO,
        };
        silence.broken();
        silence
    }

    /// The process said something.
    pub fn broken(&mut self) {
        self.since = Instant::now();
        self.ran_before = (self.state)().map_or(Duration::ZERO, |state| state.ran);
    }

    /// Whether it has lasted longer than `limit`; how long by the clock.
    pub fn longer_than(&self, limit: Duration) -> Option<Duration> {
        let passed = self.since.elapsed();
        if passed <= limit {
            return None;
        }
        let starved = (self.state)().is_some_and(|state| {
            state.runnable && state.ran.saturating_sub(self.ran_before) <= limit
        });
        (!starved || passed > limit.saturating_mul(MOST)).then_some(passed)
    }
}

#[cfg(test)]
mod tests {
    use super::{ProcessState, Silence};
    use std::time::Duration;

    const RAN: Duration = Duration::from_millis(30);

    fn said(runnable: bool, ran_before: Duration) -> bool {
        let state = ProcessState { runnable, ran: RAN };
        let mut silence = Silence::by(Box::new(move || Some(state)));
        silence.ran_before = ran_before;
        std::thread::sleep(Duration::from_millis(12));
        silence.longer_than(Duration::from_millis(10)).is_some()
    }

    #[test]
    fn who_was_given_no_time_is_waited_for_and_who_used_it_or_sleeps_is_not() {
        assert!(!said(true, RAN), "it did not run since");
        assert!(said(true, Duration::ZERO), "it ran longer than the limit");
        assert!(said(false, RAN), "it waits for something");
    }

    #[test]
    fn a_process_that_is_gone_is_silent_by_the_clock() {
        let silence = Silence::by(Box::new(|| None));
        std::thread::sleep(Duration::from_millis(2));
        assert!(silence.longer_than(Duration::from_millis(1)).is_some());
        assert!(silence.longer_than(Duration::from_secs(60)).is_none());
    }
}
