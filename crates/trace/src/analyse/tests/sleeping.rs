use crate::Capture;
use crate::analyse::explain::explain;
use crate::analyse::sleeps::{Sleep, SleepSums, Sleeps, Stage};
use crate::analyse::summary::Summary;
use crate::analyse::{Known, Pass};
use crate::testing::{Making, V};
use V::N;

const TIMER: i64 = 0x55;

fn made() -> Making {
    let mut m = Making::new();
    m.head.clock = Some("mono".to_owned());
    m
}

fn all(capture: &Capture) -> (Vec<Sleep>, SleepSums) {
    let known = Known::of(capture);
    let mut taken = Vec::new();
    let mut sleeps = Sleeps::new(&known, |s: &Sleep| taken.push(s.clone()));
    Pass::over(capture, &known, &mut [&mut sleeps]);
    let sums = sleeps.sums;
    (taken, sums)
}

fn start(m: &mut Making, at_ns: u64, pid: i32, soft_ns: i64, expires_ns: i64) {
    let values = [N(TIMER), N(0x3000), N(expires_ns), N(soft_ns)];
    m.push(0, at_ns, pid, "hrtimer_start", &values);
}

/// Thread 7 asks to wake at 10,000 with a slack of 500; thread 9 has the CPU and
/// a softirq runs in the way.
fn late(m: &mut Making, timers_now: i64) {
    m.switch(0, 100, 0, 0, 7);
    start(m, 200, 7, timers_now - 1_000, timers_now - 500);
    m.switch(0, 300, 7, 1, 9);
    m.push(0, 10_990, 9, "local_timer_entry", &[N(236)]);
    m.push(0, 10_995, 9, "hrtimer_cancel", &[N(TIMER)]);
    let values = [N(TIMER), N(timers_now), N(0x3000)];
    m.push(0, 11_000, 9, "hrtimer_expire_entry", &values);
    m.wake("sched_waking", 0, 11_050, 9, 7, 0);
    m.wake("sched_wakeup", 0, 11_060, 9, 7, 0);
    m.push(0, 11_100, 9, "hrtimer_expire_exit", &[N(TIMER)]);
    m.push(0, 11_150, 9, "local_timer_exit", &[N(236)]);
    m.push(0, 11_200, 9, "softirq_entry", &[N(9)]);
    m.push(0, 12_200, 9, "softirq_exit", &[N(9)]);
    m.switch(0, 13_050, 9, 0x100, 8);
    m.switch(0, 14_050, 8, 1, 7);
}

#[test]
fn each_stage_has_its_part_of_the_lateness() {
    let mut m = made();
    late(&mut m, 11_000);
    let (taken, sums) = all(&m.capture());
    let sleep = &taken[0];
    assert_eq!((taken.len(), sleep.pid, sleep.late_ns()), (1, 7, 4_050));
    let stages = Stage::ALL.map(|s| sleep.stage_ns(s));
    assert_eq!(stages, [500, 500, 50, 3_000]);
    assert_eq!(sleep.longest(), Stage::Queue);
    assert_eq!(sleep.interrupted.0, 9);
    let holders: Vec<(i32, u64)> = sleep.holders.iter().map(|h| (h.pid, h.ns)).collect();
    assert_eq!(holders, [(9, 2_000), (8, 1_000)]);
    let interrupts: Vec<(&str, u64)> = sleep
        .interrupts
        .iter()
        .map(|i| (i.source.as_str(), i.ns))
        .collect();
    assert_eq!(interrupts, [("softirq RCU", 1_000), ("local_timer", 100)]);
    assert_eq!((sums.late.max, sums.dropped), (4_050, 0));
    assert_eq!(sums.stages[3].max, 3_000);
}

#[test]
fn a_timer_of_another_clock_tells_how_late_it_was() {
    let mut m = made();
    // CLOCK_REALTIME: decades ahead.
    late(&mut m, 1_700_000_000_000_000_000);
    let (taken, _) = all(&m.capture());
    assert_eq!(taken[0].asked_ns, 10_000);
    assert_eq!(
        Stage::ALL.map(|s| taken[0].stage_ns(s)),
        [500, 500, 50, 3_000]
    );
}

