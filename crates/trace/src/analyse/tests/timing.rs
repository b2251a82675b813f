use crate::analyse::explain::explain;
use crate::analyse::interrupts::Interrupts;
use crate::analyse::summary::Summary;
use crate::analyse::ticks::TickCount;
use crate::analyse::timers::{Chains, Life, Passage, Stage, Step, Wheel};
use crate::analyse::{Known, Pass, Symbols, Visitor};
use crate::testing::{Making, V};
use crate::{Capture, Order};
use V::{N, T};

pub(super) const MS: u64 = 1_000_000;
pub(super) const FUNCTION: i64 = 0x1000;

fn symbols() -> Symbols {
    Symbols::parse("1000 T tcp_write_timer\n2000 T tick_nohz_handler\n3000 T hrtimer_wakeup\n")
}

pub(super) fn visit(capture: &Capture, visitor: &mut dyn Visitor) -> Known {
    let known = Known::of(capture);
    Pass::over(capture, &known, &mut [visitor]);
    known
}

fn enter(m: &mut Making, arm: bool, at: u64) {
    match arm {
        true => m.push(0, at, 5, "irq_handler_entry", &[N(34), T("timer")]),
        false => m.push(0, at, 5, "local_timer_entry", &[N(236)]),
    };
}

fn leave(m: &mut Making, arm: bool, at: u64) {
    match arm {
        true => m.push(0, at, 5, "irq_handler_exit", &[N(34), N(1)]),
        false => m.push(0, at, 5, "local_timer_exit", &[N(236)]),
    };
}

/// A timer of 51 ticks at 250 Hz that expires two jiffies behind its bucket.
pub(super) fn chain(arm: bool, order: Order, long_bytes: u8) -> Capture {
    let mut m = Making::of(order, long_bytes, |_| true);
    // Jiffies wrap on the way, as they do on 32 bits.
    let now = -20i64;
    m.push(0, 1000, 5, "timer_init", &[N(0x99)]);
    m.push(
        0,
        2000,
        5,
        "timer_start",
        &[N(0x99), N(FUNCTION), N(now + 51), N(now + 52), N(now), N(0)],
    );
    let at = 2000 + 54 * 4 * MS;
    enter(&mut m, arm, at);
    m.push(
        0,
        at + 10,
        5,
        "hrtimer_expire_entry",
        &[N(0x77), N(0), N(0x2000)],
    );
    m.push(0, at + 20, 5, "softirq_raise", &[N(1)]);
    m.push(0, at + 30, 5, "hrtimer_expire_exit", &[N(0x77)]);
    leave(&mut m, arm, at + 50);
    m.push(0, at + 60, 5, "softirq_entry", &[N(1)]);
    m.push(0, at + 70, 5, "timer_cancel", &[N(0x99)]);
    m.push(
        0,
        at + 80,
        5,
        "timer_expire_entry",
        &[N(0x99), N(now + 54), N(FUNCTION), N(now + 54)],
    );
    m.push(0, at + 100, 5, "timer_expire_exit", &[N(0x99)]);
    m.push(0, at + 110, 5, "softirq_exit", &[N(1)]);
    m.capture()
}

#[test]
fn every_stage_of_the_chain_has_its_time_on_x86_and_arm() {
    for (arm, order, long_bytes) in [
        (false, Order::Little, 8),
        (true, Order::Little, 4),
        (true, Order::Big, 4),
    ] {
        let capture = chain(arm, order, long_bytes);
        let mut chains = Chains::new(&Known::of(&capture));
        visit(&capture, &mut chains);
        let s = &chains.sums;
        assert_eq!(
            (s.interrupts, s.raises, s.raises_in_interrupt, s.softirqs),
            (1, 1, 1, 1)
        );
        assert_eq!(
            (s.expiries, s.softirqs_empty, s.softirqs_deferred, s.dropped),
            (1, 0, 0, 0)
        );
        assert_eq!(
            Stage::ALL.map(|stage| (s.stages[stage].count, s.stages[stage].sum)),
            [50, 20, 20, 40, 50, 20, 20].map(|ns| (1, ns))
        );

        let mut wheel = Wheel::new(&Known::of(&capture));
        visit(&capture, &mut wheel);
        let sums = wheel.finish(&symbols(), None);
        assert_eq!((sums.hz, sums.against_bucket), (Some(250), true));
        assert_eq!((sums.inits, sums.starts, sums.expiries), (1, 1, 1));
        assert_eq!(
            (sums.detaches, sums.cancels, sums.rearms, sums.paired),
            (1, 0, 0, 1)
        );
        let row = &sums.functions[0];
        assert_eq!(row.function, "tcp_write_timer");
        assert_eq!(
            (row.late_jiffies_max, row.late_ns_max),
            (Some(2), Some(3 * 4 * MS as i64 + 80))
        );
    }
}

