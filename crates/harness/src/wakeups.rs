//! How late a sleeping thread wakes: it sleeps until a moment and looks at the
//! clock when it runs again.

use crate::clock::{monotonic_now_ns, sleep_until};
use crate::simulated::Measured;

/// Wakes at fixed moments, one interval after the other (CLOCK_MONOTONIC,
/// absolute, so that lateness does not add up).
#[derive(Debug, Clone, Default)]
pub struct Alarm {
    interval_ns: u64,
    next_ns: u64,
    asked_ns: u64,
    late_ns: u64,
    missed: u64,
    measured: Measured,
    slack_ns: Option<u64>,
}

/// The calling thread's timer slack as the kernel states it, ns: prctl(2), PR_GET_TIMERSLACK.
pub fn timer_slack_ns(measured: &Measured) -> f64 {
    match measured.in_numbers() {
        Some(machine) => machine.timer_slack_ns(),
        // SAFETY: takes no pointer.
        None => f64::from(unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) }),
    }
}

impl Alarm {
    /// An alarm every `interval_ns`, at least 1; it has not begun.
    pub fn new(interval_ns: u64) -> Alarm {
        Alarm {
            interval_ns: interval_ns.max(1),
            ..Alarm::default()
        }
    }

    /// The same on a machine that may be simulated, where the thread has this timer slack or its
    /// own.
    #[must_use]
    pub fn on(self, measured: &Measured, slack_ns: Option<u64>) -> Alarm {
        Alarm {
            measured: measured.clone(),
            slack_ns,
            ..self
        }
    }

    /// Begins anew: the first moment is one interval from now.
    pub fn begin(&mut self) {
        self.next_ns = monotonic_now_ns() + self.interval_ns;
        self.missed = 0;
    }

    /// Sleeps until the next moment.
    pub fn sleep(&mut self) {
        if let Some(machine) = self.measured.in_numbers() {
            let late_ns = machine.sleep(self.interval_ns, self.slack_ns);
            self.late_ns = stats::whole(late_ns);
            return;
        }
        let now_ns = monotonic_now_ns();
        if self.next_ns == 0 {
            self.begin();
        }
        self.catch_up(now_ns);
        self.asked_ns = self.next_ns;
        sleep_until(self.asked_ns);
        self.late_ns = monotonic_now_ns().saturating_sub(self.asked_ns);
        self.next_ns += self.interval_ns;
    }

    /// Leaves out moments that have passed already: a sleep that would not be
    /// one measures no wake-up.
    fn catch_up(&mut self, now_ns: u64) {
        if now_ns >= self.next_ns {
            let missed = (now_ns - self.next_ns) / self.interval_ns + 1;
            self.missed += missed;
            self.next_ns += missed * self.interval_ns;
        }
    }

    /// The moment that the last sleep was to end, CLOCK_MONOTONIC.
    pub fn asked_ns(&self) -> u64 {
        self.asked_ns
    }

    /// From the moment asked for to running again, of the last sleep.
    pub fn late_ns(&self) -> u64 {
        self.late_ns
    }

    /// Moments that had passed before they could be waited for.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

#[cfg(test)]
mod tests {
    use super::Alarm;
    use crate::clock::monotonic_now_ns;

    #[test]
    fn moments_are_an_interval_apart_and_lateness_is_from_them() {
        let mut alarm = Alarm::new(2_000_000);
        alarm.begin();
        let began_ns = monotonic_now_ns();
        let mut late_ns = 0;
        for _ in 0..5 {
            alarm.sleep();
            late_ns = alarm.late_ns();
        }
        let moments = 5 + alarm.missed();
        let passed_ns = monotonic_now_ns() - began_ns;
        assert!(passed_ns + 1_000_000 >= moments * 2_000_000, "{passed_ns}");
        assert!(late_ns < passed_ns);
    }

    #[test]
    fn moments_that_have_passed_are_left_out() {
        let mut alarm = Alarm::new(10);
        alarm.next_ns = 100;
        alarm.catch_up(99);
        assert_eq!((alarm.next_ns, alarm.missed()), (100, 0));
        alarm.catch_up(125);
        assert_eq!((alarm.next_ns, alarm.missed()), (130, 3));
    }
}
