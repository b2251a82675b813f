//! Sums by task and CPU: time, waits and who held the CPU, migrations, fairness.

use super::{known_capture, slices, sums};
use crate::Order;
use crate::analyse::slices::Slice;
use crate::analyse::tasks::jain;
use crate::testing::{Making, V};
use proptest::prelude::*;

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
        text.ends_with("in that time it ran t5 [5] 50 %, t6 [6] 50 %."),
        "{text}"
    );
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
            // Events of other CPUs change a queue also behind its own last event.
            prop_assert!(queue.known_ns() + cpu.unknown_ns >= cpu.span_ns);
        }
        let by_task: u64 = tasks.busiest().iter().map(|t| t.run_ns).sum();
        prop_assert_eq!(by_task, tasks.cpus.iter().map(|c| c.busy_ns).sum::<u64>());
    }
}
