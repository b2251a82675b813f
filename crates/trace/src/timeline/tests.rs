use super::{End, Gap, Idle, LifeKind, Moment, Slice, Span, Timeline, Wait, Waker};
use crate::analyse::Comm;
use crate::bytes::Order;
use crate::capture::Capture;
use crate::format::PageLayout;
use crate::head::{CpuStat, Head, System};
use crate::page::PageWriter;
use crate::pages::CpuPages;
use proptest::prelude::*;

const COMMON: &str = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
    \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n";

fn format(id: u16, name: &str, fields: &[(&str, usize, usize)]) -> String {
    let field = |(name, offset, size): &(&str, usize, usize)| {
        format!("\tfield:{name};\toffset:{offset};\tsize:{size};\tsigned:0;\n")
    };
    let fields: String = fields.iter().map(field).collect();
    format!("name: {name}\nID: {id}\nformat:\n{COMMON}\n{fields}\nprint fmt: \"\"\n")
}

fn head() -> Head {
    let mut head = Head::empty(Order::Little, 8, 4096);
    let switch = [
        ("char prev_comm[16]", 8, 16),
        ("pid_t prev_pid", 24, 4),
        ("long prev_state", 28, 4),
        ("char next_comm[16]", 32, 16),
        ("pid_t next_pid", 48, 4),
        ("int prev_prio", 52, 4),
        ("int next_prio", 56, 4),
    ];
    let system = |name: &str, formats: Vec<String>| System {
        name: name.to_owned(),
        formats,
    };
    let pid = [("pid_t pid", 8, 4), ("int target_cpu", 12, 4)];
    head.systems = vec![
        system(
            "sched",
            vec![
                format(1, "sched_switch", &switch),
                format(2, "sched_waking", &pid),
                format(3, "sched_wakeup", &pid),
            ],
        ),
        system(
            "irq",
            vec![
                format(4, "softirq_entry", &[("unsigned int vec", 8, 4)]),
                format(5, "softirq_exit", &[("unsigned int vec", 8, 4)]),
            ],
        ),
        system(
            "irq_vectors",
            vec![
                format(6, "local_timer_entry", &[]),
                format(7, "local_timer_exit", &[]),
            ],
        ),
        system(
            "timer",
            vec![
                format(
                    8,
                    "hrtimer_expire_entry",
                    &[
                        ("void * function", 8, 8),
                        ("void * hrtimer", 16, 8),
                        ("s64 now", 24, 8),
                    ],
                ),
                format(9, "hrtimer_start", &[]),
            ],
        ),
    ];
    head.kallsyms = "ffff0000 T before\nffff1000 t tick\nffff2000 T after\n".to_owned();
    head
}

struct Cpu(PageWriter);

impl Cpu {
    fn new() -> Cpu {
        Cpu(PageWriter::new(4096, PageLayout::usual(8), Order::Little))
    }

    fn push(&mut self, at_ns: u64, id: u16, flags: u8, pid: i32, rest: &[u8]) -> &mut Cpu {
        let mut payload = id.to_le_bytes().to_vec();
        payload.extend([flags, 0]);
        payload.extend(pid.to_le_bytes());
        payload.extend(rest);
        assert!(self.0.push(at_ns, &payload));
        self
    }

    fn switch(&mut self, at_ns: u64, prev: i32, state: u32, next: i32) -> &mut Cpu {
        let comm = |pid: i32| {
            let mut comm = [0; 16];
            comm[0] = b'a' + pid as u8;
            comm
        };
        let mut rest = comm(prev).to_vec();
        rest.extend(prev.to_le_bytes());
        rest.extend(state.to_le_bytes());
        rest.extend(comm(next));
        rest.extend(next.to_le_bytes());
        rest.extend([120, 0, 0, 0, 120, 0, 0, 0]);
        self.push(at_ns, 1, 0, prev, &rest)
    }

    fn wake(&mut self, at_ns: u64, id: u16, flags: u8, by: i32, pid: i32) -> &mut Cpu {
        // Target is CPU 0.
        let rest = [pid.to_le_bytes(), [0; 4]].concat();
        self.push(at_ns, id, flags, by, &rest)
    }
}

fn timeline(head: Head, cpus: Vec<Cpu>) -> Timeline {
    of_pages(head, cpus.into_iter().map(|cpu| cpu.0.finish()).collect())
}

