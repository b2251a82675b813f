//! Lost events, missing switches, and CPUs whose recording begins late or ends early.

use super::{slices, sums};
use crate::testing::{Making, V};

#[test]
fn nothing_spans_a_gap_on_its_cpu() {
    let mut m = Making::new();
    m.switch(0, 100, 0, 0, 7)
        .switch(0, 200, 7, 0x100, 8)
        .lose(0, Some(5));
    m.push(0, 1000, 9, "softirq_raise", &[V::N(1)])
        .switch(0, 1100, 9, 1, 7)
        .switch(0, 1200, 7, 1, 0);
    m.switch(1, 50, 0, 0, 4).switch(1, 1300, 4, 1, 0);
    let capture = m.capture();
    let (all, pass) = slices(&capture);
    let of_cpu: Vec<_> = all.iter().filter(|s| s.cpu == 0 && s.pid != 0).collect();
    let found: Vec<_> = of_cpu
        .iter()
        .map(|s| (s.pid, s.begin_ns, s.end_ns, s.partial, s.wait))
        .collect();
    assert_eq!(
        found,
        [
            (7, 100, 200, false, None),
            (8, 200, 200, true, None),
            (9, 1000, 1100, true, None),
            (7, 1100, 1200, false, None),
        ]
    );
    // CPU 1 has no gap: its slice is whole.
    assert!(
        all.iter()
            .any(|s| s.pid == 4 && s.length_ns() == 1250 && !s.partial)
    );
    assert_eq!((pass.gaps, pass.lost_events), (1, 5));
    let (tasks, _, _) = sums(&capture);
    assert_eq!((tasks.dropped_waits, tasks.cpus[0].unknown_ns), (1, 800));
}

#[test]
fn a_switch_that_is_not_there_is_no_longer_slice() {
    let mut m = Making::new();
    m.switch(0, 100, 0, 0, 7)
        .push(0, 150, 7, "softirq_raise", &[V::N(1)])
        .push(0, 900, 8, "softirq_raise", &[V::N(1)])
        .switch(0, 1000, 8, 1, 0);
    let capture = m.capture();
    let (all, _) = slices(&capture);
    let found: Vec<_> = all
        .iter()
        .filter(|s| s.pid != 0)
        .map(|s| (s.pid, s.begin_ns, s.end_ns, s.partial))
        .collect();
    assert_eq!(found, [(7, 100, 150, true), (8, 900, 1000, true)]);
    let (tasks, queues, _) = sums(&capture);
    assert_eq!((tasks.missed_switches, tasks.cpus[0].unknown_ns), (1, 750));
    assert_eq!(queues.cpus[0].max, 1);
}

#[test]
fn an_event_within_a_switch_is_no_missing_switch() {
    let mut m = Making::new();
    m.switch(0, 100, 0, 0, 7)
        .switch(0, 200, 7, 1, 8)
        // Before the switch itself is done 7 is still the current one.
        .push(0, 210, 7, "softirq_raise", &[V::N(1)])
        .push(0, 300, 8, "softirq_raise", &[V::N(1)])
        .switch(0, 400, 8, 1, 0)
        .push(0, 500, 0, "softirq_raise", &[V::N(1)]);
    let (tasks, queues, _) = sums(&m.capture());
    assert_eq!((tasks.missed_switches, tasks.cpus[0].unknown_ns), (0, 0));
    assert_eq!(tasks.tasks.get(8).map(|t| t.run_ns), Some(200));
    // 7 sleeps from 200 on, and is in no queue.
    assert_eq!(queues.cpus[0].max, 1);
    assert_eq!(queues.cpus[0].by_length_ns[..2], [100, 300]);
}

