use super::{Expected, Forecast};
use harness::{Samplings, Status};
use std::time::Duration;

/// A run on a clock of its own.
struct Played {
    forecast: Forecast,
    status: Status,
    now: Duration,
    /// When, and how long was said to be left then, s.
    said: Vec<(f64, f64)>,
}

impl Played {
    /// Of experiments with so many points that are expected to take so long each, ms.
    fn new(expected: &[(u32, f64)], processes: u16, again: f64, closing_s: f64) -> Played {
        let total = |points: u32| Samplings {
            done: 0,
            total: points * u32::from(processes),
        };
        Played {
            forecast: Forecast::new(Expected {
                point_ns: expected.iter().map(|(_, ms)| ms * 1e6).collect(),
                again,
                closing_ns: closing_s * 1e9,
            }),
            status: Status {
                processes,
                samplings: expected.iter().map(|(points, _)| total(*points)).collect(),
                ..Status::default()
            },
            now: Duration::ZERO,
            said: Vec::new(),
        }
    }

    fn say(&mut self) -> f64 {
        self.forecast.see(&self.status, self.now);
        let left = self.forecast.left(&self.status).as_secs_f64();
        self.said.push((self.now.as_secs_f64(), left));
        left
    }

    /// Points of an experiment, one after the other, ms each.
    fn points(&mut self, at: usize, points: u32, ms: f64) {
        self.status.at = at;
        for _ in 0..points {
            // A look in the middle of it, and one when it is done.
            let half = Duration::from_secs_f64(ms / 2e3);
            self.now += half;
            self.say();
            self.now += half;
            self.status.samplings[at].done += 1;
            self.say();
        }
    }

    /// What was said against what there was, from a share of the run on; the worst ratio.
    fn worst(&self, end_s: f64, from: f64) -> f64 {
        let late = self.said.iter().filter(|(at, _)| *at >= from * end_s);
        let end = late.filter(|(at, _)| *at < 0.9 * end_s);
        let off = end.map(|(at, left)| {
            let ratio = left / (end_s - at);
            ratio.max(1.0 / ratio)
        });
        off.fold(1.0, f64::max)
    }
}

const PLAN: [(u32, f64); 3] = [(10, 100.0), (40, 50.0), (5, 400.0)];

fn run(slower: [f64; 3], closing_s: f64) -> (Played, f64) {
    let mut played = Played::new(&PLAN, 5, 0.0, closing_s);
    played.say();
    for process in 0..5 {
        played.status.process = process;
        for (at, (points, ms)) in PLAN.into_iter().enumerate() {
            played.points(at, points, ms * slower[at]);
        }
    }
    let end_s = played.now.as_secs_f64() + closing_s;
    (played, end_s)
}

#[test]
fn where_all_goes_as_expected_the_estimate_never_moves() {
    let (played, end_s) = run([1.0; 3], 3.0);
    assert!((end_s - 28.0).abs() < 1e-6, "{end_s}");
    for (at, left) in &played.said {
        assert!((at + left - end_s).abs() < 1e-3, "at {at}: {left}");
    }
    let last = played.said.last().expect("something").1;
    assert!(
        (last - 3.0).abs() < 1e-3,
        "closing is still to come: {last}"
    );
}

#[test]
fn a_machine_that_is_slower_throughout_is_known_when_the_first_process_ends() {
    let (played, end_s) = run([4.0; 3], 3.0);
    assert!(played.said[0].1 < 30.0, "nothing is known at first");
    let worst = played.worst(end_s, 0.2);
    assert!(worst < 1.25, "{worst}");
}

#[test]
fn one_experiment_that_is_slow_does_not_spoil_the_others() {
    let (played, end_s) = run([1.0, 1.0, 6.0], 0.0);
    let worst = played.worst(end_s, 0.25);
    assert!(worst < 1.2, "{worst}");
}

#[test]
fn a_first_experiment_that_is_far_off_does_not_speak_for_all() {
    let (played, end_s) = run([10.0, 1.0, 1.0], 3.0);
    let worst = played.worst(end_s, 0.14);
    assert!(worst < 1.35, "{worst}");
}

#[test]
fn small_points_come_first_and_say_little_of_large_ones() {
    let mut played = Played::new(&[(40, 100.0), (40, 100.0)], 5, 0.0, 0.0);
    for process in 0..5 {
        played.status.process = process;
        for at in 0..2 {
            for point in 0..40 {
                // From a twentieth of the mean to twice it.
                played.points(at, 1, 5.0 + 190.0 * f64::from(point) / 39.0);
            }
        }
    }
    let worst = played.worst(played.now.as_secs_f64(), 0.0);
    assert!(worst < 1.35, "{worst}");
}

#[test]
fn measuring_again_is_in_it_before_it_begins() {
    let mut played = Played::new(&[(10, 1000.0)], 2, 0.5, 0.0);
    assert!((played.say() - 30.0).abs() < 1e-6);
    played.points(0, 10, 1000.0);
    played.status.process = 1;
    played.points(0, 10, 1000.0);
    assert!((played.say() - 10.0).abs() < 1e-6);
    // Four points are announced, and take as long.
    played.status.process = 2;
    played.status.samplings[0].total += 4;
    assert!((played.say() - 4.0).abs() < 1e-6);
}

#[test]
fn a_limit_of_time_holds_and_closing_comes_behind_it() {
    let mut played = Played::new(&PLAN, 5, 0.1, 4.0);
    played.status.left_ns = Some(6_000_000_000);
    assert!((played.say() - 10.0).abs() < 1e-6);
}

#[test]
fn points_that_are_left_out_take_no_time() {
    let mut played = Played::new(&PLAN, 5, 0.0, 0.0);
    played.status.samplings[2].done = 25;
    assert!((played.say() - 15.0).abs() < 1e-6);
    // Nothing is planned.
    let mut empty = Played::new(&[], 1, 0.1, 0.0);
    assert!(empty.say() < 1.0);
}
