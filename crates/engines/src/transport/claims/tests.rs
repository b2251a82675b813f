use super::*;
use crate::transport::AXES;
use crate::transport::testing::measured_by;
use testbed::{int, measured, word};

/// One point: its words in the order of the axes, its time, and the calls of
/// both sides and the sleeps of an operation.
#[derive(Clone, Copy)]
struct Made {
    size: i64,
    pattern: &'static str,
    mode: &'static str,
    placement: &'static str,
    partner: &'static str,
    buffer: i64,
    ns: f64,
    counts: [f64; 3],
}

const STREAM: Made = Made {
    size: 64,
    pattern: "stream",
    mode: "2threads",
    placement: "same_cache",
    partner: "idle",
    buffer: 0,
    ns: 500.0,
    counts: [1.0, 1.0, 0.1],
};
const TRIP: Made = Made {
    pattern: "round_trip",
    ns: 20_000.0,
    counts: [2.0, 2.0, 2.0],
    ..STREAM
};
const AWAKE: Made = Made {
    partner: "awake",
    ns: 500.0,
    counts: [0.0, 0.0, 0.0],
    ..TRIP
};

fn point(made: &Made) -> PointView {
    let settings = [
        int("size", made.size),
        word("pattern", made.pattern),
        word("mode", made.mode),
        word("placement", made.placement),
        word("partner", made.partner),
        int("buffer", made.buffer),
        int("total", 0),
    ];
    let [sender, receiver, sleeps] = made.counts;
    measured("ipc/pipe", &settings, &[made.ns, sender, receiver, sleeps])
}

fn table(points: &[Made]) -> ExperimentTable {
    measured_by("ipc/pipe", points.iter().map(point).collect())
}

/// What a check says: held, not held, or not measured.
fn held(check: impl Fn(&ExperimentTable) -> Option<Outcome>, points: &[Made]) -> Option<bool> {
    check(&table(points)).map(|outcome| {
        let evidence = &outcome.evidence;
        assert!(evidence.chars().any(|c| c.is_ascii_digit()), "{evidence}");
        outcome.held().expect(evidence)
    })
}

/// Measured, and not decided.
fn is_open(check: impl Fn(&ExperimentTable) -> Option<Outcome>, points: &[Made]) -> bool {
    check(&table(points)).is_some_and(|outcome| outcome.is_unclear())
}

fn sized(size: i64, ns: f64) -> Made {
    Made { size, ns, ..STREAM }
}

#[test]
fn the_points_are_those_of_the_transports() {
    let axes = AXES.iter().map(|a| a.name);
    let made = point(&STREAM);
    assert!(axes.eq(made.head.settings.iter().map(|s| s.axis.as_str())));
}

#[test]
fn flat_is_up_to_twice_the_smallest_in_the_row_of_the_toll_map() {
    let small = sized(64, 500.0);
    let check = FLAT.check;
    assert_eq!(held(check, &[small, sized(4096, 900.0)]), Some(true));
    assert_eq!(held(check, &[small, sized(4096, 1100.0)]), Some(false));
    assert!(is_open(check, &[small, sized(4096, 1002.0)]));
    assert_eq!(held(check, &[small, sized(8192, 900.0)]), None);
    assert_eq!(held(check, &[sized(4096, 900.0)]), None);
    let elsewhere = Made {
        placement: "same_cpu",
        ..small
    };
    assert_eq!(held(check, &[elsewhere, sized(4096, 900.0)]), None);
}

#[test]
fn waking_is_judged_between_points_that_differ_in_the_partner_only() {
    let ten = |t: &ExperimentTable| waking(t, 10.0);
    assert_eq!(held(WAKING.check, &[AWAKE, TRIP]), Some(true));
    assert_eq!(held(ten, &[AWAKE, TRIP]), Some(true));
    let soon = Made { ns: 4000.0, ..TRIP };
    assert_eq!(held(WAKING.check, &[AWAKE, soon]), Some(true));
    assert_eq!(held(ten, &[AWAKE, soon]), Some(false));
    let processes = |made| Made {
        mode: "2processes",
        ..made
    };
    let both = [AWAKE, TRIP, processes(AWAKE), processes(soon)];
    assert_eq!(held(ten, &both), Some(false), "the worst pair decides");
    assert_eq!(held(ten, &[AWAKE, processes(TRIP)]), None);
    assert_eq!(held(ten, &[TRIP]), None);
}

#[test]
fn calls_are_counted_on_the_side_that_the_claim_names() {
    let two = |name| move |t: &ExperimentTable| calls(t, true, name, 2.0);
    let sender = Made {
        counts: [2.0, 1.0, 0.0],
        ..STREAM
    };
    assert_eq!(held(two("sender_calls"), &[sender]), Some(true));
    assert_eq!(held(two("receiver_calls"), &[sender]), Some(false));
    assert_eq!(held(two("sender_calls"), &[sender, STREAM]), Some(false));
    assert_eq!(held(two("sender_calls"), &[TRIP]), None);
    let alone = Made {
        mode: "1thread",
        ..sender
    };
    assert_eq!(held(two("sender_calls"), &[alone]), None);
}

#[test]
fn one_call_is_one_on_each_side() {
    assert_eq!(held(ONE_CALL.check, &[STREAM]), Some(true));
    let twice = Made {
        size: 1 << 20,
        counts: [1.0, 2.0, 0.0],
        ..STREAM
    };
    assert_eq!(held(ONE_CALL.check, &[STREAM, twice]), Some(false));
    let small = |t: &ExperimentTable| one_call(t, 64);
    assert_eq!(held(small, &[STREAM, twice]), Some(true));
    assert_eq!(held(small, &[twice]), None);
}