fn of_pages(head: Head, cpus: Vec<Vec<u8>>) -> Timeline {
    let pages = (0u32..).zip(cpus);
    let pages = pages.map(|(cpu, pages)| CpuPages::owned(cpu, pages));
    Timeline::of(&Capture::new(head, pages.collect()).unwrap()).unwrap()
}

/// Start, end, pid, how it ended.
fn seen(timeline: &Timeline, cpu: usize) -> Vec<(u64, u64, i32, End)> {
    let slice = |s: &Slice| {
        let pid = timeline.tasks[s.task as usize].pid;
        (s.start_ns, s.end_ns, pid, s.end)
    };
    timeline.cpus[cpu].slices.iter().map(slice).collect()
}

#[test]
fn slices_say_how_they_began_and_ended() {
    let (mut zero, mut one) = (Cpu::new(), Cpu::new());
    zero.switch(10, 1, 1, 2).switch(20, 2, 0x100, 3);
    zero.switch(30, 3, 0, 2).switch(45, 2, 2, 0);
    one.push(5, 9, 0, 4, &[])
        .wake(33, 2, 0, 4, 1)
        .wake(36, 3, 0, 4, 1);
    one.switch(40, 4, 0x20, 1).push(60, 9, 0, 1, &[]);
    let t = timeline(head(), vec![zero, one]);
    assert_eq!((t.begin_ns, t.end_ns), (5, 60));
    assert_eq!(
        seen(&t, 0),
        [
            (10, 10, 1, End::Sleeping),
            (10, 20, 2, End::Preempted),
            (20, 30, 3, End::Runnable),
            (30, 45, 2, End::Uninterruptible),
        ]
    );
    assert_eq!(
        seen(&t, 1),
        [(5, 40, 4, End::Exited), (40, 60, 1, End::Unknown)]
    );
    assert!(t.cpus[1].slices[0].begun_before);
    let put_off = Wait::PutOff { wait_ns: 10 };
    assert_eq!(t.cpus[0].slices[3].wait, put_off);
    let Wait::Woken { wait_ns, waker } = t.cpus[1].slices[1].wait else {
        panic!("not woken");
    };
    let by = waker.task.map(|w| t.tasks[w as usize].pid);
    assert_eq!((wait_ns, waker.cpu, by), (7, 1, Some(4)));
    let left: Vec<_> = t
        .unserved
        .iter()
        .map(|u| (t.tasks[u.task as usize].pid, u.since_ns))
        .collect();
    assert_eq!(left, [(3, 30)]);
    assert_eq!(t.tasks[t.unserved[0].task as usize].name, "d");
}

#[test]
fn a_wake_up_while_a_task_runs_is_no_wait() {
    let mut cpu = Cpu::new();
    cpu.switch(10, 0, 0, 1)
        .wake(12, 2, 0x08, 1, 1)
        .switch(20, 1, 1, 0);
    cpu.wake(50, 2, 0x08, 0, 1).switch(55, 0, 0, 1);
    // Running when the capture ends: it lacks no CPU.
    cpu.wake(58, 2, 0x08, 1, 1);
    let t = timeline(head(), vec![cpu]);
    let waker = Waker {
        task: None,
        cpu: 0,
        interrupt: true,
    };
    assert_eq!(t.cpus[0].slices[1].wait, Wait::Woken { wait_ns: 5, waker });
    assert_eq!(t.unserved, []);
}

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
fn nothing_spans_a_gap() {
    let (mut zero, mut one) = (Cpu::new(), Cpu::new());
    zero.switch(10, 0, 0, 1).wake(15, 2, 0, 1, 3);
    zero.0.lose(Some(7));
    zero.switch(40, 2, 1, 3).switch(50, 3, 1, 0);
    one.switch(12, 0, 0, 4).switch(60, 4, 1, 0);
    let t = timeline(head(), vec![zero, one]);
    let gap = Gap {
        start_ns: 15,
        end_ns: 40,
        count: Some(7),
    };
    assert_eq!(t.cpus[0].gaps, [gap]);
    assert_eq!(
        seen(&t, 0),
        [
            (10, 15, 1, End::Unknown),
            (40, 40, 2, End::Sleeping),
            (40, 50, 3, End::Sleeping)
        ]
    );
    assert_eq!(t.cpus[0].slices[2].wait, Wait::Unknown);
    assert_eq!((t.account.lost_events, t.account.broken_waits), (7, 1));
    assert_eq!(seen(&t, 1), [(12, 60, 4, End::Sleeping)]);
}