#[test]
fn what_a_gap_hides_is_not_guessed() {
    let mut m = made();
    m.switch(0, 100, 0, 0, 7);
    start(&mut m, 200, 7, 10_000, 10_000);
    m.switch(0, 300, 7, 1, 0);
    m.push(
        0,
        11_000,
        0,
        "hrtimer_expire_entry",
        &[N(TIMER), N(11_000), N(0)],
    );
    m.wake("sched_waking", 0, 11_050, 0, 7, 0);
    m.lose(0, Some(3));
    m.switch(0, 14_050, 0, 0, 7);
    // Started in the gap, for all that is known.
    m.push(
        0,
        15_000,
        7,
        "hrtimer_expire_entry",
        &[N(TIMER), N(15_000), N(0)],
    );
    m.wake("sched_waking", 0, 15_050, 7, 8, 0);
    m.switch(0, 15_100, 7, 1, 8);
    let (taken, sums) = all(&m.capture());
    assert_eq!((taken.len(), sums.dropped), (0, 1));
}

#[test]
fn a_thread_that_had_not_slept_yet_was_not_woken() {
    let mut m = made();
    m.switch(0, 100, 0, 0, 7);
    start(&mut m, 200, 7, 10_000, 10_000);
    m.push(
        0,
        11_000,
        7,
        "hrtimer_expire_entry",
        &[N(TIMER), N(11_000), N(0)],
    );
    m.wake("sched_waking", 0, 11_050, 7, 7, 0);
    m.switch(0, 12_000, 7, 0x100, 8);
    m.switch(0, 13_000, 8, 1, 7);
    assert!(all(&m.capture()).0.is_empty());
}

#[test]
fn the_latest_sleeper_is_explained() {
    let mut m = made();
    late(&mut m, 11_000);
    let sentences = explain(&Summary::of(&m.capture()));
    let texts: Vec<&str> = sentences
        .iter()
        .filter(|s| s.topic == "sleepers")
        .map(|s| s.text.as_str())
        .collect();
    assert!(texts[0].starts_with("Sleeping threads ran "), "{texts:?}");
    assert_eq!(
        texts[1],
        "t7 [7] ran 4.05 µs late on CPU 0: 500 ns slack, 500 ns timer, 50 ns wake, 3.00 µs queue; \
         in that time it ran t9 [9] 67 %, t8 [8] 33 %, with 1.00 µs of softirq RCU in it."
    );
}

#[test]
fn an_event_on_the_way_out_does_not_put_a_thread_back() {
    let mut m = made();
    m.switch(1, 50, 0, 0, 4).switch(0, 100, 0, 0, 7);
    start(&mut m, 200, 7, 10_000, 10_000);
    m.switch(0, 300, 7, 1, 0);
    // Between the switch's event and the switch.
    m.push(0, 310, 7, "softirq_raise", &[N(9)]);
    let values = [N(TIMER), N(11_000), N(0)];
    m.push(1, 11_000, 4, "hrtimer_expire_entry", &values);
    m.wake("sched_waking", 1, 11_050, 4, 7, 0);
    m.switch(0, 12_000, 0, 0, 7);
    let (taken, _) = all(&m.capture());
    assert_eq!((taken.len(), taken[0].late_ns()), (1, 2_000));
}

/// The wake-up's CPU counts, where it is another one than that of the waking.
#[test]
fn who_is_woken_elsewhere_waits_for_those_there() {
    let mut m = made();
    m.switch(0, 100, 0, 0, 7);
    start(&mut m, 200, 7, 10_000, 10_500);
    m.switch(0, 300, 7, 1, 9);
    m.switch(1, 150, 0, 0, 8);
    let values = [N(TIMER), N(11_000), N(0x3000)];
    m.push(0, 11_000, 9, "hrtimer_expire_entry", &values);
    m.wake("sched_waking", 0, 11_050, 9, 7, 0);
    m.wake("sched_wakeup", 0, 11_060, 9, 7, 1);
    m.push(0, 11_100, 9, "hrtimer_expire_exit", &[N(TIMER)]);
    m.switch(1, 14_050, 8, 1, 7);
    m.switch(0, 15_000, 9, 1, 0);
    let (taken, _) = all(&m.capture());
    let holders: Vec<(i32, u64)> = taken[0].holders.iter().map(|h| (h.pid, h.ns)).collect();
    assert_eq!(holders, [(8, 2_990), (9, 10)]);
    let waited = taken[0].stage_ns(Stage::Queue);
    assert_eq!(holders.iter().map(|(_, ns)| ns).sum::<u64>(), waited);
}
