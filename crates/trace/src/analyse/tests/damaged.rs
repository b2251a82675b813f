//! Whatever bytes a capture holds, analyses end.

use crate::analyse::compare::compare;
use crate::analyse::explain::explain;
use crate::analyse::functions::CallTree;
use crate::analyse::summary::Summary;
use crate::analyse::{Known, Pass, Symbols};
use crate::testing::{Making, V};
use crate::{Capture, CpuPages, file};
use proptest::prelude::*;
use std::path::Path;

const EVENTS: [&str; 20] = [
    "sched_switch",
    "sched_waking",
    "sched_wakeup",
    "sched_wakeup_new",
    "sched_migrate_task",
    "irq_handler_entry",
    "irq_handler_exit",
    "softirq_raise",
    "softirq_entry",
    "local_timer_entry",
    "timer_start",
    "timer_expire_entry",
    "timer_expire_exit",
    "hrtimer_start",
    "hrtimer_expire_entry",
    "tick_stop",
    "funcgraph_entry",
    "funcgraph_exit",
    "sys_enter_read",
    "sys_exit_read",
];

fn fixture(name: &str) -> Capture {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/traces");
    file::open(&Path::new(folder).join(name)).unwrap()
}

#[test]
fn the_captured_one_is_as_the_kernel_made_it() {
    let summary = Summary::of(&fixture("x86-6.18-sched-timer.dat"));
    assert!(summary.known.states.from_format);
    assert_eq!((summary.pass.events, summary.pass.gaps), (1890, 0));
    assert_eq!((summary.ticks.hz, summary.wheel.hz), (Some(250), Some(250)));
    assert!(summary.ticks.by_name);
    // Every expiry was preceded by leaving the wheel.
    let wheel = &summary.wheel;
    assert!(wheel.expiries > 5 && wheel.expiries == wheel.detaches);
    assert!(wheel.against_bucket && wheel.late_jiffies_max >= Some(0));
    let chains = &summary.chains;
    assert!(chains.raises > 5 && chains.raises == chains.raises_in_interrupt);
    for (cpu, span) in summary.tasks.cpus.iter().zip(&summary.pass.cpus) {
        let sum = cpu.busy_ns + cpu.idle_ns + cpu.unknown_ns;
        assert_eq!(sum, span.length_ns());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn damage_is_no_panic(
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..200),
        written: bool,
    ) {
        let name = if written { "written-function-graph.dat" } else { "x86-6.18-sched-timer.dat" };
        let whole = fixture(name);
        let cpus = whole.cpus.iter().map(|cpu| {
            let mut bytes = cpu.to_vec().unwrap();
            for (at, value) in &hits {
                let at = at.index(bytes.len());
                bytes[at] = *value;
            }
            CpuPages::owned(cpu.cpu, bytes)
        });
        let capture = Capture::new(whole.head.clone(), cpus.collect()).unwrap();
        let summary = Summary::of(&capture);
        let _ = (explain(&summary), compare(&summary, &summary));
        let (known, symbols) = (Known::of(&capture), Symbols::parse(&capture.head.kallsyms));
        let mut tree = CallTree::new(&known, &symbols, None);
        Pass::over(&capture, &known, &mut [&mut tree]);
        let _ = tree.lines(&symbols, 0.0);
    }
}

/// Everything that is made of a file, whatever its bytes are.
fn all_of(capture: &Capture) {
    let timeline = crate::timeline::Timeline::of(capture).unwrap();
    let _ = timeline.encode();
    let _ = timeline.part(timeline.begin_ns, timeline.end_ns).encode();
    let selection = crate::Selection::all();
    let _ = crate::export::chrome::write(capture, &selection, &mut std::io::sink(), |_| ());
    let _ = crate::export::perfetto::write(capture, &selection, &mut std::io::sink(), |_| ());
    let _ = crate::cut(capture, &selection, Path::new("/dev/null"));
    for style in [
        crate::text::Style::Text,
        crate::text::Style::Csv,
        crate::text::Style::Json,
    ] {
        let mut lines = crate::text::Lines::new(capture, style, false);
        let mut items = capture.merged();
        while let Some(item) = items.next() {
            if let Ok(item) = item {
                lines.write(&item, &mut String::new());
            }
        }
    }
    let summary = Summary::of(capture);
    let _ = (explain(&summary), compare(&summary, &summary));
}