#[test]
fn a_switch_that_is_missing_is_a_gap() {
    let mut cpu = Cpu::new();
    cpu.switch(10, 0, 0, 1).push(20, 9, 0, 1, &[]);
    // 1 -> 2 is missing; then 3, of whom only the end is seen.
    cpu.push(30, 9, 0, 2, &[])
        .switch(40, 2, 1, 0)
        .switch(60, 3, 1, 0);
    // Between a switch's event and the switch the one before is still current.
    cpu.switch(70, 0, 0, 4)
        .push(71, 9, 0, 0, &[])
        .switch(80, 4, 1, 0);
    let t = timeline(head(), vec![cpu]);
    let unknown = [(10, 20, 1, End::Unknown)];
    let known = [30, 60, 70].into_iter().zip([40, 60, 80]).zip([2, 3, 4]);
    let known = known.map(|((from, to), pid)| (from, to, pid, End::Sleeping));
    let wanted: Vec<_> = unknown.into_iter().chain(known).collect();
    assert_eq!(seen(&t, 0), wanted);
    let gaps: Vec<_> = t.cpus[0]
        .gaps
        .iter()
        .map(|g| (g.start_ns, g.end_ns, g.count))
        .collect();
    assert_eq!(gaps, [(20, 30, Some(0)), (40, 60, Some(0))]);
}

#[test]
fn back_to_the_one_before_without_a_switch_is_a_gap_too() {
    let (mut zero, mut one) = (Cpu::new(), Cpu::new());
    zero.switch(10, 0, 0, 1).switch(20, 1, 0, 2);
    zero.push(25, 9, 0, 2, &[]).push(30, 9, 0, 1, &[]);
    zero.push(90_000, 9, 0, 1, &[]).switch(100_000, 1, 1, 0);
    // Nothing of 2 was seen, but no switch takes so long.
    one.switch(10, 0, 0, 1).switch(20, 1, 0, 2);
    one.push(50_000, 9, 0, 1, &[]).switch(100_000, 1, 1, 0);
    let t = timeline(head(), vec![zero, one]);
    let ends: Vec<_> = seen(&t, 0).iter().map(|s| (s.0, s.1, s.2)).collect();
    assert_eq!(ends, [(10, 20, 1), (20, 25, 2), (30, 100_000, 1)]);
    assert!(t.cpus[0].slices[2].begun_before);
    let ends: Vec<_> = seen(&t, 1).iter().map(|s| (s.0, s.1, s.2)).collect();
    assert_eq!(ends, [(10, 20, 1), (20, 20, 2), (50_000, 100_000, 1)]);
}

#[test]
fn a_ring_that_was_full_ends_in_a_gap() {
    let (mut zero, mut one) = (Cpu::new(), Cpu::new());
    zero.switch(10, 0, 0, 1);
    one.switch(90, 0, 0, 2);
    let mut head = head();
    head.cpu_stats.push(CpuStat {
        cpu: 0,
        text: "dropped events: 5\n".to_owned(),
    });
    let t = timeline(head, vec![zero, one]);
    assert_eq!(
        t.cpus[0].gaps,
        [Gap {
            start_ns: 10,
            end_ns: 90,
            count: Some(5)
        }]
    );
    assert_eq!(seen(&t, 0), [(10, 10, 1, End::Unknown)]);
    assert_eq!(t.account.lost_events, 5);
}

#[test]
fn columns_are_small_and_in_order() {
    let mut cpu = Cpu::new();
    cpu.switch(10, 0, 0, 1)
        .switch(310, 1, 0x100, 2)
        .switch(315, 2, 1, 0);
    let t = timeline(head(), vec![cpu]);
    // Two slices (begins, lengths, tasks, how), two changes of those that wait
    // (times, numbers), one unserved: task, since.
    let slices = [0, 0, 0xac, 2, 5, 0, 1, 1, 3];
    let crowd = [0xac, 2, 5, 1, 0];
    let unserved = [0, 0xac, 2];
    let all: Vec<u8> = [&slices[..], &crowd, &unserved].concat();
    assert_eq!(t.encode(), all);
}

#[test]
fn one_byte_holds_the_end_and_the_wait_of_a_slice() {
    let mut cpu = Cpu::new();
    cpu.switch(10, 0, 0, 1).switch(20, 1, 1, 0);
    cpu.wake(50, 2, 0x08, 0, 1);
    cpu.switch(55, 0, 0, 1).switch(60, 1, 1, 0);
    let t = timeline(head(), vec![cpu]);
    // Begins, lengths, tasks; both end asleep, and the second was woken; length of its
    // wait, waker (an interrupt of the idle task), CPU of the waker.
    assert_eq!(t.encode(), [0, 35, 10, 5, 0, 0, 3, 3 | 2 << 4, 5, 1, 0]);
}

