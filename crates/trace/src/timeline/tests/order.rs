//! Whatever the events and the stamps of pages are, a timeline is in order.

use super::{Cpu, head, of_pages, timeline};
use crate::timeline::order::check;
use proptest::prelude::*;

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
        prop_assert!(check(&t.part(t.begin_ns, half)).is_ok());
    }
}
