//! How long a measuring process has been silent, in time that it could use.
//!
//! A machine that is busy, or that its hypervisor leaves standing, makes every process slow:
//! that is no reason to kill one. So silence counts the time for which the process ran, with all
//! that it started: it may sleep while a task of its does the work. One in which nothing moves
//! any more hangs; one that worked for all of its time, or was kept from it for too long, is slow.

use probe::process_state::ProcessState;
use std::path::Path;
use std::time::{Duration, Instant};

/// Nobody waits longer than so many limits, whatever the process is given.
const MOST: u32 = 20;

/// Since the last word of a process.
pub struct Silence {
    state: Box<dyn Fn() -> Option<ProcessState>>,
    /// The same with all that the process started.
    family: Box<dyn Fn() -> Option<ProcessState>>,
    since: Instant,
    ran_before: Duration,
    /// What the family had run when it was looked at last, beyond the limit.
    looked: Option<Duration>,
}

/// A silence that is not waited out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLong {
    /// By the clock.
    pub lasted: Duration,
    /// It was at work to the end: no fault but slowness is known of it.
    pub slow: bool,
}

impl Silence {
    /// Of process `pid`, from now on.
    pub fn of(pid: u32) -> Silence {
        let root = Path::new("/");
        Silence::by(
            Box::new(move || ProcessState::of(root, pid)),
            Box::new(move || ProcessState::of_family(root, pid)),
        )
    }

    fn by(
        state: Box<dyn Fn() -> Option<ProcessState>>,
        family: Box<dyn Fn() -> Option<ProcessState>>,
    ) -> Silence {
        let mut silence = Silence {
            state,
            family,
            since: Instant::now(),
            ran_before: Duration::ZERO,
            looked: None,
        };
        silence.broken();
        silence
    }

    /// The process said something.
    pub fn broken(&mut self) {
        self.since = Instant::now();
        self.looked = None;
        // Of the process alone: this happens while it measures, and must cost little.
        self.ran_before = (self.state)().map_or(Duration::ZERO, |state| state.ran);
    }

    /// Whether it has lasted longer than `limit`. Asked again and again: beyond the limit two
    /// looks say whether anything moves.
    pub fn longer_than(&mut self, limit: Duration) -> Option<TooLong> {
        let lasted = self.since.elapsed();
        if lasted <= limit {
            return None;
        }
        let too_long = |slow| Some(TooLong { lasted, slow });
        let Some(state) = (self.family)() else {
            return too_long(false);
        };
        let before = self.looked.replace(state.ran)?;
        if !state.runnable && state.ran <= before {
            return too_long(false);
        }
        let over = state.ran.saturating_sub(self.ran_before) > limit;
        (over || lasted > limit.saturating_mul(MOST)).then_some(TooLong { lasted, slow: true })
    }
}

#[cfg(test)]
mod tests {
    use super::{ProcessState, Silence, TooLong};
    use std::cell::Cell;
    use std::rc::Rc;
    use std::time::Duration;

    const LIMIT: Duration = Duration::from_millis(10);

    /// Looks twice beyond the limit; before each look the family runs for so long.
    fn looked_at(runnable: bool, ran: [u64; 2]) -> Option<TooLong> {
        let sum = Rc::new(Cell::new(Duration::ZERO));
        let seen = Rc::clone(&sum);
        let state = move || {
            Some(ProcessState {
                runnable,
                ran: seen.get(),
            })
        };
        let mut silence = Silence::by(Box::new(|| None), Box::new(state));
        std::thread::sleep(LIMIT + LIMIT / 5);
        let mut looks = ran.map(|ms| {
            sum.set(sum.get() + Duration::from_millis(ms));
            silence.longer_than(LIMIT)
        });
        assert_eq!(looks[0], None, "one look says nothing");
        looks[1].take()
    }

    #[test]
    fn who_was_given_no_time_is_waited_for() {
        assert_eq!(looked_at(true, [0, 0]), None, "it waits for a CPU");
        assert_eq!(
            looked_at(false, [0, 3]),
            None,
            "it sleeps just now and did not before"
        );
    }

    #[test]
    fn who_works_beyond_the_limit_is_slow_and_who_sleeps_hangs() {
        let slow = looked_at(true, [6, 6]).expect("it ran longer than the limit");
        assert!(slow.slow && slow.lasted > LIMIT);
        assert!(looked_at(false, [6, 6]).expect("the same").slow);
        assert!(!looked_at(false, [6, 0]).expect("nothing moves").slow);
    }

    #[test]
    fn a_word_begins_the_silence_anew() {
        let state = || {
            Some(ProcessState {
                runnable: false,
                ran: LIMIT,
            })
        };
        let mut silence = Silence::by(Box::new(state), Box::new(state));
        std::thread::sleep(LIMIT * 2);
        assert_eq!(silence.longer_than(LIMIT), None);
        silence.broken();
        assert_eq!(silence.longer_than(LIMIT), None);
        std::thread::sleep(LIMIT * 2);
        assert_eq!(
            silence.longer_than(LIMIT),
            None,
            "it has to be looked at twice again"
        );
        assert!(silence.longer_than(LIMIT).is_some());
    }

    #[test]
    fn a_process_that_is_gone_is_silent_by_the_clock() {
        let mut silence = Silence::by(Box::new(|| None), Box::new(|| None));
        std::thread::sleep(Duration::from_millis(2));
        let limit = Duration::from_millis(1);
        assert!(silence.longer_than(limit).is_some_and(|s| !s.slow));
        assert_eq!(silence.longer_than(Duration::from_secs(60)), None);
    }
}
