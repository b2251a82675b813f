use crate::analyse::explain::explain;
use crate::analyse::idle::IdleSum;
use crate::analyse::summary::Summary;
use crate::testing::{Making, V};

fn enter(m: &mut Making, at_ns: u64, pid: i32, number: i64) {
    m.push(0, at_ns, pid, "sys_enter", &[V::N(number)]);
}

fn exit(m: &mut Making, at_ns: u64, pid: i32, number: i64) {
    m.push(0, at_ns, pid, "sys_exit", &[V::N(number)]);
}

#[test]
fn calls_are_summed_by_task_and_number() {
    let mut m = Making::new();
    m.switch(0, 100, 0, 0, 7);
    enter(&mut m, 110, 7, 0);
    // Asleep in it from 120 to 200.
    m.switch(0, 120, 7, 1, 8);
    enter(&mut m, 130, 8, 1);
    exit(&mut m, 150, 8, 1);
    enter(&mut m, 160, 8, 231);
    m.switch(0, 200, 8, 0x20, 7);
    exit(&mut m, 210, 7, 0);
    enter(&mut m, 220, 7, 0);
    exit(&mut m, 250, 7, 0);
    // Its entry is not in the capture; and one exit without a number.
    exit(&mut m, 255, 7, 3);
    enter(&mut m, 260, 7, 15);
    exit(&mut m, 265, 7, -1);
    let summary = Summary::of(&m.capture());
    let found: Vec<_> = summary
        .syscalls
        .calls
        .iter()
        .map(|c| (c.pid, c.number, c.count, c.total_ns, c.max_ns, c.off_cpu_ns))
        .collect();
    let wanted = [
        (7, 0, 2, 130, 100, 80),
        (8, 1, 1, 20, 20, 0),
        (7, 15, 1, 5, 5, 0),
    ];
    assert_eq!(found, wanted);
    let first = &summary.syscalls.calls[0];
    assert_eq!(
        (first.average_ns(), first.called()),
        (65, "call 0".to_owned())
    );
    assert_eq!(
        (summary.syscalls.unfinished, summary.syscalls.dropped),
        (1, 0)
    );
    let sentences: Vec<String> = explain(&summary).into_iter().map(|s| s.text).collect();
    let wanted = "t7 [7] was off the CPU longest inside system calls: 80 ns, most of it in call 0 (2 calls, 80 ns).";
    assert!(sentences.iter().any(|s| s == wanted), "{sentences:#?}");
}

/// Two tasks whose calls are recorded, and no switch: who ran is not known.
#[test]
fn system_calls_alone_make_no_slices_and_no_fairness() {
    let mut m = Making::new();
    for turn in 0..50 {
        for (pid, later_ns) in [(7, 0), (8, 50)] {
            let at_ns = 100 + turn * 100 + later_ns;
            enter(&mut m, at_ns, pid, 1);
            exit(&mut m, at_ns + 10, pid, 1);
        }
    }
    let capture = m.capture();
    let summary = Summary::of(&capture);
    assert!(summary.fairness().is_none());
    assert_eq!(summary.tasks.missed_switches, 0);
    assert!(summary.tasks.busiest().iter().all(|task| task.run_ns == 0));
    let topics: Vec<&str> = explain(&summary).iter().map(|s| s.topic).collect();
    assert!(!topics.contains(&"fairness") && !topics.contains(&"busiest tasks"));
    let timeline = crate::timeline::Timeline::of(&capture).unwrap();
    assert_eq!(timeline.slice_count(), 0);
    assert!(timeline.cpus[0].gaps.is_empty(), "nothing is missing");
    // With the first switch the task before it is known.
    let mut m = Making::new();
    enter(&mut m, 100, 7, 1);
    m.switch(0, 300, 7, 1, 0);
    assert_eq!(
        Summary::of(&m.capture()).tasks.tasks.get(7).unwrap().run_ns,
        200
    );
}

#[test]
fn names_are_those_of_the_capture() {
    let mut m = Making::new();
    m.switch(0, 100, 0, 0, 7);
    // By name and raw at once: one call.
    m.push(0, 110, 7, "sys_enter_read", &[V::N(63), V::N(3)]);
    enter(&mut m, 110, 7, 63);
    exit(&mut m, 140, 7, 63);
    m.push(0, 141, 7, "sys_exit_read", &[V::N(63), V::N(1)]);
    enter(&mut m, 150, 7, 64);
    exit(&mut m, 160, 7, 64);
    let summary = Summary::of(&m.capture());
    let found: Vec<_> = summary
        .syscalls
        .calls
        .iter()
        .map(|c| (c.called(), c.count, c.total_ns))
        .collect();
    let wanted = [("read".to_owned(), 1, 30), ("call 64".to_owned(), 1, 10)];
    assert_eq!(found, wanted);
}

#[test]
fn no_call_spans_a_gap() {
    let mut m = Making::new();
    m.switch(0, 100, 0, 0, 7);
    enter(&mut m, 110, 7, 0);
    m.lose(0, Some(3));
    exit(&mut m, 500, 7, 0);
    enter(&mut m, 510, 7, 0);
    exit(&mut m, 520, 7, 0);
    let syscalls = Summary::of(&m.capture()).syscalls;
    assert_eq!((syscalls.dropped, syscalls.calls.len()), (1, 1));
    assert_eq!(
        (syscalls.calls[0].count, syscalls.calls[0].total_ns),
        (1, 10)
    );
}

#[test]
fn idle_states_are_summed_by_cpu() {
    let mut m = Making::new();
    let awake = i64::from(u32::MAX);
    let mut idle = |cpu, at_ns, state| {
        m.push(cpu, at_ns, 0, "cpu_idle", &[V::N(state)]);
    };
    // An end whose begin is not in the capture.
    idle(0, 90, awake);
    idle(0, 100, 2);
    idle(0, 150, awake);
    idle(0, 200, 2);
    idle(0, 300, awake);
    idle(0, 310, 0);
    idle(0, 320, awake);
    idle(1, 100, 1);
    m.lose(1, None);
    m.push(1, 200, 0, "cpu_idle", &[V::N(awake)]);
    m.push(1, 300, 0, "cpu_idle", &[V::N(1)]);
    m.push(0, 400, 0, "softirq_raise", &[V::N(1)]);
    let sum = |cpu, state, count, total_ns, max_ns| IdleSum {
        cpu,
        state,
        count,
        total_ns,
        max_ns,
    };
    // That of CPU 1 goes on to the end of the capture.
    let wanted = [
        sum(0, 0, 1, 10, 10),
        sum(0, 2, 2, 150, 100),
        sum(1, 1, 1, 100, 100),
    ];
    assert_eq!(Summary::of(&m.capture()).idle, wanted);
}
