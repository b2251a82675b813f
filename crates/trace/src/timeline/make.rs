//! One pass, and what its visitors saw put together.

use super::crowd::Crowds;
use super::drawn::Drawn;
use super::marks::{self, Marks};
use super::{Account, CpuLane, Gap, Life, Timeline};
use crate::analyse::queue::Queues;
use crate::analyse::slices::Slices;
use crate::analyse::{Known, Pass};
use crate::capture::Capture;

/// What a page draws of a trace.
pub fn timeline(capture: &Capture) -> Timeline {
    let known = Known::of(capture);
    let cpus = known.cpus.len();
    let mut slices = Slices::new(&known, Drawn::new(cpus));
    let mut marks = Marks::new(&capture.formats, &known);
    let mut queues = Queues::new(&known, Crowds::new(cpus));
    let pass = Pass::over(capture, &known, &mut [&mut slices, &mut marks, &mut queues]);
    let mut drawn = slices.sink;
    let mut account = Account {
        events: pass.events,
        lost_events: pass.lost_events,
        damaged_pages: pass.damaged_pages,
        broken_waits: drawn.broken_waits,
    };
    let crowds = queues.lengths.0.into_iter();
    let mut lanes = Vec::new();
    for (((at, cpu), mut marks), crowd) in pass.cpus.iter().enumerate().zip(marks.lanes).zip(crowds)
    {
        let CpuLane {
            slices, mut gaps, ..
        } = std::mem::take(&mut drawn.lanes[at]);
        if let Some(full) = refused(capture, &pass, at) {
            account.lost_events = account.lost_events.saturating_add(full.count.unwrap_or(0));
            gaps.push(full);
        }
        bound(&mut gaps, &pass);
        lanes.push(CpuLane {
            cpu: cpu.cpu,
            slices,
            hardirqs: marks.hard.ended,
            softirqs: marks.soft.ended,
            moments: marks.moments,
            gaps,
            crowd,
            idle: marks.idle,
            lives: lives(&mut drawn, &mut marks.lives),
        });
    }
    lanes.sort_by_key(|lane| lane.cpu);
    Timeline {
        begin_ns: pass.begin_ns,
        end_ns: pass.end_ns,
        cpus: lanes,
        tasks: drawn.tasks.finish(|pid| capture.task_name(pid)),
        names: marks.names.finish(&capture.head.kallsyms),
        unserved: drawn.unserved,
        account,
    }
}

/// Cuts gaps to the capture and puts them in order.
fn bound(gaps: &mut [Gap], pass: &Pass) {
    // The first page's gap has no begin; a capture begins with its events.
    for gap in gaps.iter_mut() {
        gap.start_ns = gap.start_ns.clamp(pass.begin_ns, pass.end_ns);
        gap.end_ns = gap.end_ns.clamp(gap.start_ns, pass.end_ns);
    }
    // Stamps of damaged pages go back, and so do the gaps before them.
    gaps.sort_by_key(|gap| gap.start_ns);
}

/// The ring was full when the capture ended: its newest events were refused.
fn refused(capture: &Capture, pass: &Pass, at: usize) -> Option<Gap> {
    let cpu = &pass.cpus[at];
    let mut stats = capture.head.cpu_stats.iter();
    let stat = stats.find(|stat| stat.cpu == cpu.cpu)?;
    let count = stat.value("dropped events").filter(|count| *count > 0)?;
    (cpu.until_ns < pass.end_ns).then_some(Gap {
        start_ns: cpu.until_ns,
        end_ns: pass.end_ns,
        count: Some(count),
    })
}

fn lives(drawn: &mut Drawn, marked: &mut Vec<marks::Life>) -> Vec<Life> {
    let drawn = marked.drain(..).filter_map(|life| {
        let task = drawn.tasks.index(life.pid)?;
        drawn.tasks.first_named(task, life.comm);
        Some(Life {
            at_ns: life.at_ns,
            kind: life.kind,
            task,
            name: life.name,
        })
    });
    drawn.collect()
}