#[test]
fn who_is_awake_calls_nobody() {
    assert_eq!(held(NO_CALLS_AWAKE.check, &[AWAKE, TRIP]), Some(true));
    let calling = Made {
        counts: [0.0, 1.0, 0.0],
        ..AWAKE
    };
    let both = [AWAKE, calling];
    assert_eq!(held(NO_CALLS_AWAKE.check, &both), Some(false));
    assert_eq!(held(NO_CALLS_AWAKE.check, &[TRIP]), None);
}

#[test]
fn sleeps_are_those_of_streams_and_of_the_points_asked_for() {
    let asleep = |size, sleeps| Made {
        size,
        counts: [1.0, 1.0, sleeps],
        ..STREAM
    };
    let check = EACH_SLEEPS.check;
    assert_eq!(held(check, &[asleep(64, 2.0)]), Some(true));
    assert_eq!(
        held(check, &[asleep(64, 2.0), asleep(4096, 0.5)]),
        Some(false)
    );
    assert_eq!(held(check, &[TRIP]), None);
    let beyond = |t: &ExperimentTable| sleeps_beyond(t, |_| Some(65536));
    let fits = asleep(65536, 0.5);
    assert_eq!(held(beyond, &[fits, asleep(1 << 20, 8.0)]), Some(true));
    assert_eq!(held(beyond, &[fits, asleep(1 << 20, 0.5)]), Some(false));
    assert_eq!(held(beyond, &[fits]), None);
    let unknown = |t: &ExperimentTable| sleeps_beyond(t, |_| None);
    assert_eq!(held(unknown, &[asleep(1 << 20, 8.0)]), None);
}

#[test]
fn a_queue_of_bytes_sleeps_for_large_messages() {
    let here = |size, sleeps| Made {
        size,
        placement: "same_cpu",
        counts: [1.0, 1.0, sleeps],
        ..STREAM
    };
    let check = large_ones_sleep_more;
    assert_eq!(held(check, &[here(64, 0.1), here(8192, 1.0)]), Some(true));
    assert_eq!(held(check, &[here(64, 1.0), here(8192, 0.9)]), Some(false));
    assert!(is_open(check, &[here(64, 1.0), here(8192, 1.0)]));
    assert_eq!(held(check, &[here(64, 0.1)]), None);
    assert_eq!(held(check, &[STREAM, sized(8192, 1.0)]), None);
}

#[test]
fn a_small_trip_awake_and_the_tail_of_any_trip_are_bounded() {
    let short = |t: &ExperimentTable| small_trip_awake(t, 1e3);
    assert_eq!(held(short, &[AWAKE, TRIP]), Some(true));
    let slow = Made {
        ns: 1200.0,
        ..AWAKE
    };
    assert_eq!(held(short, &[AWAKE, slow]), Some(false));
    let large = Made { size: 4096, ..slow };
    assert_eq!(held(short, &[large]), None);
    // One in ten of a made-up point is 1 % above its median, the longest 10 %.
    let tail = |t: &ExperimentTable| no_trip_takes(t, 40e6);
    // 31 trips at each point: 372 in all.
    assert_eq!(held(tail, &[TRIP; 12]), Some(true));
    assert!(is_open(tail, &[TRIP; 11]), "a later one may be among 100");
    let late = |ns| Made { ns, ..TRIP };
    let mut trips = [TRIP; 12];
    trips[3] = late(39.0e6);
    assert!(is_open(tail, &trips), "some are late, how many is unknown");
    trips[3] = late(39.7e6);
    assert_eq!(held(tail, &trips), Some(false), "one in ten is late");
    assert_eq!(held(tail, &[STREAM]), None);
}

#[test]
fn a_cliff_is_a_bandwidth_that_halves_beyond_the_buffer() {
    let check = |t: &ExperimentTable| no_cliff(t, |_| Some(200 << 10));
    let below = sized(64 << 10, 10_000.0);
    let same_rate = sized(1 << 20, 160_000.0);
    assert_eq!(held(check, &[below, same_rate]), Some(true));
    let slow = sized(1 << 20, 400_000.0);
    assert_eq!(held(check, &[below, slow]), Some(false));
    assert_eq!(held(check, &[below]), None);
    assert_eq!(held(check, &[slow]), None);
}

#[test]
fn a_small_buffer_is_judged_beside_the_default_at_the_same_size() {
    let check = |t: &ExperimentTable| small_buffer_costs(t, 4096);
    let default = sized(64 << 10, 10_000.0);
    let buffered = |size, ns| Made {
        buffer: 4096,
        ..sized(size, ns)
    };
    assert_eq!(
        held(check, &[default, buffered(65536, 50_000.0)]),
        Some(true)
    );
    assert_eq!(
        held(check, &[default, buffered(65536, 9_000.0)]),
        Some(false)
    );
    assert_eq!(held(check, &[default, buffered(1 << 20, 9e6)]), None);
    assert_eq!(held(check, &[STREAM, buffered(64, 9e6)]), None);
}

#[test]
fn a_byte_beyond_the_caches_costs_more() {
    let page = sized(4096, 400.0);
    let check = largest_byte_costs_more;
    assert_eq!(held(check, &[page, sized(16 << 20, 5e6)]), Some(true));
    assert_eq!(held(check, &[page, sized(16 << 20, 1e6)]), Some(false));
    assert_eq!(held(check, &[page, sized(1 << 20, 5e6)]), None);
}
