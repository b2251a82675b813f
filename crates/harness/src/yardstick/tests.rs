//! The yardstick on a clock that only it moves, and once on this machine.

use super::{Gauge, Reading, Registers, SHARE, Yardstick, test};
use crate::clock::{Clock, ClockSpec};
use std::cell::Cell;
use std::path::Path;

#[derive(Default)]
struct FakeClock(Cell<u64>);

impl FakeClock {
    fn advance(&self, ns: u64) {
        self.0.set(self.0.get() + ns);
    }
}

impl Clock for FakeClock {
    fn start(&self) -> u64 {
        self.0.get()
    }
    fn stop(&self) -> u64 {
        self.0.get()
    }
    fn tick_ns(&self) -> f64 {
        1.0
    }
}

/// Takes 1 us, and says what it is given.
struct Given<'a> {
    clock: &'a FakeClock,
    link_ns: f64,
}

impl Gauge for Given<'_> {
    fn read(&mut self, _clock: &dyn Clock) -> Reading {
        self.clock.advance(1000);
        self.link_ns += 1.0;
        Reading {
            link_ns: self.link_ns,
            burst_ns: 0.1,
        }
    }
    fn cost_ns(&self) -> f64 {
        1000.0
    }
}

/// Places of so many batches of `batch_ns`, the readings, and how many there were.
fn block(batches: usize, batch_ns: u64) -> (Vec<usize>, super::Readings, u64) {
    let clock = FakeClock::default();
    let mut gauge = Given {
        clock: &clock,
        link_ns: 0.0,
    };
    let mut yardstick = Yardstick::begin(&mut gauge, &clock);
    let places = (0..batches).map(|_| {
        let place = yardstick.before(&clock);
        clock.advance(batch_ns);
        yardstick.after(&clock);
        place
    });
    let places: Vec<usize> = places.collect();
    let readings = yardstick.end(&clock);
    (places, readings, clock.0.get())
}

#[test]
fn long_batches_have_a_reading_before_and_one_behind() {
    let (places, readings, _) = block(20, 200_000);
    assert_eq!(places, (1..=20).collect::<Vec<_>>());
    // The faster of both: readings grow by 1.
    let around = |place| readings.around(place).map(|r| r.link_ns);
    assert_eq!(around(1), Some(1.0));
    assert_eq!(around(20), Some(20.0));
}

#[test]
fn short_batches_share_readings_and_every_batch_has_one() {
    for batch_ns in [100, 1000, 7_000] {
        let (places, readings, all_ns) = block(3000, batch_ns);
        let spent_ns = readings.0.len() as f64 * 1000.0;
        // One at the begin and one at the end are beyond the share.
        assert!(spent_ns <= SHARE * all_ns as f64 + 2000.0, "{batch_ns}");
        assert!(places.iter().all(|place| readings.around(*place).is_some()));
        assert!(
            *places.last().unwrap() > 3,
            "{batch_ns}: {}",
            readings.0.len()
        );
    }
}

#[test]
fn a_batch_behind_a_long_preparation_has_a_fresh_reading() {
    let clock = FakeClock::default();
    let mut gauge = Given {
        clock: &clock,
        link_ns: 0.0,
    };
    let mut yardstick = Yardstick::begin(&mut gauge, &clock);
    assert_eq!(yardstick.before(&clock), 1);
    clock.advance(1_000_000);
    assert_eq!(yardstick.before(&clock), 2);
}

#[test]
fn without_readings_nothing_is_known() {
    assert_eq!(super::Readings::default().around(0), None);
}

/// No claim of a speed: the ratio of two kinds of work of known latency.
#[test]
fn a_link_is_a_cycle_of_this_core() {
    let spec = ClockSpec::choose(Path::new("/"));
    let clock = spec.build();
    let resolution_ns = crate::self_test::resolution_ns(&*clock);
    let found = test(&*clock, resolution_ns);
    assert_eq!(found.is_some(), super::registers::KNOWN);
    let Some(found) = found else { return };
    assert!(found.link_ns > 0.05 && found.link_ns < 50.0, "{found:?}");
    assert!(found.burst_ns < found.link_ns, "{found:?}");
    assert!(found.product_ns > found.link_ns, "{found:?}");
    assert!(Registers::fit(&*clock, resolution_ns).is_some());
}
