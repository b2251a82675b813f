use crate::analyse::queue::Queues;
use crate::analyse::slices::{End, Ready, Slice, Slices, Wait};
use crate::analyse::tasks::{Tasks, jain};
use crate::analyse::{Known, Pass};
use crate::testing::{Making, V};
use crate::{Capture, Order};
use proptest::prelude::*;

fn slices(capture: &Capture) -> (Vec<Slice>, Pass) {
    let known = Known::of(capture);
    let mut all = Vec::new();
    let mut slices = Slices::new(&known, |slice: &Slice| all.push(*slice));
    let pass = Pass::over(capture, &known, &mut [&mut slices]);
    (all, pass)
}

fn sums(capture: &Capture) -> (Tasks, Queues, Pass) {
    let known = Known::of(capture);
    let mut slices = Slices::new(&known, Tasks::new(&known.cpus));
    let mut queues = Queues::new(&known, ());
    let pass = Pass::over(capture, &known, &mut [&mut slices, &mut queues]);
    (slices.sink, queues, pass)
}

/// 7 runs, is preempted by 8, waits, runs, sleeps; 9 is woken by 7 meanwhile.
fn known_capture(order: Order, long_bytes: u8) -> Capture {
    let mut m = Making::of(order, long_bytes, |_| true);
    m.switch(0, 100, 0, 0, 7)
        .wake("sched_waking", 0, 150, 7, 8, 0)
        .switch(0, 200, 7, 0x100, 8)
        .wake("sched_waking", 0, 250, 8, 9, 0)
        .wake("sched_wakeup", 0, 260, 8, 9, 0)
        .switch(0, 300, 8, 1, 7)
        .switch(0, 450, 7, 0, 9)
        .switch(0, 500, 9, 0x10, 7)
        .switch(0, 600, 7, 2, 0)
        .switch(0, 700, 0, 0, 8);
    m.capture()
}

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
            (pass.events, pass.span_ns(), pass.short_events),
            (10, 600, 0)
        );
    }
}

#[test]
fn sums_by_task_and_cpu_and_who_held_it() {
    let (tasks, queues, _) = sums(&known_capture(Order::Little, 8));
    let busiest = tasks.busiest();
    assert_eq!(
        (busiest[0].pid, busiest[0].run_ns, busiest[0].wait_ns),
        (7, 350, 150)
    );
    assert_eq!((busiest[0].preempted, busiest[0].still_runnable), (1, 1));
    assert_eq!(busiest[0].blocked, [('D', 1)]);
    let longest = &tasks.held.waits[0];
    assert_eq!((longest.pid, longest.wait.length_ns()), (9, 200));
    let holders: Vec<_> = longest.holders.iter().map(|h| (h.pid, h.ns)).collect();
    assert_eq!(holders, [(7, 150), (8, 50)]);
    let cpu = &tasks.cpus[0];
    assert_eq!(
        (cpu.busy_ns, cpu.idle_ns, cpu.unknown_ns, cpu.switches),
        (500, 100, 0, 7)
    );
    // 150-200: 7, 8; 200-250: 8, 7; 250-300: 8, 7, 9; 300-450: 7, 9; 450-500: 9, 7.
    let queue = &queues.cpus[0];
    assert_eq!(queue.by_length_ns[..4], [100, 150, 300, 50]);
    assert_eq!(queue.max, 3);
}

