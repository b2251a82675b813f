//! How slices begin and end, and what tasks waited for.

use super::{Cpu, head, seen, timeline};
use crate::timeline::{End, Wait, Waker};

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
            (10, 10, 1, End::Blocked('S')),
            (10, 20, 2, End::Preempted),
            (20, 30, 3, End::StillRunnable),
            (30, 45, 2, End::Blocked('D')),
        ]
    );
    assert_eq!(
        seen(&t, 1),
        [(5, 40, 4, End::Exited), (40, 60, 1, End::Cut)]
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