#[test]
fn leaving_the_wheel_is_a_cancellation_only_when_nothing_follows() {
    let mut m = Making::new();
    let start = |m: &mut Making, at: u64, timer: i64| {
        m.push(
            0,
            at,
            5,
            "timer_start",
            &[N(timer), N(FUNCTION), N(9), N(9), N(1), N(0)],
        );
    };
    start(&mut m, 10, 1);
    // Changed while it waits.
    m.push(0, 20, 5, "timer_cancel", &[N(1)]);
    start(&mut m, 21, 1);
    // Deleted, something else, started again.
    m.push(0, 30, 5, "timer_cancel", &[N(1)]);
    m.push(0, 31, 5, "softirq_raise", &[N(3)]);
    start(&mut m, 32, 1);
    // Deleted for good.
    start(&mut m, 40, 2);
    m.push(0, 41, 5, "timer_cancel", &[N(2)]);
    let capture = m.capture();
    let mut wheel = Wheel::new(&Known::of(&capture));
    visit(&capture, &mut wheel);
    let sums = wheel.finish(&symbols(), Some(250));
    assert_eq!(
        (sums.starts, sums.rearms, sums.cancels, sums.detaches),
        (4, 1, 2, 0)
    );
}

#[test]
fn a_gap_breaks_chains_and_pairs() {
    let mut m = Making::new();
    m.push(
        0,
        10,
        5,
        "timer_start",
        &[N(1), N(FUNCTION), N(9), N(9), N(1), N(0)],
    );
    enter(&mut m, false, 20);
    m.push(0, 25, 5, "softirq_raise", &[N(1)]);
    m.lose(0, Some(3));
    m.push(0, 60, 5, "softirq_entry", &[N(1)]);
    m.push(
        0,
        80,
        5,
        "timer_expire_entry",
        &[N(1), N(10), N(FUNCTION), N(10)],
    );
    leave(&mut m, false, 90);
    let capture = m.capture();
    let known = Known::of(&capture);
    let (mut chains, mut wheel, mut irqs) = (
        Chains::new(&known),
        Wheel::new(&known),
        Interrupts::new(&known),
    );
    Pass::over(&capture, &known, &mut [&mut chains, &mut wheel, &mut irqs]);
    assert_eq!(
        (
            chains.sums.stages[Stage::Hardirq].count,
            chains.sums.stages[Stage::RaiseToEntry].count,
            chains.sums.dropped
        ),
        (0, 0, 2)
    );
    let sums = wheel.finish(&symbols(), Some(250));
    assert_eq!((sums.expiries, sums.paired, sums.dropped), (1, 0, 1));
    assert_eq!((irqs.dropped, irqs.sources()[0].time.count), (1, 0));
}

#[test]
fn a_softirq_after_a_switch_is_deferred() {
    let mut m = Making::new();
    m.push(0, 10, 5, "softirq_raise", &[N(1)])
        .push(0, 20, 5, "softirq_raise", &[N(1)]);
    m.switch(0, 30, 5, 0x100, 14)
        .push(0, 40, 14, "softirq_entry", &[N(1)]);
    m.push(0, 50, 14, "softirq_exit", &[N(1)]);
    let capture = m.capture();
    let mut unusual = Vec::new();
    let mut sink = |p: &Passage| unusual.extend(p.unusual.then_some(p.stage));
    let mut chains = Chains::with_sink(&Known::of(&capture), &mut sink);
    visit(&capture, &mut chains);
    let s = chains.sums;
    assert_eq!(unusual, [Stage::RaiseToEntry, Stage::Softirq]);
    assert_eq!(
        (
            s.softirqs_deferred,
            s.softirqs_empty,
            s.stages[Stage::RaiseToEntry].sum
        ),
        (1, 1, 30)
    );
}

