//! When to give up waiting: for ends that something went wrong on the other
//! side. It measures nothing, and experiments have no clock of their own.

use std::time::{Duration, Instant};

/// A moment after which a wait is given up.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(Instant);

impl Deadline {
    /// The moment `patience` from now.
    pub fn after(patience: Duration) -> Deadline {
        Deadline(Instant::now() + patience)
    }

    /// Whether it is over.
    pub fn passed(self) -> bool {
        Instant::now() > self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Deadline;
    use std::time::Duration;

    #[test]
    fn an_hour_is_not_over_and_nothing_is() {
        assert!(!Deadline::after(Duration::from_secs(3600)).passed());
        let now = Deadline::after(Duration::ZERO);
        while !now.passed() {
            std::hint::spin_loop();
        }
    }
}
