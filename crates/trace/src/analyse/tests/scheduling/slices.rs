//! How slices begin and end.

use super::{known_capture, slices, sums};
use crate::Order;
use crate::analyse::slices::{End, Ready, Wait};
use crate::testing::{Making, V};

#[test]
fn slices_waits_and_ends_are_what_was_written() {
    for (order, long_bytes) in [
        (Order::Little, 8),
        (Order::Big, 8),
        (Order::Little, 4),
        (Order::Big, 4),
    ] {
        let (all, pass) = slices(&known_capture(order, long_bytes));
        let found: Vec<_> = all
            .iter()
            .map(|s| (s.pid, s.begin_ns, s.end_ns, s.end, s.partial))
            .collect();
        assert_eq!(
            found,
            [
                (0, 100, 100, End::StillRunnable, true),
                (7, 100, 200, End::Preempted, false),
                (8, 200, 300, End::Blocked('S'), false),
                (7, 300, 450, End::StillRunnable, false),
                (9, 450, 500, End::Exited, false),
                (7, 500, 600, End::Blocked('D'), false),
                (0, 600, 700, End::StillRunnable, false),
                (8, 700, 700, End::Cut, true),
            ]
        );
        let wait = |from_ns, until_ns, why| {
            Some(Wait {
                from_ns,
                until_ns,
                why,
            })
        };
        let woken = |waker| Ready::Woken {
            waker,
            cpu: 0,
            interrupt: false,
        };
        let waits: Vec<_> = all.iter().map(|s| s.wait).collect();
        assert_eq!(
            waits,
            [
                None,
                None,
                wait(150, 200, woken(7)),
                wait(200, 300, Ready::Preempted),
                wait(250, 450, woken(8)),
                wait(450, 500, Ready::StillRunnable),
                None,
                None,
            ]
        );
        assert_eq!(
            (pass.events, pass.span_ns(), pass.misfit_events),
            (10, 600, 0)
        );
    }
}

/// A kernel that preempts by its tick takes the CPU on the way to user space: R
/// without +. What sched_yield gives away is no preemption.
#[test]
fn switches_of_runnable_tasks_are_preemptions_unless_they_yield() {
    for (uname, by_event) in [
        (Some("Linux host 6.1.0 x86_64 GNU/Linux"), false),
        (None, true),
    ] {
        let mut m = Making::of(Order::Little, 8, |name| {
            by_event || !name.ends_with("_read")
        });
        m.head.uname = uname.map(str::to_owned);
        for system in &mut m.head.systems {
            for format in &mut system.formats {
                *format = format.replace("enter_read", "enter_sched_yield");
            }
        }
        m.switch(0, 100, 0, 0, 7)
            .switch(0, 200, 7, 0, 8)
            .switch(0, 300, 8, 0x100, 7);
        let (enter, exit) = match by_event {
            true => ("sys_enter_read", "sys_exit_read"),
            false => ("sys_enter", "sys_exit"),
        };
        m.push(0, 310, 7, enter, &[V::N(24)])
            .switch(0, 320, 7, 0, 8)
            .switch(0, 400, 8, 0, 7)
            .push(0, 410, 7, exit, &[V::N(24)])
            .switch(0, 500, 7, 0, 8)
            .switch(0, 600, 8, 1, 0)
            // Idle is never preempted.
            .switch(0, 700, 0, 0, 7);
        let capture = m.capture();
        let (tasks, _, _) = sums(&capture);
        let sum = tasks.tasks.get(7).unwrap();
        assert_eq!((sum.preempted, sum.still_runnable, sum.yielded), (0, 3, 1));
        let sum = tasks.tasks.get(8).unwrap();
        assert_eq!((sum.preempted, sum.still_runnable, sum.yielded), (1, 1, 0));
        assert_eq!(tasks.cpus[0].preempted, 4);
        let ends = slices(&capture)
            .0
            .into_iter()
            .filter(|s| s.end == End::Yielded);
        let ends: Vec<_> = ends.map(|s| (s.pid, s.end_ns, s.end.letters())).collect();
        assert_eq!(ends, [(7, 320, "R".to_owned())]);
    }
}

#[test]
fn a_burst_goes_from_waking_to_sleeping_whoever_is_let_in_between() {
    let mut m = Making::new();
    m.switch(0, 100, 0, 0, 8)
        .wake("sched_waking", 0, 150, 8, 7, 0)
        .switch(0, 200, 8, 0x100, 7)
        .switch(0, 300, 7, 0x100, 8)
        .switch(0, 450, 8, 0x100, 7)
        .switch(0, 470, 7, 1, 8)
        // Without a waking its begin is not known.
        .switch(0, 500, 8, 0x100, 7)
        .switch(0, 900, 7, 1, 8);
    let (tasks, _, _) = sums(&m.capture());
    let bursts = &tasks.tasks.get(7).unwrap().bursts;
    assert_eq!((bursts.count, bursts.sum), (1, 120));
}

#[test]
fn a_waking_of_a_running_task_counts_when_it_then_blocks() {
    let mut m = Making::new();
    m.switch(0, 100, 0, 0, 7)
        .wake("sched_waking", 1, 150, 3, 7, 0)
        .switch(0, 160, 7, 1, 0)
        .wake("sched_wakeup", 1, 170, 3, 7, 0)
        .switch(0, 200, 0, 0, 7)
        .switch(0, 300, 7, 1, 0)
        .switch(0, 400, 0, 0, 7);
    let (all, _) = slices(&m.capture());
    let waits: Vec<_> = all
        .iter()
        .filter(|s| s.pid == 7)
        .map(|s| s.wait.map(|w| w.from_ns))
        .collect();
    assert_eq!(waits, [None, Some(160), None]);
}