/// 100 ticks of 250 Hz while a task runs, and 30 wake-ups between.
fn ticking() -> Capture {
    let mut m = Making::new();
    m.switch(0, 0, 0, 0, 5);
    for tick in 1..=100u64 {
        let at = tick * 4 * MS;
        if tick % 3 == 0 {
            let before = at - MS;
            enter(&mut m, false, before);
            m.push(
                0,
                before + 1,
                5,
                "hrtimer_expire_entry",
                &[N(2), N(0), N(0x3000)],
            );
            leave(&mut m, false, before + 5);
        }
        enter(&mut m, false, at);
        m.push(
            0,
            at + 1,
            5,
            "hrtimer_expire_entry",
            &[N(1), N(0), N(0x2000)],
        );
        leave(&mut m, false, at + 5);
    }
    m.push(0, 401 * MS, 5, "tick_stop", &[N(1), N(0)]);
    m.capture()
}

#[test]
fn ticks_are_distinguished_from_other_timer_interrupts() {
    let capture = ticking();
    let mut count = TickCount::new(&Known::of(&capture));
    let known = visit(&capture, &mut count);
    for (symbols, name, by_name) in [
        (symbols(), "tick_nohz_handler", true),
        (Symbols::default(), "0x2000", false),
    ] {
        let ticks = count.finish(&known, &symbols);
        assert_eq!(
            (ticks.function.as_deref(), ticks.by_name),
            (Some(name), by_name)
        );
        assert_eq!(ticks.hz, Some(250));
        let cpu = &ticks.cpus[0];
        assert_eq!(
            (
                cpu.ticks,
                cpu.ticks_idle,
                cpu.timer_interrupts,
                cpu.not_ticks
            ),
            (100, 0, 133, 33)
        );
        assert_eq!(
            (cpu.stopped, cpu.not_stopped, cpu.idle_rate_hz),
            (1, 0, None)
        );
        let rate = cpu.busy_rate_hz.unwrap();
        assert!((rate - 250.0).abs() < 3.0, "{rate}");
    }
}

#[test]
fn a_storm_is_many_in_a_window() {
    let mut m = Making::new();
    for i in 0..5_000u64 {
        // Not in the first window.
        let at = 10_000_000_000 + i * 20_000;
        m.push(0, at, 5, "irq_handler_entry", &[N(9), T("eth0")]);
        m.push(0, at + 100, 5, "irq_handler_exit", &[N(9), N(1)]);
    }
    for i in 0..10u64 {
        m.push(1, i * 20_000, 5, "softirq_entry", &[N(3)]);
        m.push(1, i * 20_000 + 50, 5, "softirq_exit", &[N(3)]);
    }
    let capture = m.capture();
    let mut irqs = Interrupts::new(&Known::of(&capture));
    visit(&capture, &mut irqs);
    let sources = irqs.sources();
    assert_eq!(
        (
            sources[0].name.as_str(),
            sources[0].count,
            sources[0].time.sum
        ),
        ("irq 9 eth0", 5000, 500_000)
    );
    assert_eq!(
        (sources[1].name.as_str(), &sources[1].by_cpu[..]),
        ("softirq NET_RX", &[0, 10][..])
    );
    let storms = irqs.storms();
    assert_eq!(storms.len(), 1);
    assert_eq!((storms[0].cpu, storms[0].count), (0, 5000));
    let sentences = explain(&Summary::of(&capture));
    let storm = sentences.iter().find(|s| s.topic == "interrupt storms");
    let storm = storm.expect("a sentence");
    assert!(storm.text.starts_with("irq 9 eth0 stormed on CPU 0 for "));
    assert!(storm.alarm);
}

#[test]
fn a_timers_life_is_listed_step_by_step() {
    let capture = chain(false, Order::Little, 8);
    let symbols = symbols();
    for (address, function, wanted) in [
        (Some(0x99), None, 5),
        (None, Some("tcp_write_timer"), 4),
        (Some(1), None, 0),
        (None, Some("x"), 0),
    ] {
        let mut life = Life::new(address, function, &symbols);
        visit(&capture, &mut life);
        assert_eq!(life.events.len(), wanted);
        if let [.., start, cancel, _, _] = &life.events[..] {
            assert!(matches!(
                start.step,
                Step::Start {
                    timeout: Some(51),
                    ..
                }
            ));
            assert_eq!(cancel.step, Step::Cancel);
        }
    }
}
