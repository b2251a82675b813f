//! The rate of a counter against CLOCK_MONOTONIC_RAW.

// Architectures whose counter user space may not read have nothing to calibrate.
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code)
)]

use super::posix::raw_now_ns;

/// Time between the two readings that a rate is computed from, ns.
const SPAN_NS: u64 = 20_000_000;
/// Tries for a reading that nothing interrupted.
const TRIES: u32 = 64;

/// A counter's rate and how well it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    pub hz: f64,
    /// Half-width, parts per million.
    pub uncertainty_ppm: f64,
}

impl Rate {
    /// The rate and its uncertainty, for notes.
    pub fn describe(&self) -> String {
        format!(
            "counter runs at {:.6} MHz, +-{:.1} ppm against CLOCK_MONOTONIC_RAW",
            self.hz / 1e6,
            self.uncertainty_ppm
        )
    }
}

/// A counter value and the kernel time around it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Reading {
    ticks: u64,
    /// Middle of the enclosing kernel times, ns.
    at_ns: f64,
    /// Half of the distance of the enclosing kernel times, ns.
    doubt_ns: f64,
}

/// The reading whose enclosing reference times lie closest: the one that no
/// interrupt fell into.
fn reading(counter: &dyn Fn() -> u64, reference_ns: &dyn Fn() -> u64) -> Reading {
    let mut best: Option<Reading> = None;
    for _ in 0..TRIES {
        let before = reference_ns();
        let ticks = counter();
        let after = reference_ns();
        let doubt_ns = after.saturating_sub(before) as f64 / 2.0;
        if best.is_none_or(|b| doubt_ns < b.doubt_ns) {
            best = Some(Reading {
                ticks,
                at_ns: before as f64 + doubt_ns,
                doubt_ns,
            });
        }
    }
    best.expect("TRIES is not 0")
}

/// The counter's rate over about 20 ms. Sleeps in between: an invariant
/// counter runs on, and a busy wait would warm one CPU only.
pub fn rate(counter: fn() -> u64) -> Rate {
    rate_against(&counter, &raw_now_ns, &|ns| {
        std::thread::sleep(std::time::Duration::from_nanos(ns));
    })
}

/// The rate of `counter` against another clock; `wait` lets so many ns pass.
pub fn rate_against(
    counter: &dyn Fn() -> u64,
    reference_ns: &dyn Fn() -> u64,
    wait: &dyn Fn(u64),
) -> Rate {
    let first = reading(counter, reference_ns);
    wait(SPAN_NS);
    between(first, reading(counter, reference_ns))
}

fn between(first: Reading, last: Reading) -> Rate {
    // At least 1 ns, so that two readings in one instant give no infinity.
    let span_ns = (last.at_ns - first.at_ns).max(1.0);
    let ticks = last.ticks.saturating_sub(first.ticks).max(1);
    Rate {
        hz: ticks as f64 / span_ns * 1e9,
        uncertainty_ppm: (first.doubt_ns + last.doubt_ns) / span_ns * 1e6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_doubt_of_known_readings() {
        let first = Reading {
            ticks: 1000,
            at_ns: 0.0,
            doubt_ns: 20.0,
        };
        let last = Reading {
            ticks: 1000 + 46_000_000,
            at_ns: 20_000_000.0,
            doubt_ns: 30.0,
        };
        let rate = between(first, last);
        assert!((rate.hz - 2.3e9).abs() < 1.0);
        assert!((rate.uncertainty_ppm - 2.5).abs() < 1e-9);
    }

    #[test]
    fn a_counter_is_held_against_any_clock() {
        let now_ns = std::cell::Cell::new(0u64);
        let reference_ns = || {
            now_ns.set(now_ns.get() + 20);
            now_ns.get()
        };
        let wait = |ns| now_ns.set(now_ns.get() + ns);
        let rate = rate_against(&|| now_ns.get() * 3, &reference_ns, &wait);
        assert!((rate.hz / 3e9 - 1.0).abs() < 2e-6, "{rate:?}");
    }

    #[test]
    fn a_counter_that_stands_still_gives_no_infinity() {
        let still = Reading {
            ticks: 5,
            at_ns: 7.0,
            doubt_ns: 0.0,
        };
        assert!(between(still, still).hz.is_finite());
    }
}
