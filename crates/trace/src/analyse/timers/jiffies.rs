//! The kernel's count of ticks against the clock of the capture.

use crate::analyse::ticks::{RATES, rate_of_period};

/// What jiffies were at a moment.
#[derive(Debug, Clone, Copy)]
struct JiffiesStamp {
    jiffies: u64,
    at_ns: u64,
}

/// Jiffies as events report them. As wide as the kernel's longs, and they wrap.
#[derive(Debug, Clone, Default)]
pub struct Jiffies {
    long_bits: u32,
    first: Option<JiffiesStamp>,
    last: Option<JiffiesStamp>,
    /// For each rate that a kernel may have: how long after the tick that the
    /// first event belongs to, less the time of the ticks since, the promptest
    /// event came, against the first one.
    promptest_ns: [i64; RATES.len()],
}

/// When ticks came, judged by the promptest event after any of them, and by the
/// moments that they were due at where these are known.
#[derive(Debug, Clone, Copy)]
pub struct TickTimes {
    jiffies: u64,
    at_ns: i64,
    tick_ns: u64,
    long_bits: u32,
}

/// As the kernel rounds it: its jiffies go on by this.
fn tick_ns(hz: u32) -> u64 {
    (1_000_000_000 + u64::from(hz) / 2) / u64::from(hz)
}

/// Ticks from one count to another, across a wrap of longs of so many bits.
pub(super) fn between(long_bits: u32, from: u64, to: u64) -> i64 {
    let unused = 64 - long_bits;
    (to.wrapping_sub(from) << unused).cast_signed() >> unused
}

impl Jiffies {
    /// Of a kernel with longs of 4 or 8 bytes.
    pub fn new(long_bytes: u8) -> Jiffies {
        Jiffies {
            long_bits: u32::from(long_bytes) * 8,
            ..Jiffies::default()
        }
    }

    /// Ticks from one count to another, across a wrap.
    pub fn between(&self, from: u64, to: u64) -> i64 {
        between(self.long_bits, from, to)
    }

    /// An event at `at_ns` has this count.
    pub fn record(&mut self, jiffies: u64, at_ns: u64) {
        let stamp = JiffiesStamp { jiffies, at_ns };
        let first = *self.first.get_or_insert(stamp);
        self.last = Some(stamp);
        let passed = self.between(first.jiffies, jiffies);
        let since_ns = at_ns.wrapping_sub(first.at_ns).cast_signed();
        for (promptest, hz) in self.promptest_ns.iter_mut().zip(RATES) {
            let ticks_ns = passed.wrapping_mul(tick_ns(hz).cast_signed());
            *promptest = (*promptest).min(since_ns.wrapping_sub(ticks_ns));
        }
    }

    /// The tick's rate, by the progress of jiffies; None where they went on too
    /// little.
    pub fn hz(&self) -> Option<u32> {
        let (first, last) = (self.first?, self.last?);
        let passed = self.between(first.jiffies, last.jiffies);
        let ns = last.at_ns.saturating_sub(first.at_ns) as f64;
        // Each count is up to a tick old: over 50 ticks an error of 2 %, the tolerance of
        // `rate_of_period`.
        (passed >= 50)
            .then(|| rate_of_period(ns / passed as f64))
            .flatten()
    }

    /// None where no event reported jiffies, or kernels have no such rate.
    pub fn ticks(&self, hz: u32) -> Option<TickTimes> {
        let first = self.first?;
        let rate = RATES.iter().position(|known| *known == hz)?;
        Some(TickTimes {
            jiffies: first.jiffies,
            at_ns: first
                .at_ns
                .cast_signed()
                .wrapping_add(self.promptest_ns[rate]),
            tick_ns: tick_ns(hz),
            long_bits: self.long_bits,
        })
    }
}

impl TickTimes {
    /// The same with the ticks moved back to where they were due: a whole number
    /// of ticks from `due_ns`.
    pub fn due(self, due_ns: u64) -> TickTimes {
        // Clocks that are read on different ways may be as far apart.
        const APART_NS: i64 = 1_000;
        let tick_ns = self.tick_ns.cast_signed();
        let behind = self.at_ns.wrapping_sub(due_ns.cast_signed());
        let late = behind.wrapping_add(APART_NS).rem_euclid(tick_ns) - APART_NS;
        TickTimes {
            at_ns: self.at_ns.wrapping_sub(late),
            ..self
        }
    }

    /// Length of a tick.
    pub fn tick_ns(&self) -> u64 {
        self.tick_ns
    }

    /// Ticks from one moment to another.
    pub fn between(&self, from: u64, to: u64) -> i64 {
        between(self.long_bits, from, to)
    }

    /// Time from the tick with which `jiffies` began.
    pub fn since_ns(&self, jiffies: u64, at_ns: u64) -> i64 {
        let passed = between(self.long_bits, self.jiffies, jiffies);
        let ticks_ns = passed.wrapping_mul(self.tick_ns.cast_signed());
        let since_ns = at_ns.cast_signed().wrapping_sub(self.at_ns);
        since_ns.wrapping_sub(ticks_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::Jiffies;

    #[test]
    fn ticks_lie_where_the_promptest_event_says_even_across_a_wrap() {
        let mut jiffies = Jiffies::new(4);
        let begin = u64::from(u32::MAX) - 9;
        // 100 Hz; the 30th tick is reported 2 us after it, the others later.
        for tick in 0..60u64 {
            let late_ns = if tick == 30 { 2_000 } else { 5_000 + tick };
            let reported = (begin + tick) & u64::from(u32::MAX);
            jiffies.record(reported, 1_000_000 + tick * 10_000_000 + late_ns);
        }
        assert_eq!(jiffies.hz(), Some(100));
        let ticks = jiffies.ticks(100).unwrap();
        assert_eq!(ticks.tick_ns(), 10_000_000);
        let of = |tick: u64, late: u64| {
            let reported = (begin + tick) & u64::from(u32::MAX);
            ticks.since_ns(reported, 1_000_000 + tick * 10_000_000 + late)
        };
        assert_eq!(
            (of(0, 5_000), of(30, 2_000), of(50, 9_000)),
            (3_000, 0, 7_000)
        );
        // Due 1.5 us before the promptest event came, and each 10 ms.
        let due = ticks.due(1_000_500 + 70 * 10_000_000);
        assert_eq!(
            due.since_ns(begin, 1_000_000 + 5_000),
            ticks.since_ns(begin, 1_000_000 + 5_000) + 1_500
        );
        let barely = ticks.due(1_002_500);
        assert_eq!(
            barely.since_ns(begin, 1_002_500),
            0,
            "clocks differ by 500 ns"
        );
        assert!(jiffies.ticks(123).is_none());
        assert!(Jiffies::new(8).ticks(100).is_none());
    }

    #[test]
    fn few_ticks_give_no_rate() {
        let mut jiffies = Jiffies::new(8);
        for tick in 0..50u64 {
            jiffies.record(tick, tick * 4_000_000);
        }
        assert_eq!(jiffies.hz(), None);
        jiffies.record(50, 50 * 4_000_000);
        assert_eq!(jiffies.hz(), Some(250));
    }
}
