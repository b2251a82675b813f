//! A loop that looks at the clock again and again: where a look comes late, something else had
//! the CPU. It may look at the coarse clock as well, which the kernel moves on at its tick.

use crate::clock::{Clock, ClockSpec};
pub use crate::simulated::Look;
use crate::simulated::Measured;
use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};
use std::path::Path;

/// A look that is later than this may be kept. Far below what the shortest interrupt takes.
const LATE_NS: f64 = 500.0;
/// Where looks themselves take long, so many times what they usually take.
const USUAL: f64 = 8.0;
/// Looks from which it is known what they usually take.
const FIRST: usize = 65;

/// Which clocks a loop looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clocks {
    /// The instrument's own, which needs nothing of the kernel.
    Fine,
    /// The coarse clock as well.
    Both,
}

/// What a loop saw.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Watched {
    pub lasted_ns: f64,
    /// Each two looks in a row of which the second was late, or saw that the coarse clock had
    /// moved on.
    pub pairs: Vec<[Look; 2]>,
}

/// Looks for `ns` and keeps what is of interest.
pub fn watch(measured: &Measured, ns: u64, clocks: Clocks) -> Watched {
    let ns = ns as f64;
    let Some(machine) = measured.in_numbers() else {
        let clock = ClockSpec::choose(Path::new("/")).build();
        return look(&*clock, ns, clocks);
    };
    let mut watched = Watched::default();
    machine.look(ns, &mut |pair| watched.see(pair, LATE_NS, clocks));
    watched.lasted_ns = ns;
    watched
}

/// Step of the coarse clock as the kernel states it, ns: clock_getres(2).
pub fn coarse_step_ns(measured: &Measured) -> f64 {
    match measured.in_numbers() {
        Some(machine) => machine.coarse_step_ns(),
        None => in_ns(clock_getres(ClockId::MonotonicCoarse)),
    }
}

fn in_ns(time: Timespec) -> f64 {
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

impl Watched {
    fn see(&mut self, [before, now]: [Look; 2], late_ns: f64, clocks: Clocks) {
        let moved = clocks == Clocks::Both && now.coarse_ns != before.coarse_ns;
        if moved || now.at_ns - before.at_ns >= late_ns {
            self.pairs.push([before, now]);
        }
    }
}

fn look(clock: &dyn Clock, ns: f64, clocks: Clocks) -> Watched {
    let (first, first_coarse_ns) = (clock.stop(), coarse_ns(clocks));
    let now = || Look {
        at_ns: clock.elapsed_ns(first, clock.stop()),
        coarse_ns: coarse_ns(clocks) - first_coarse_ns,
    };
    let late_ns = LATE_NS.max(USUAL * usual_ns(now));
    let mut watched = Watched::default();
    let mut last = now();
    let until_ns = last.at_ns + ns;
    while last.at_ns < until_ns {
        let look = now();
        watched.see([last, look], late_ns, clocks);
        last = look;
    }
    watched.lasted_ns = last.at_ns;
    watched
}

/// What comes from one look to the next, in the middle.
fn usual_ns(now: impl Fn() -> Look) -> f64 {
    let looks: Vec<f64> = (0..FIRST).map(|_| now().at_ns).collect();
    let mut apart: Vec<f64> = looks.windows(2).map(|two| two[1] - two[0]).collect();
    apart.sort_by(f64::total_cmp);
    apart[apart.len() / 2]
}

fn coarse_ns(clocks: Clocks) -> f64 {
    match clocks {
        Clocks::Fine => 0.0,
        Clocks::Both => in_ns(clock_gettime(ClockId::MonotonicCoarse)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Clocks, coarse_step_ns, look, watch};
    use crate::Measured;
    use crate::clock::Clock;
    use std::cell::Cell;

    /// Goes on by 20 ns at each look, and by 3 us more at each thousandth.
    struct Planted(Cell<u64>);

    impl Clock for Planted {
        fn start(&self) -> u64 {
            self.stop()
        }

        fn stop(&self) -> u64 {
            self.0.set(self.0.get() + 1);
            self.0.get() * 20 + self.0.get() / 1000 * 3000
        }

        fn tick_ns(&self) -> f64 {
            1.0
        }
    }

    #[test]
    fn each_late_look_is_kept_and_no_other() {
        let watched = look(&Planted(Cell::new(0)), 230_000.0, Clocks::Fine);
        assert_eq!(watched.pairs.len(), 10);
        for [before, now] in watched.pairs {
            assert_eq!(now.at_ns - before.at_ns, 3020.0);
        }
        assert!((230_000.0..240_000.0).contains(&watched.lasted_ns));
    }

    #[test]
    fn the_coarse_clock_moves_on_by_its_step() {
        let here = Measured::default();
        let watched = watch(&here, 40_000_000, Clocks::Both);
        let step_ns = coarse_step_ns(&here);
        let moved = |pair: &[super::Look; 2]| pair[1].coarse_ns - pair[0].coarse_ns;
        let moves: f64 = watched.pairs.iter().map(moved).sum();
        assert!(moves >= step_ns, "{watched:?}");
    }
}