/// A task waits on the CPU that its wakeup names, not on the one that it ran on.
#[test]
fn a_gap_of_the_cpu_that_a_task_left_drops_no_wait() {
    let mut m = Making::new();
    m.switch(0, 100, 0, 0, 7)
        .wake("sched_waking", 1, 150, 3, 7, 0)
        .switch(0, 160, 7, 1, 0)
        .wake("sched_wakeup", 1, 170, 3, 7, 1)
        .lose(0, Some(5))
        .switch(0, 200, 0, 0, 8)
        .switch(1, 300, 3, 1, 7);
    let (all, _) = slices(&m.capture());
    let last = all.iter().rev().find(|s| s.pid == 7 && s.cpu == 1);
    let wait = last.and_then(|s| s.wait.as_ref());
    assert_eq!(wait.map(|w| (w.from_ns, w.until_ns)), Some((160, 300)));
}

#[test]
fn a_cpu_is_known_to_the_end_unless_its_ring_was_full() {
    let make = |dropped: u32| {
        let mut m = Making::new();
        m.switch(0, 100, 0, 0, 7);
        m.switch(1, 150, 0, 0, 8).switch(1, 900, 8, 1, 0);
        m.head.cpu_stats.push(crate::CpuStat {
            cpu: 0,
            text: format!("CPU: 0\ndropped events: {dropped}\n"),
        });
        let capture = m.capture();
        let (all, pass) = slices(&capture);
        let last = all.iter().find(|s| s.pid == 7).map(|s| s.end_ns);
        let (tasks, queues, _) = sums(&capture);
        let cpu = &tasks.cpus[0];
        assert_eq!(cpu.busy_ns + cpu.idle_ns + cpu.unknown_ns, cpu.span_ns);
        assert_eq!(queues.cpus[0].known_ns(), cpu.span_ns);
        (pass.cpus[0].until_ns, last, cpu.busy_ns)
    };
    assert_eq!(make(0), (900, Some(900), 800));
    assert_eq!(make(3), (100, Some(100), 0));
}

/// A CPU that came online during the recording: the kernel's account was made
/// without it, others wake tasks there, and its ring begins late. And one that
/// the file does not have at all.
#[test]
fn cpus_that_come_later_are_like_others() {
    let mut m = Making::new();
    m.switch(0, 100, 0, 0, 7)
        .wake("sched_waking", 0, 150, 7, 8, 5)
        .wake("sched_waking", 0, 160, 7, 9, 63);
    let values = [V::T("t9"), V::N(9), V::N(120), V::N(63), V::N(64)];
    m.push(0, 170, 7, "sched_migrate_task", &values);
    m.switch(5, 400, 0, 0, 8).switch(5, 500, 8, 1, 0);
    m.switch(0, 600, 7, 1, 0);
    m.head.cpu_stats.push(crate::CpuStat {
        cpu: 0,
        text: "CPU: 0\ndropped events: 0\n".to_owned(),
    });
    let capture = m.capture();
    let (all, pass) = slices(&capture);
    let of_late: Vec<_> = all
        .iter()
        .filter(|s| s.cpu == 5 && s.pid != 0)
        .map(|s| (s.pid, s.begin_ns, s.end_ns))
        .collect();
    assert_eq!(of_late, [(8, 400, 500)]);
    assert_eq!((pass.cpus.len(), pass.cpus[1].cpu), (2, 5));
    let timeline = crate::timeline::Timeline::of(&capture).unwrap();
    let waits: Vec<i32> = timeline
        .unserved
        .iter()
        .map(|u| timeline.tasks[u.task as usize].pid)
        .collect();
    assert_eq!((timeline.cpus[1].cpu, waits), (5, vec![9]));
    let summary = crate::analyse::summary::Summary::of(&capture);
    assert!(!crate::analyse::explain::explain(&summary).is_empty());
    let file = tempfile::tempdir().unwrap();
    let path = file.path().join("late.dat");
    crate::cut(&capture, &crate::Selection::all(), &path).unwrap();
    assert_eq!(crate::file::open(&path).unwrap().merged().count(), 7);
}
