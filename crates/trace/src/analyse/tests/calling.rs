use crate::Order;
use crate::analyse::functions::{CallTree, EachCall, Profile};
use crate::analyse::{Known, Pass, Symbols};
use crate::testing::{Making, V};
use V::N;

fn symbols() -> Symbols {
    Symbols::parse("1000 T msync\n2000 T sync_range\n3000 T flush\n4000 T schedule\n")
}

fn enter(m: &mut Making, at: u64, pid: i32, function: i64, depth: i64) {
    m.push(0, at, pid, "funcgraph_entry", &[N(function), N(depth)]);
}

fn leave(m: &mut Making, from: u64, at: u64, pid: i32, function: i64, depth: i64) {
    let values = [N(function), N(depth), N(0), N(from as i64), N(at as i64)];
    m.push(0, at, pid, "funcgraph_exit", &values);
}

/// msync 0..100 { sync_range 10..90 { flush 20..30, schedule 40..80 } }
fn msync(m: &mut Making, begin: u64, with_switch: bool) {
    enter(m, begin, 5, 0x1000, 0);
    enter(m, begin + 10, 5, 0x2000, 1);
    enter(m, begin + 20, 5, 0x3000, 2);
    leave(m, begin + 20, begin + 30, 5, 0x3000, 2);
    enter(m, begin + 40, 5, 0x4000, 2);
    if with_switch {
        m.switch(0, begin + 45, 5, 1, 6);
        // Another task's calls do not mix in.
        enter(m, begin + 50, 6, 0x3000, 0);
        leave(m, begin + 50, begin + 60, 6, 0x3000, 0);
        m.switch(0, begin + 75, 6, 1, 5);
    }
    leave(m, begin + 40, begin + 80, 5, 0x4000, 2);
    leave(m, begin + 10, begin + 90, 5, 0x2000, 1);
    leave(m, begin, begin + 100, 5, 0x1000, 0);
}

#[test]
fn hits_times_and_sleep_are_what_was_written() {
    for (with_switch, off_ns) in [(true, 30), (false, 40)] {
        let mut m = Making::of(Order::Big, 4, |name| with_switch || name != "sched_switch");
        msync(&mut m, 1000, with_switch);
        msync(&mut m, 2000, with_switch);
        let capture = m.capture();
        let known = Known::of(&capture);
        let mut profile = Profile::new(&known, &symbols());
        Pass::over(&capture, &known, &mut [&mut profile]);
        let rows = profile.finish(&symbols());
        let found: Vec<_> = rows
            .iter()
            .map(|r| (r.function.as_str(), r.hits, r.total_ns, r.self_ns))
            .collect();
        let flushes = if with_switch { 4 } else { 2 };
        assert_eq!(
            found,
            [
                ("msync", 2, 200, 40),
                ("sync_range", 2, 160, 60),
                ("schedule", 2, 80, 80),
                ("flush", flushes, flushes * 10, flushes * 10),
            ]
        );
        assert_eq!((rows[0].off_ns, rows[0].sleeps()), (2 * off_ns, true));
        assert_eq!(
            (rows[3].off_ns, rows[3].sleeps(), rows[3].variance_ns2),
            (0, false, 0.0)
        );
        assert_eq!(rows[0].by_cpu, [(2, 200)]);
        assert_eq!(profile.stacks.dropped, 0);
    }
}

#[test]
fn the_tree_goes_from_the_root_down_by_time() {
    let mut m = Making::new();
    msync(&mut m, 1000, true);
    let capture = m.capture();
    let known = Known::of(&capture);
    let lines = |root, least| {
        let mut tree = CallTree::new(&known, &symbols(), root);
        Pass::over(&capture, &known, &mut [&mut tree]);
        let lines = tree.lines(&symbols(), least);
        lines
            .into_iter()
            .map(|l| (l.depth, l.function, l.total_ns, l.on_path))
            .collect::<Vec<_>>()
    };
    let line = |depth, name: &str, ns, path| (depth, name.to_owned(), ns, path);
    let below = [
        line(0, "sync_range", 80, true),
        line(1, "schedule", 40, true),
        line(1, "flush", 10, false),
    ];
    assert_eq!(lines(Some("sync_range"), 0.0), below);
    assert_eq!(lines(Some("sync_range"), 0.2), below[..2]);
    assert_eq!(lines(Some("0x3000"), 0.0), [line(0, "flush", 20, true)]);
    assert_eq!(lines(Some("unknown"), 0.0), []);
    assert_eq!(lines(None, 0.0).len(), 5);
}

#[test]
fn each_call_of_a_function_in_order() {
    let mut m = Making::new();
    msync(&mut m, 1000, false);
    msync(&mut m, 2000, true);
    let capture = m.capture();
    let known = Known::of(&capture);
    let mut each = EachCall::new(&known, &symbols(), "sync_range");
    Pass::over(&capture, &known, &mut [&mut each]);
    let times: Vec<_> = each.calls.iter().map(|c| (c.total_ns, c.self_ns)).collect();
    assert_eq!(times, [(80, 30), (80, 30)]);
    assert_eq!((each.calls[1].off_ns, each.dropped()), (30, 0));
}

#[test]
fn hooks_some_bytes_into_a_function_are_of_that_function() {
    let mut m = Making::of(Order::Little, 8, |name| name != "sched_switch");
    enter(&mut m, 10, 5, 0x2004, 0);
    enter(&mut m, 20, 5, 0x4004, 1);
    leave(&mut m, 20, 30, 5, 0x4004, 1);
    leave(&mut m, 10, 40, 5, 0x2004, 0);
    let capture = m.capture();
    let known = Known::of(&capture);
    let mut tree = CallTree::new(&known, &symbols(), Some("sync_range"));
    Pass::over(&capture, &known, &mut [&mut tree]);
    let lines = tree.lines(&symbols(), 0.0);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(
        (lines[0].total_ns, lines[0].off_ns),
        (30, 10),
        "schedule sleeps"
    );
}

#[test]
fn calls_across_a_gap_are_dropped_and_the_rest_goes_on() {
    let mut m = Making::new();
    enter(&mut m, 10, 5, 0x1000, 0);
    enter(&mut m, 20, 5, 0x3000, 1);
    m.lose(0, Some(9));
    leave(&mut m, 80, 90, 5, 0x3000, 1);
    leave(&mut m, 70, 100, 5, 0x1000, 0);
    msync(&mut m, 1000, false);
    let capture = m.capture();
    let known = Known::of(&capture);
    let mut profile = Profile::new(&known, &symbols());
    Pass::over(&capture, &known, &mut [&mut profile]);
    let rows = profile.finish(&symbols());
    assert_eq!(profile.stacks.dropped, 2);
    assert!(rows.iter().all(|row| row.hits == 1), "{rows:?}");
}
