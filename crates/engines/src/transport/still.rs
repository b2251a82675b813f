//! When one thread alone, which sends to itself, gives up: nothing moves any more.

use harness::Deadline;
use std::time::Duration;

/// How long it looks.
const STILL: Duration = Duration::from_secs(2);
/// How often it looks at least: a thread that was not given the CPU for so long has not looked.
const LOOKS: u32 = 1000;

/// Since the last byte that moved.
pub struct Still {
    deadline: Deadline,
    looks: u32,
}

impl Still {
    /// Nothing has moved for the first time.
    pub fn begin() -> Still {
        Still::until(Deadline::after(STILL))
    }

    fn until(deadline: Deadline) -> Still {
        Still { deadline, looks: 0 }
    }

    /// One more look: whether it was the last.
    pub fn is_over(&mut self) -> bool {
        self.looks = self.looks.saturating_add(1);
        self.looks >= LOOKS && self.deadline.passed()
    }
}

#[cfg(test)]
mod tests {
    use super::{Deadline, Duration, LOOKS, Still};

    #[test]
    fn who_was_kept_from_looking_looks_on() {
        let mut still = Still::until(Deadline::after(Duration::ZERO));
        std::thread::sleep(Duration::from_millis(1));
        let looks = (1..).find(|_| still.is_over());
        assert_eq!(looks, Some(LOOKS), "the time was over at once");
        let mut still = Still::begin();
        assert!(
            (0..2 * LOOKS).all(|_| !still.is_over()),
            "it looks for two seconds"
        );
    }
}
