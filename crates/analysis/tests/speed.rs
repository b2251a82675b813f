//! A CPU that is not as fast as usual is named, and so is what is not known.

use analysis::speed::Pace;
use analysis::{Around, Contamination, ContaminationLevel, Usual, judge_point};
use record::{Sample, Yardstick};

/// Samples of a core that takes `cycle` ns, and `burst` of that for one of many additions.
fn samples(count: u32, state: impl Fn(u32) -> (f64, f64)) -> Vec<Sample> {
    let sample = |index: u32| {
        let (link_ns, burst) = state(index);
        let noise = 1.0 + f64::from((index * 37) % 11) / 2000.0;
        Sample {
            index,
            ops: 1,
            elapsed_ns: 200_000.0,
            value: 1000.0 * link_ns * noise,
            yardstick: Some(Yardstick {
                link_ns: link_ns * noise,
                burst_ns: link_ns * burst,
            }),
            ..Sample::default()
        }
    };
    (0..count).map(sample).collect()
}

fn usual() -> Vec<Sample> {
    samples(60, |_| (0.25, 0.25))
}

/// Among points of a CPU that is as usual.
fn judged(point: &[Sample], may_be_stolen: bool) -> Contamination {
    let others = [usual(), usual(), usual()];
    let all = others.iter().map(Vec::as_slice).chain([point]);
    let around = Around {
        shared: false,
        usual: Usual::of(all),
        may_be_stolen,
    };
    judge_point(point, &around).expect("there are samples")
}

#[test]
fn a_cpu_as_fast_as_usual_is_clean() {
    let found = judged(&usual(), false);
    assert_eq!(found.level, ContaminationLevel::Clean, "{}", found.reason);
}

#[test]
fn a_slow_part_is_named_with_its_share_of_the_samples() {
    let point = samples(60, |i| (if i % 5 < 2 { 0.275 } else { 0.25 }, 0.25));
    let found = judged(&point, false);
    assert_eq!(found.disturbed, 24);
    let wanted = "this CPU ran 10 % slower in 24 samples";
    assert!(found.reason.contains(wanted), "{}", found.reason);
}

#[test]
fn a_point_that_was_slow_from_begin_to_end_is_contaminated() {
    let found = judged(&samples(60, |_| (0.2625, 0.25)), false);
    assert_eq!(found.level, ContaminationLevel::Contaminated);
    assert!(
        found.reason.contains("5 % slower in 60"),
        "{}",
        found.reason
    );
}

#[test]
fn another_thread_of_the_core_is_told_from_a_slow_clock() {
    // Seen on a guest: twice the time of a burst, an eighth more of a chain.
    let point = samples(60, |i| match i < 20 {
        true => (0.28, 0.45),
        false => (0.25, 0.25),
    });
    let found = judged(&point, false);
    let wanted = "another thread of this core took part of it in 20 samples";
    assert!(found.reason.contains(wanted), "{}", found.reason);
    assert!(!found.reason.contains("slower in"), "{}", found.reason);
}

#[test]
fn a_speed_that_drifts_is_named_where_the_samples_do_not_follow() {
    let mut point = samples(60, |i| (0.25 * (1.0 + 0.04 * f64::from(i) / 60.0), 0.25));
    // Bound to memory: the same time at any clock.
    (0..)
        .zip(&mut point)
        .for_each(|(i, s)| s.value = 100.0 + f64::from(i % 7));
    let found = judged(&point, false);
    let wanted = "the CPU became slower by 4 %";
    assert!(found.reason.contains(wanted), "{}", found.reason);
}

#[test]
fn what_is_not_known_is_not_calm() {
    let mut point = usual();
    assert_eq!(judged(&point, true).level, ContaminationLevel::Disturbed);
    assert_eq!(judged(&point, true).unknown, 60);
    point
        .iter_mut()
        .for_each(|s| s.disturbance.off_cpu_ns = Some(0));
    assert_eq!(judged(&point, true).level, ContaminationLevel::Clean);
    // A count of whole ticks that did not move says nothing of a batch.
    point.iter_mut().for_each(|s| {
        s.disturbance.off_cpu_ns = None;
        s.disturbance.steal_ns = Some(0);
        s.disturbance.bracket_batches = 10;
    });
    assert_eq!(judged(&point, true).unknown, 60);
    assert_eq!(judged(&point, false).unknown, 0);
}

#[test]
fn time_off_the_cpu_that_no_task_took_was_stolen() {
    let mut point = usual();
    for sample in point.iter_mut().step_by(10) {
        sample.disturbance.off_cpu_ns = Some(3_000_000);
        sample.elapsed_ns += 3e6;
    }
    let found = judged(&point, true);
    assert_eq!(found.disturbed, 6);
    assert!(found.reason.contains("18.0 ms steal"), "{}", found.reason);
    // Where the thread waits, it is not on the CPU either.
    point
        .iter_mut()
        .for_each(|s| s.disturbance.voluntary_switches = 1);
    assert_eq!(judged(&point, true).disturbed, 0);
}

#[test]
fn without_a_reading_nothing_is_said_of_the_speed() {
    let mut point = usual();
    point.iter_mut().for_each(|s| s.yardstick = None);
    assert_eq!(
        Usual::of([point.as_slice()].into_iter()).pace(&point[0]),
        None
    );
    let known = usual();
    let usual = Usual::of([known.as_slice()].into_iter());
    assert_eq!(usual.pace(&known[0]), Some(Pace::Usual));
    assert_eq!(usual.speeds().count(), 1);
}