/// Two tasks share the CPU, 75 to 25, in 12,000 slices, while a third one waits.
#[test]
fn who_held_the_cpu_is_counted_over_the_whole_wait() {
    let mut m = Making::new();
    let mut at_ns = 100;
    m.switch(0, at_ns, 0, 0, 5);
    m.wake("sched_waking", 0, at_ns, 5, 9, 0);
    for turn in 0..12_000u64 {
        // First the one with short slices, then the one with long ones.
        let (pid, next) = if turn % 2 == 0 { (5, 6) } else { (6, 5) };
        let first_half = turn < 6_000;
        at_ns += if (pid == 5) == first_half { 1_000 } else { 0 } + 500;
        m.switch(0, at_ns, pid, 0x100, if turn == 11_999 { 9 } else { next });
    }
    m.switch(0, at_ns + 50, 9, 1, 0);
    let capture = m.capture();
    let (tasks, _, _) = sums(&capture);
    let longest = &tasks.held.waits[0];
    assert_eq!((longest.pid, longest.unknown_ns), (9, 0));
    let holders: Vec<_> = longest.holders.iter().map(|h| (h.pid, h.ns)).collect();
    // 3000 turns of 1500 ns and 3000 of 500 ns each.
    assert_eq!(holders, [(5, 6_000_000), (6, 6_000_000)]);
    let summary = crate::analyse::summary::Summary::of(&capture);
    let sentences = crate::analyse::explain::explain(&summary);
    let longest = sentences.iter().find(|s| s.topic == "longest waits");
    let text = &longest.unwrap().text;
    assert!(
        text.ends_with("meanwhile it ran t5 [5] 50 %, t6 [6] 50 %."),
        "{text}"
    );
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
fn migrations_have_an_event_or_are_seen() {
    let make = |with_event: bool| {
        let mut m = Making::of(Order::Little, 8, |name| {
            with_event || name != "sched_migrate_task"
        });
        for at in [0, 100] {
            m.switch(0, at, 0, 0, 7).switch(0, at + 80, 7, 1, 0);
        }
        if with_event {
            let values = [V::T("t7"), V::N(7), V::N(120), V::N(0), V::N(1)];
            m.push(0, 250, 0, "sched_migrate_task", &values);
        }
        m.switch(1, 300, 0, 0, 7).switch(1, 400, 7, 1, 0);
        // It stays there.
        for at in [500, 700] {
            m.switch(1, at, 0, 0, 7).switch(1, at + 100, 7, 1, 0);
        }
        sums(&m.capture()).0.tasks.get(7).map(|t| t.migrations)
    };
    assert_eq!((make(true), make(false)), (Some(1), Some(1)));
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

#[test]
fn fairness_is_between_one_share_and_equal_shares() {
    assert_eq!(jain(&[]), None);
    assert_eq!(jain(&[5.0, 5.0]), Some(1.0));
    assert_eq!(jain(&[8.0, 0.0]), Some(0.5));
}

proptest! {
    #[test]
    fn slices_idle_and_gaps_are_the_wall_time_of_every_cpu(
        steps in prop::collection::vec((0u32..3, 1u64..1000, 0i32..6, 0i64..4, 0u8..12), 1..400),
        big: bool,
    ) {
        let mut m = Making::of(if big { Order::Big } else { Order::Little }, 8, |_| true);
        // Without a switch it is not known who ran.
        let switched = steps.iter().any(|step| step.4 >= 4);
        let (mut at, mut running) = (1_000, [0i32; 3]);
        for (cpu, pass, task, state, what) in steps {
            at += pass;
            let place = cpu as usize;
            match what {
                0 => { m.lose(cpu, Some(1)); running[place] = task; }
                1..4 => { m.wake("sched_waking", cpu, at, running[place], 10 + task, cpu); }
                _ => {
                    let state = [0, 0x100, 1, 2][state as usize];
                    m.switch(cpu, at, running[place], state, task);
                    running[place] = task;
                }
            }
        }
        let capture = m.capture();
        let (all, pass) = slices(&capture);
        for span in &pass.cpus {
            let mut of_cpu: Vec<&Slice> = all.iter().filter(|s| s.cpu == span.cpu).collect();
            of_cpu.sort_by_key(|s| (s.begin_ns, s.end_ns));
            prop_assert!(of_cpu.windows(2).all(|two| two[0].end_ns <= two[1].begin_ns));
            if pass.gaps == 0 && switched {
                let sum: u64 = of_cpu.iter().map(|s| s.length_ns()).sum();
                prop_assert_eq!(sum, span.length_ns());
                prop_assert!(of_cpu.windows(2).all(|two| two[0].end_ns == two[1].begin_ns));
            }
        }
        let (tasks, queues, pass) = sums(&capture);
        for ((cpu, queue), span) in tasks.cpus.iter().zip(&queues.cpus).zip(&pass.cpus) {
            prop_assert_eq!(cpu.busy_ns + cpu.idle_ns + cpu.unknown_ns, span.length_ns());
            prop_assert!(pass.gaps > 0 || !switched || cpu.unknown_ns == 0);
            // Other CPUs' events tell of a queue also behind its own last one.
            prop_assert!(queue.known_ns() + cpu.unknown_ns >= cpu.span_ns);
        }
        let by_task: u64 = tasks.busiest().iter().map(|t| t.run_ns).sum();
        prop_assert_eq!(by_task, tasks.cpus.iter().map(|c| c.busy_ns).sum::<u64>());
    }
}
