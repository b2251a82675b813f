//! What a lane has in addition to slices: interrupts, timers, lives, idle states; and names.

use super::{Cpu, format, head, timeline};
use crate::analyse::Comm;
use crate::head::System;
use crate::timeline::drawn::Tasks;
use crate::timeline::{Idle, LifeKind, Moment, Span};

#[test]
fn interrupts_are_spans_and_timers_moments() {
    let mut cpu = Cpu::new();
    cpu.push(10, 4, 0, 0, &1u32.to_le_bytes())
        .push(12, 6, 0, 0, &[]);
    let mut timer = 0xffff_1010u64.to_le_bytes().to_vec();
    timer.extend([0; 16]);
    cpu.push(13, 8, 0, 0, &timer);
    cpu.push(15, 7, 0, 0, &[])
        .push(18, 5, 0, 0, &1u32.to_le_bytes());
    cpu.push(19, 9, 0, 0, &[]).push(20, 7, 0, 0, &[]);
    for (at, vec) in [(21, 3u32), (23, 1), (25, 77)] {
        cpu.push(at, 4, 0, 0, &vec.to_le_bytes())
            .push(at + 1, 5, 0, 0, &vec.to_le_bytes());
    }
    let t = timeline(head(), vec![cpu]);
    let name = |name: &str| t.names.iter().position(|n| n == name).unwrap() as u32;
    let lane = &t.cpus[0];
    let span = |start_ns, end_ns, called| Span {
        start_ns,
        end_ns,
        name: name(called),
    };
    assert_eq!(lane.hardirqs, [span(12, 15, "local_timer")]);
    assert_eq!(
        lane.softirqs,
        [
            span(10, 18, "softirq TIMER"),
            span(21, 22, "softirq NET_RX"),
            span(23, 24, "softirq TIMER"),
            span(25, 26, "softirq 77"),
        ]
    );
    let at = |at_ns, called| Moment {
        at_ns,
        name: name(called),
    };
    assert_eq!(
        lane.moments,
        [at(13, "hrtimer tick"), at(19, "hrtimer_start")]
    );
}

#[test]
fn lives_idle_states_and_former_names() {
    let mut head = head();
    head.systems[0].formats.extend([
        format(
            10,
            "sched_process_fork",
            &[
                ("pid_t parent_pid", 8, 4),
                ("pid_t child_pid", 12, 4),
                ("char child_comm[4]", 16, 4),
            ],
        ),
        format(
            11,
            "sched_process_exec",
            &[("pid_t pid", 8, 4), ("char filename[8]", 12, 8)],
        ),
        format(12, "sched_process_exit", &[("pid_t pid", 8, 4)]),
    ]);
    head.systems.push(System {
        name: "power".to_owned(),
        formats: vec![format(13, "cpu_idle", &[("u32 state", 8, 4)])],
    });
    let mut cpu = Cpu::new();
    let fork = |child: i32| [1i32.to_le_bytes(), child.to_le_bytes(), *b"new\0"].concat();
    let exec = [&2i32.to_le_bytes()[..], b"/bin/x\0\0"].concat();
    cpu.switch(10, 0, 0, 1).push(12, 10, 0, 1, &fork(2));
    // One that never runs: its fork names it.
    cpu.push(13, 10, 0, 1, &fork(9));
    cpu.switch(20, 1, 1, 2).push(25, 11, 0, 2, &exec);
    cpu.push(35, 12, 0, 2, &2i32.to_le_bytes());
    cpu.switch(40, 2, 0x20, 0);
    cpu.push(41, 13, 0, 0, &2u32.to_le_bytes());
    cpu.push(90, 13, 0, 0, &u32::MAX.to_le_bytes());
    let t = timeline(head, vec![cpu]);
    let lane = &t.cpus[0];
    let lives: Vec<_> = lane
        .lives
        .iter()
        .map(|l| {
            let name = l.name.map(|n| t.names[n as usize].as_str());
            (l.at_ns, l.kind, t.tasks[l.task as usize].pid, name)
        })
        .collect();
    let wanted = [
        (12, LifeKind::Fork, 2, None),
        (13, LifeKind::Fork, 9, None),
        (25, LifeKind::Exec, 2, Some("/bin/x")),
        (35, LifeKind::Exit, 2, None),
    ];
    assert_eq!(lives, wanted);
    let names: Vec<_> = t
        .tasks
        .iter()
        .map(|task| (task.pid, task.name.as_str()))
        .collect();
    assert!(
        names.contains(&(9, "new")) && names.contains(&(2, "c")),
        "{names:?}"
    );
    let stay = Idle {
        start_ns: 41,
        end_ns: 90,
        state: 2,
    };
    assert_eq!((lane.idle.as_slice(), lane.moments.len()), (&[stay][..], 0));
    let part = t.part(24, 60);
    assert_eq!(part.cpus[0].lives.len(), 2);
    assert_eq!(part.cpus[0].idle[0].end_ns, 60);
    assert_eq!(part.names, ["/bin/x"]);
}

#[test]
fn a_task_that_is_renamed_keeps_its_former_names() {
    let mut tasks = Tasks::default();
    let task = tasks.index(7).unwrap();
    for name in ["sh", "sh", "", "env", "sh", "ls"] {
        tasks.named(task, Comm::new(name.as_bytes()));
    }
    let other = tasks.index(8).unwrap();
    assert_eq!((tasks.index(0), other), (None, 1));
    let all = tasks.finish(|pid| (pid == 8).then_some("eight"));
    assert_eq!(
        (all[0].name.as_str(), all[0].before.join(" ")),
        ("ls", "sh env".to_owned())
    );
    assert_eq!(all[1].name, "eight");
}
