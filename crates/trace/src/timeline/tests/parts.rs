//! A part of a timeline.

use super::{Cpu, head, seen, timeline};
use crate::timeline::{End, Gap, Idle, Span};

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
    let wanted = [(30, 40, 2, End::Blocked('S')), (40, 60, 3, End::Cut)];
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
    let gap = |&(start_ns, end_ns): &(u64, u64)| Gap {
        start_ns,
        end_ns,
        count: Some(3),
    };
    lane.gaps = spans.iter().map(gap).collect();
    let idle = |&(start_ns, end_ns): &(u64, u64)| Idle {
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
