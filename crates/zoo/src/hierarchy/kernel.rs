//! The kernel around the measured code, as far as programs see its ticks.

use super::scheduler::RealTime;
use stats::Rng;

/// Rates of ticks that kernels are mostly built with (CONFIG_HZ).
const RATES: [f64; 4] = [100.0, 250.0, 300.0, 1000.0];
/// In so many kernels each of the things is planted that mislead one method.
const SHARE: f64 = 0.1;
/// Rates of a timer that is no tick.
const TIMERS: [f64; 3] = [100.0, 500.0, 1000.0];
/// Timer slacks in ns: the default of Linux, and what a thread may have been given.
const SLACKS: [f64; 3] = [50_000.0, 20_000.0, 100_000.0];
/// Interrupts of devices in a second where there are some, at most.
const MOST_INTERRUPTS: f64 = 400.0;

/// What a kernel says of its ticks, and what else interrupts a CPU.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// What it states to be the step of its coarse clock, in ns; None: the time from one tick
    /// to the next.
    pub stated_ns: Option<f64>,
    /// The coarse clock moves on with each tick that has this number: where another CPU keeps
    /// the time and loses ticks, it is not each.
    pub keeps_every: u64,
    /// How much later than asked an ordinary thread's timers may come, in ns.
    pub slack_ns: f64,
    /// What it states to be that, in ns; None: that.
    pub stated_slack_ns: Option<f64>,
    /// A timer that comes so often a second and is no tick; 0: there is none.
    pub timer_hz: f64,
    /// Interrupts of devices at random, in a second.
    pub interrupts_hz: f64,
    /// What it does with real-time tasks.
    pub real_time: RealTime,
}

impl Default for Kernel {
    fn default() -> Self {
        Kernel {
            stated_ns: None,
            keeps_every: 1,
            slack_ns: SLACKS[0],
            stated_slack_ns: None,
            timer_hz: 0.0,
            interrupts_hz: 0.0,
            real_time: RealTime::default(),
        }
    }
}

impl Kernel {
    /// The rate of ticks and the kernel of one machine. What misleads is drawn by itself for
    /// each method, so that now and then two are misled at once.
    pub fn drawn(machine: &str, seed: u64) -> (f64, Kernel) {
        // FNV-1a, so that no two machines have the same kernels.
        let name = machine.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut rng = Rng::new(name ^ seed);
        let tick_hz = RATES[rng.below(RATES.len())];
        let mut planted = || rng.uniform() < SHARE;
        let (lies, loses, ticks_on) = (planted(), planted(), planted());
        let other_hz = RATES[rng.below(RATES.len())];
        let timer_hz = TIMERS[rng.below(TIMERS.len())];
        let interrupts = rng.below(3) == 0;
        let interrupts_hz = MOST_INTERRUPTS * rng.uniform();
        let slack_ns = SLACKS[rng.below(SLACKS.len())];
        let lies_of_slack = rng.uniform() < SHARE;
        let other_slack_ns = SLACKS[rng.below(SLACKS.len())];
        let kernel = Kernel {
            stated_ns: lies.then_some(1e9 / other_hz),
            keeps_every: if loses { 2 } else { 1 },
            timer_hz: if ticks_on { timer_hz } else { 0.0 },
            slack_ns,
            stated_slack_ns: lies_of_slack.then_some(other_slack_ns),
            interrupts_hz: if interrupts { interrupts_hz } else { 0.0 },
            // Drawn last: draws before it stay what they were.
            real_time: RealTime::drawn(&mut rng),
        };
        (tick_hz, kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::{Kernel, RATES};

    #[test]
    fn every_rate_is_drawn_and_each_thing_that_misleads_now_and_then() {
        let drawn = |machine: &str| -> Vec<(f64, Kernel)> {
            (0..400).map(|seed| Kernel::drawn(machine, seed)).collect()
        };
        let all = drawn("zen2");
        for rate in RATES {
            let share = all.iter().filter(|(hz, _)| *hz == rate).count();
            assert!((60..140).contains(&share), "{rate}: {share}");
        }
        let count = |is: fn(&Kernel) -> bool| all.iter().filter(|(_, k)| is(k)).count();
        for misled in [
            count(|k| k.stated_ns.is_some()),
            count(|k| k.keeps_every > 1),
            count(|k| k.timer_hz > 0.0),
        ] {
            assert!((20..65).contains(&misled), "{misled}");
        }
        assert_ne!(all, drawn("zen3"));
    }
}
