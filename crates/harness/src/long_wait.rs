//! How long another task is waited for: as long as it works or waits for a CPU, to a limit; and
//! not much longer than a first time where it sleeps. A machine that is busy makes it slow, and
//! that is no reason to give it up.

use crate::deadline::Deadline;
use probe::process_state::ProcessState;
use std::path::Path;
use std::time::Duration;

/// Times that one who works is waited for.
const MOST: u32 = 6;
/// Part of such a time after which one who sleeps is looked at once more.
const SECOND_LOOK: u32 = 10;

/// A wait for a task.
pub struct LongWait {
    each: Duration,
    deadline: Deadline,
    state: Box<dyn Fn() -> Option<ProcessState>>,
    /// What it had run at the last look.
    ran: Option<Duration>,
    left: u32,
}

impl LongWait {
    /// For `each` time, from now on; `task`: its number, where it is known. Nothing is read
    /// before the first time is over.
    pub fn new(each: Duration, task: Option<u32>) -> LongWait {
        let look = move || ProcessState::of_family(Path::new("/"), task?);
        LongWait::by(each, Box::new(look))
    }

    fn by(each: Duration, state: Box<dyn Fn() -> Option<ProcessState>>) -> LongWait {
        LongWait {
            each,
            deadline: Deadline::after(each),
            state,
            ran: None,
            left: MOST,
        }
    }

    /// Whether to give up.
    pub fn is_over(&mut self) -> bool {
        self.deadline.passed() && !self.goes_on()
    }

    fn goes_on(&mut self) -> bool {
        let Some(state) = (self.state)() else {
            return false;
        };
        let before = self.ran.replace(state.ran);
        let works = state.runnable || before.is_some_and(|before| state.ran > before);
        let longer = match (works, before) {
            (true, _) if self.left > 0 => {
                self.left -= 1;
                self.each
            }
            (false, None) => self.each / SECOND_LOOK,
            _ => return false,
        };
        self.deadline = Deadline::after(longer);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{LongWait, MOST, ProcessState};
    use std::cell::Cell;
    use std::time::Duration;

    /// How often a wait without any time goes on, for a task that is so and runs so long
    /// between two looks.
    fn goes_on(runnable: bool, ms: u64) -> usize {
        let ran = Cell::new(Duration::ZERO);
        let state = move || {
            ran.set(ran.get() + Duration::from_millis(ms));
            Some(ProcessState {
                runnable,
                ran: ran.get(),
            })
        };
        let mut wait = LongWait::by(Duration::ZERO, Box::new(state));
        std::thread::sleep(Duration::from_millis(1));
        let mut times = 0;
        while !wait.is_over() && times < 100 {
            times += 1;
            std::thread::sleep(Duration::from_micros(10));
        }
        times
    }

    #[test]
    fn who_works_or_waits_for_a_cpu_is_waited_for_and_not_for_ever() {
        let most = MOST as usize;
        assert_eq!(goes_on(true, 0), most, "it waits for a CPU");
        assert_eq!(
            goes_on(false, 5),
            most + 1,
            "it sleeps at each look, and worked in between"
        );
        assert_eq!(goes_on(false, 0), 1, "it is looked at twice");
    }

    #[test]
    fn an_unknown_task_has_its_time_and_no_more() {
        let mut wait = LongWait::new(Duration::from_secs(3600), None);
        assert!(!wait.is_over());
        let mut wait = LongWait::new(Duration::ZERO, None);
        std::thread::sleep(Duration::from_millis(1));
        assert!(wait.is_over());
    }
}
