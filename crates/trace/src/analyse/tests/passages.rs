//! What the analyses of timers hand out one by one.

use super::timing::{FUNCTION, MS, chain, visit};
use crate::Order;
use crate::analyse::ticks::TickCount;
use crate::analyse::timers::{Chains, Expired, Passage, Wheel, wheel_step};
use crate::analyse::{Known, Symbols};
use crate::testing::{Making, V::N};

#[test]
fn each_passage_is_handed_out_in_the_order_of_its_end() {
    for (arm, order, long_bytes) in [(false, Order::Little, 8), (true, Order::Big, 4)] {
        let capture = chain(arm, order, long_bytes);
        let mut passages = Vec::new();
        let mut sink = |passage: &Passage| passages.push(*passage);
        visit(
            &capture,
            &mut Chains::with_sink(&Known::of(&capture), &mut sink),
        );
        let of = |p: &Passage| (p.stage.name(), p.length_ns, p.unusual);
        assert_eq!(
            passages.iter().map(of).collect::<Vec<_>>(),
            [
                ("entry_to_raise", 20, false),
                ("hrtimer", 20, false),
                ("hardirq", 50, false),
                ("raise_to_entry", 40, false),
                ("entry_to_expiry", 20, false),
                ("expiry", 20, false),
                ("softirq", 50, false),
            ]
        );
    }
}

#[test]
fn each_expiry_is_handed_out_with_its_start_and_its_lateness() {
    for (arm, order, long_bytes) in [(false, Order::Little, 8), (true, Order::Big, 4)] {
        let capture = chain(arm, order, long_bytes);
        let mut all = Vec::new();
        let known = Known::of(&capture);
        let mut sink = |expired: &Expired| all.push(*expired);
        let mut wheel = Wheel::with_sink(&known, &mut sink);
        visit(&capture, &mut wheel);
        let ticks = wheel.jiffies.ticks(250).expect("a rate of kernels");
        let [one] = all[..] else {
            panic!("one timer expired: {all:?}");
        };
        assert_eq!((one.starter, one.started_on, one.cpu), (5, 0, 0));
        assert_eq!((one.started_ns, one.late_jiffies), (2000, 2));
        // The start is the promptest event of all: 54 ticks before.
        assert_eq!(ticks.since_ns(one.due(), one.at_ns), 2 * 4 * MS as i64 + 80);
    }
}

#[test]
fn a_gap_between_start_and_expiry_hands_out_nothing() {
    let mut m = Making::new();
    let values = [N(1), N(FUNCTION), N(9), N(9), N(1), N(0)];
    m.push(0, 10, 5, "timer_start", &values);
    m.lose(0, Some(3));
    let values = [N(1), N(10), N(FUNCTION), N(10)];
    m.push(0, 80, 5, "timer_expire_entry", &values);
    let capture = m.capture();
    let mut count = 0;
    let mut sink = |_: &Expired| count += 1;
    visit(
        &capture,
        &mut Wheel::with_sink(&Known::of(&capture), &mut sink),
    );
    assert_eq!(count, 0);
}

#[test]
fn the_wheel_gets_coarser_by_eight_from_level_to_level() {
    let of = [0, 62, 63, 503, 504, 4031, 4032, u64::MAX];
    let steps = [1, 1, 8, 8, 64, 64, 512, 1 << 24];
    assert_eq!(of.map(wheel_step), steps);
}

#[test]
fn a_tick_is_due_when_its_interrupt_said_so() {
    let mut m = Making::new();
    let start = |m: &mut Making, at: u64, due: i64| {
        let values = [N(7), N(0x2000), N(due), N(due)];
        m.push(0, at, 5, "hrtimer_start", &values);
    };
    m.push(0, 10, 5, "local_timer_entry", &[N(236)]);
    m.push(0, 20, 5, "hrtimer_expire_entry", &[N(7), N(0), N(0x2000)]);
    start(&mut m, 30, 4_000_000);
    m.push(0, 40, 5, "local_timer_exit", &[N(236)]);
    // An idle CPU puts it to whatever it has to wake for.
    start(&mut m, 50, 123_456_789);
    let capture = m.capture();
    let mut count = TickCount::new(&Known::of(&capture));
    let known = visit(&capture, &mut count);
    let symbols = Symbols::parse("2000 T tick_nohz_handler\n");
    assert_eq!(count.finish(&known, &symbols).due_ns, Some(4_000_000));
}
