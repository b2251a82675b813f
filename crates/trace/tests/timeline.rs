//! The picture and the statistics of real captures: the same slices, the same
//! queues.

use std::path::PathBuf;
use trace::analyse::slices::{End, Slice, Slices};
use trace::analyse::summary::Summary;
use trace::analyse::{Known, Pass};
use trace::timeline::{self, Timeline};

const FIXTURES: [&str; 6] = [
    "x86-6.1",
    "x86-6.12",
    "arm64-6.1",
    "x86-6.18",
    "x86-6.18-sched-timer",
    "written-function-graph",
];

fn open(name: &str) -> trace::Capture {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/traces");
    trace::file::open(&folder.join(format!("{name}.dat"))).unwrap()
}

/// CPU, pid, begin, end, how it ended, wait.
type Row = (u32, i32, u64, u64, u8, Option<u64>);

fn code(end: End) -> u8 {
    match end {
        End::Cut => 0,
        End::Preempted => 1,
        End::StillRunnable => 2,
        End::Yielded => 7,
        End::Blocked('S') => 3,
        End::Blocked('D') => 4,
        End::Blocked(_) => 5,
        End::Exited => 6,
    }
}

fn counted(capture: &trace::Capture) -> Vec<Row> {
    let known = Known::of(capture);
    let mut rows: Vec<Row> = Vec::new();
    let mut sink = |s: &Slice| {
        let wait = s.wait.map(|w| w.length_ns());
        if s.pid != 0 {
            rows.push((s.cpu, s.pid, s.begin_ns, s.end_ns, code(s.end), wait));
        }
    };
    Pass::over(capture, &known, &mut [&mut Slices::new(&known, &mut sink)]);
    rows.sort_unstable();
    rows
}

fn drawn(timeline: &Timeline) -> Vec<Row> {
    let mut rows = Vec::new();
    for cpu in &timeline.cpus {
        let row = |s: &timeline::Slice| {
            let pid = timeline.tasks[s.task as usize].pid;
            (cpu.cpu, pid, s.start_ns, s.end_ns, code(s.end), s.wait_ns())
        };
        rows.extend(cpu.slices.iter().map(row));
    }
    rows.sort_unstable();
    rows
}

#[test]
fn slices_are_those_of_the_statistics() {
    let mut all = 0;
    for name in FIXTURES {
        let capture = open(name);
        let timeline = Timeline::of(&capture).unwrap();
        let rows = drawn(&timeline);
        assert_eq!(rows, counted(&capture), "{name}");
        all += rows.len();
        let summary = Summary::of(&capture);
        for (cpu, sum) in timeline.cpus.iter().zip(&summary.tasks.cpus) {
            let busy: u64 = cpu.slices.iter().map(timeline::Slice::length_ns).sum();
            assert_eq!((cpu.cpu, busy), (sum.cpu, sum.busy_ns), "{name}");
        }
        assert_eq!(timeline.account.events, summary.pass.events, "{name}");
    }
    assert!(all > 300, "only {all} slices");
}

#[test]
fn who_waits_is_as_long_as_in_the_queues() {
    for name in FIXTURES {
        let capture = open(name);
        let (timeline, summary) = (Timeline::of(&capture).unwrap(), Summary::of(&capture));
        for ((cpu, queue), span) in timeline
            .cpus
            .iter()
            .zip(&summary.queues.cpus)
            .zip(&summary.pass.cpus)
        {
            let ends = cpu.crowd.iter().skip(1).map(|c| c.at_ns);
            let ends = ends.chain([span.until_ns]);
            let waited = cpu.crowd.iter().zip(ends).map(|(c, end_ns)| {
                if c.waiting > 0 {
                    end_ns.saturating_sub(c.at_ns)
                } else {
                    0
                }
            });
            let crowded: u64 = queue.by_length_ns.iter().skip(2).sum();
            assert_eq!(waited.sum::<u64>(), crowded, "{name}, CPU {}", cpu.cpu);
            let most = cpu.crowd.iter().map(|c| c.waiting + 1).max().unwrap_or(1);
            assert!(most <= queue.max.max(1), "{name}, CPU {}", cpu.cpu);
        }
    }
}

#[test]
fn names_are_only_those_of_what_happened() {
    for name in FIXTURES {
        let timeline = Timeline::of(&open(name)).unwrap();
        let lanes = timeline.cpus.iter();
        let used: std::collections::BTreeSet<u32> = lanes
            .flat_map(|cpu| {
                let spans = cpu.hardirqs.iter().chain(&cpu.softirqs).map(|s| s.name);
                let moments = cpu.moments.iter().map(|m| m.name);
                spans
                    .chain(moments)
                    .chain(cpu.lives.iter().filter_map(|l| l.name))
            })
            .collect();
        // An interrupt that began and never ended has a name, and no span.
        assert!(timeline.names.len() <= used.len() + 2, "{name}");
    }
}