const FIXTURES: [&str; 7] = [
    "x86-6.18-sched-timer.dat",
    "written-function-graph.dat",
    "x86-6.12.dat",
    "arm64-6.1.dat",
    "x86-6.1.dat",
    "x86-6.12-functions.dat",
    "x86-6.18.dat",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn damaged_files_are_no_panic(
        name in prop::sample::select(&FIXTURES[..]),
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..200),
        late: bool,
    ) {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/traces");
        let mut bytes = std::fs::read(Path::new(folder).join(name)).unwrap();
        let from = if late { bytes.len() / 2 } else { 0 };
        let count = bytes.len() - from;
        for (at, value) in &hits {
            bytes[from + at.index(count)] = *value;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.dat");
        std::fs::write(&path, bytes).unwrap();
        if let Ok(capture) = file::open(&path) {
            all_of(&capture);
        }
    }

    /// Times that go back, stand still, and end near the largest number.
    #[test]
    fn times_of_any_size_are_no_panic(
        name in prop::sample::select(&FIXTURES[..]),
        stamps in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>(), 0u32..64), 1..9),
        words in prop::collection::vec((any::<prop::sample::Index>(), any::<u32>()), 0..40),
        offset_ns in prop::option::of(any::<i64>()),
        mult in prop::option::of(any::<u32>()),
    ) {
        let whole = fixture(name);
        let cpus = whole.cpus.iter().map(|cpu| {
            let mut bytes = cpu.to_vec().unwrap();
            if bytes.is_empty() {
                return cpu.clone();
            }
            for (page, stamp, shift) in &stamps {
                let at = page.index(bytes.len() / 4096) * 4096;
                bytes[at..at + 8].copy_from_slice(&(stamp >> shift).to_le_bytes());
            }
            for (at, word) in &words {
                let at = at.index(bytes.len() / 4) * 4;
                bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
            CpuPages::owned(cpu.cpu, bytes)
        });
        let cpus = cpus.collect();
        let mut head = whole.head.clone();
        head.offset_ns = offset_ns.unwrap_or(0);
        head.scale = mult.map(|mult| crate::TimeScale { mult, shift: 3, offset: 0 });
        all_of(&Capture::new(head, cpus).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    /// Fields of any size, and stamps of any size, in any order.
    #[test]
    fn events_of_any_numbers_are_no_panic(
        cpus in prop::collection::vec(prop::collection::vec(
            (0usize..20, 0i32..3, prop::collection::vec(any::<i64>(), 7), any::<u64>(), 0u32..64, any::<bool>()), 1..12), 1..3),
        offset_ns in prop::option::of(any::<i64>()),
        small: bool,
    ) {
        let mut making = Making::new();
        for (cpu, events) in (0u32..).zip(&cpus) {
            for (name, pid, values, _, shift, lose) in events {
                if *shift > 30 || *lose {
                    making.lose(cpu, lose.then_some(values[0].cast_unsigned()));
                }
                let small = |n: &i64| if small { n & 3 } else { *n };
                let name = EVENTS[*name];
                let values: Vec<V<'_>> = values.iter().map(|n| V::N(small(n))).collect();
                making.push(cpu, 9, *pid, name, &values);
            }
        }
        making.head.offset_ns = offset_ns.unwrap_or(0);
        let (head, mut pages) = making.pages();
        for ((_, pages), events) in pages.iter_mut().zip(&cpus) {
            for (page, (_, _, _, at, shift, _)) in pages.chunks_mut(4096).zip(events) {
                page[..8].copy_from_slice(&(at >> shift).to_le_bytes());
            }
        }
        let cpus = pages.into_iter().map(|(cpu, pages)| CpuPages::owned(cpu, pages));
        all_of(&Capture::new(head, cpus.collect()).unwrap());
    }
}
