//! Lost events and missing switches are gaps that nothing spans.

use super::{Cpu, head, seen, timeline};
use crate::head::CpuStat;
use crate::timeline::{End, Gap, Wait};

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
            (10, 15, 1, End::Cut),
            (40, 40, 2, End::Blocked('S')),
            (40, 50, 3, End::Blocked('S'))
        ]
    );
    assert_eq!(t.cpus[0].slices[2].wait, Wait::Unknown);
    assert_eq!((t.account.lost_events, t.account.broken_waits), (7, 1));
    assert_eq!(seen(&t, 1), [(12, 60, 4, End::Blocked('S'))]);
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
    let unknown = [(10, 20, 1, End::Cut)];
    let known = [30, 60, 70].into_iter().zip([40, 60, 80]).zip([2, 3, 4]);
    let known = known.map(|((from, to), pid)| (from, to, pid, End::Blocked('S')));
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
    assert_eq!(seen(&t, 0), [(10, 10, 1, End::Cut)]);
    assert_eq!(t.account.lost_events, 5);
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