#[test]
fn an_empty_capture_is_an_empty_timeline() {
    let t = timeline(head(), vec![Cpu::new()]);
    assert_eq!((t.length_ns(), t.slice_count()), (0, 0));
    assert!(t.encode().is_empty());
}

#[test]
fn who_waits_is_counted_from_change_to_change() {
    let (mut zero, one) = (Cpu::new(), Cpu::new());
    zero.switch(10, 0, 0, 1).wake(20, 2, 0, 1, 2);
    zero.wake(25, 2, 0, 1, 3).switch(30, 1, 1, 2);
    zero.switch(40, 2, 1, 3).switch(50, 3, 1, 0);
    let t = timeline(head(), vec![zero, one]);
    let steps: Vec<_> = t.cpus[0]
        .crowd
        .iter()
        .map(|c| (c.at_ns, c.waiting))
        .collect();
    assert_eq!(steps, [(20, 1), (25, 2), (30, 1), (40, 0)]);
    assert_eq!(t.cpus[1].crowd, []);
    let part = t.part(27, 45);
    let steps: Vec<_> = part.cpus[0]
        .crowd
        .iter()
        .map(|c| (c.at_ns, c.waiting))
        .collect();
    assert_eq!(steps, [(27, 2), (30, 1), (40, 0)]);
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
    let mut tasks = super::drawn::Tasks::default();
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

proptest! {
    /// Whatever the events say: slices and gaps of a CPU are in order, and lie
    /// within the capture; encoding never fails.
    #[test]
    fn any_events_make_an_orderly_timeline(
        events in prop::collection::vec((0u64..9, 0u16..11, 0i32..4, 0u32..300, 0i32..4, prop::bool::weighted(0.05)), 0..120),
    ) {
        let (mut cpu, mut at_ns) = (Cpu::new(), 100);
        for (after, id, pid, state, next, lose) in events {
            at_ns += after;
            if lose { cpu.0.lose(None); }
            match id {
                1 => cpu.switch(at_ns, pid, state, next),
                2 | 3 => cpu.wake(at_ns, id, state as u8, pid, next),
                _ => cpu.push(at_ns, id, 0, pid, &[]),
            };
        }
        let t = timeline(head(), vec![cpu]);
        let lane = &t.cpus[0];
        prop_assert!(lane.slices.windows(2).all(|w| w[0].end_ns <= w[1].start_ns));
        prop_assert!(lane.slices.iter().all(|s| s.start_ns <= s.end_ns && s.start_ns >= t.begin_ns && s.end_ns <= t.end_ns));
        prop_assert!(lane.gaps.iter().all(|g| g.start_ns <= g.end_ns && g.end_ns <= t.end_ns));
        prop_assert!(lane.hardirqs.windows(2).all(|w| w[0].start_ns <= w[1].start_ns));
        let _ = t.encode();
    }
}

#[test]
fn a_part_is_cut_and_says_so() {
    let mut cpu = Cpu::new();
    cpu.switch(10, 0, 0, 1).push(15, 9, 0, 1, &[]);
    cpu.wake(18, 2, 0, 1, 2).switch(20, 1, 1, 2);
    cpu.switch(40, 2, 1, 3).push(45, 9, 0, 3, &[]);
    cpu.switch(90, 3, 0x100, 0);
    let whole = timeline(head(), vec![cpu]);
    assert_eq!(seen(&whole.part(0, u64::MAX), 0), seen(&whole, 0));
    let part = whole.part(30, 60);
    assert_eq!(
        (part.begin_ns, part.end_ns, part.unserved.len()),
        (30, 60, 0)
    );
    let ends = seen(&part, 0);
    let wanted = [(30, 40, 2, End::Sleeping), (40, 60, 3, End::Unknown)];
    assert_eq!(ends, wanted);
    assert!(part.cpus[0].slices[0].begun_before && !part.cpus[0].slices[1].begun_before);
    assert_eq!(part.cpus[0].moments.len(), 1);
    // Task 1 is left: it woke task 2.
    assert_eq!(part.tasks.len(), 3);
    let later = whole.part(41, 80);
    assert_eq!((later.tasks.len(), later.names.len()), (1, 1));
    assert_eq!(later.tasks[0].pid, 3);
    assert_eq!(whole.part(95, 99).encode(), [] as [u8; 0]);
}

#[test]
fn spans_gaps_and_idle_times_are_clipped_to_the_part() {
    let mut cpu = Cpu::new();
    cpu.switch(10, 0, 0, 1).push(15, 9, 0, 1, &[]);
    cpu.switch(90, 1, 1, 0);
    let mut whole = timeline(head(), vec![cpu]);
    let lane = &mut whole.cpus[0];
    let spans = [(12, 28), (25, 40), (45, 50), (52, 80), (85, 88)];
    let span = |&(start_ns, end_ns): &(u64, u64)| Span {
        start_ns,
        end_ns,
        name: 0,
    };
    lane.hardirqs = spans.iter().map(span).collect();
    lane.softirqs = lane.hardirqs.clone();
    let gap = |&(start_ns, end_ns): &(u64, u64)| super::Gap {
        start_ns,
        end_ns,
        count: Some(3),
    };
    lane.gaps = spans.iter().map(gap).collect();
    let idle = |&(start_ns, end_ns): &(u64, u64)| super::Idle {
        start_ns,
        end_ns,
        state: 1,
    };
    lane.idle = spans.iter().map(idle).collect();
    let part = &whole.part(30, 60).cpus[0];
    let wanted = [(30, 40), (45, 50), (52, 60)];
    for found in [&part.hardirqs, &part.softirqs] {
        let found: Vec<_> = found.iter().map(|s| (s.start_ns, s.end_ns)).collect();
        assert_eq!(found, wanted);
    }
    assert_eq!(part.gaps, wanted.iter().map(gap).collect::<Vec<_>>());
    assert_eq!(part.idle, wanted.iter().map(idle).collect::<Vec<_>>());
}

/// The stamp of a page.
fn stamp(pages: &mut [u8], page: usize, stamp: u64) {
    let at = page * 4096;
    pages[at..at + 8].copy_from_slice(&stamp.to_le_bytes());
}

/// Gaps begin where the page behind them does, and a damaged one may begin before.
#[test]
fn gaps_before_pages_whose_stamps_go_back_are_in_order() {
    let mut cpu = Cpu::new();
    for at_ns in [100, 500, 900, 950] {
        cpu.0.lose(Some(1));
        cpu.push(at_ns, 5, 0, 1, &[]);
    }
    let mut pages = cpu.0.finish();
    stamp(&mut pages, 3, 200);
    let t = of_pages(head(), vec![pages]);
    let begins: Vec<u64> = t.cpus[0].gaps.iter().map(|gap| gap.start_ns).collect();
    assert_eq!(begins, [100, 100, 200, 500]);
    assert!(!t.encode().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    /// Damage that keeps the form of pages: stamps of any size, in any order.
    #[test]
    fn any_stamps_make_an_orderly_timeline(
        cpus in prop::collection::vec(prop::collection::vec((0u16..11, 0i32..3, 0i32..3, any::<u64>(), 0u32..64, any::<bool>()), 1..9), 1..4),
        offset_ns in prop::option::of(any::<i64>()),
    ) {
        let mut all = Vec::new();
        for events in cpus {
            let mut cpu = Cpu::new();
            for (id, pid, next, _, _, lose) in &events {
                // Each has a page of its own.
                cpu.0.lose(lose.then_some(1));
                match id {
                    1 => cpu.switch(9, *pid, 1, *next),
                    2 | 3 => cpu.wake(9, *id, 0, *pid, *next),
                    _ => cpu.push(9, *id, 0, *pid, &[]),
                };
            }
            let mut pages = cpu.0.finish();
            for (page, (_, _, _, at, shift, _)) in events.iter().enumerate() {
                stamp(&mut pages, page, at >> shift);
            }
            all.push(pages);
        }
        let mut head = head();
        head.offset_ns = offset_ns.unwrap_or(0);
        let t = of_pages(head, all);
        let _ = t.encode();
        let half = t.begin_ns + t.length_ns() / 2;
        let _ = t.part(half, t.end_ns).encode();
        prop_assert!(super::order::check(&t.part(t.begin_ns, half)).is_ok());
    }
}

#[test]
fn a_gap_in_which_nothing_was_lost_lacks_a_switch() {
    let gap = |count| Gap {
        start_ns: 0,
        end_ns: 1,
        count,
    };
    assert!(gap(Some(0)).is_missing_switch());
    assert!(!gap(Some(7)).is_missing_switch() && !gap(None).is_missing_switch());
}
