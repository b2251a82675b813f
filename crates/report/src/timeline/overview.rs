//! What can be seen without the script: each CPU's load, and who ran most.

use crate::format::{percent, time_ns};
use analysis::whole_index;
use maud::{Markup, html};
use std::fmt::Write;
use trace::timeline::{CpuLane, Timeline};

/// Of the drawing's own units.
const WIDTH: usize = 1000;
const LEFT: usize = 70;
const ROW: usize = 34;

/// How much of a timeline is shown without the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Detail {
    columns: usize,
    most_cpus: usize,
    most_tasks: usize,
}

impl Detail {
    /// A page of its own.
    pub const PAGE: Detail = Detail {
        columns: 465,
        most_cpus: 64,
        most_tasks: 30,
    };
    /// One of several in a longer page.
    pub const PART: Detail = Detail {
        columns: 155,
        most_cpus: 8,
        most_tasks: 8,
    };
}

/// Load by time, a row for each CPU.
pub fn figure(timeline: &Timeline, detail: Detail) -> Markup {
    let cpus = &timeline.cpus[..timeline.cpus.len().min(detail.most_cpus)];
    let bottom = cpus.len() * ROW;
    let height = bottom + 22;
    html! {
        svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label="Load of each CPU by time" font-size="12" {
            @for (row, cpu) in cpus.iter().enumerate() {
                @let y = (row + 1) * ROW;
                text x=(LEFT - 8) y=(y - 10) text-anchor="end" { "CPU " (cpu.cpu) }
                path.load d=(load(timeline, cpu, y, detail.columns)) {}
                @for (from, to) in gaps(timeline, cpu) {
                    @let width = to - from;
                    rect.gap x=(format!("{from:.1}")) y=(y - ROW + 4) width=(format!("{width:.1}")) height="3" {
                        title { "events are missing" }
                    }
                }
                line.axis x1=(LEFT) x2=(WIDTH) y1=(y) y2=(y) {}
            }
            text x=(LEFT) y=(bottom + 16) { "0" }
            text x=(WIDTH) y=(bottom + 16) text-anchor="end" { (time_ns(timeline.length_ns() as f64, 4)) }
        }
        @if timeline.cpus.len() > detail.most_cpus {
            p { "The first " (detail.most_cpus) " of " (timeline.cpus.len()) " CPUs." }
        }
    }
}

fn place(timeline: &Timeline, at_ns: u64) -> f64 {
    let share = (at_ns - timeline.begin_ns) as f64 / timeline.length_ns().max(1) as f64;
    LEFT as f64 + share * (WIDTH - LEFT) as f64
}

/// Where events are missing; what cannot be distinguished is one.
fn gaps(timeline: &Timeline, cpu: &CpuLane) -> Vec<(f64, f64)> {
    let mut seen: Vec<(f64, f64)> = Vec::new();
    for gap in &cpu.gaps {
        let from = place(timeline, gap.start_ns);
        let to = place(timeline, gap.end_ns).max(from + 1.0);
        match seen.last_mut().filter(|last| from <= last.1 + 1.0) {
            Some(last) => last.1 = last.1.max(to),
            None => seen.push((from, to)),
        }
    }
    seen
}

/// Steps as high as the CPU was busy.
fn load(timeline: &Timeline, cpu: &CpuLane, bottom: usize, columns: usize) -> String {
    let busy = busy(timeline, cpu, columns);
    let width = (WIDTH - LEFT) as f64 / columns as f64;
    let mut path = format!("M{LEFT} {bottom}");
    for (column, share) in busy.iter().enumerate() {
        let y = bottom as f64 - share * (ROW - 6) as f64;
        let right = LEFT as f64 + (column + 1) as f64 * width;
        // Writing into a String does not fail.
        let _ = write!(path, "V{y:.1}H{right:.0}");
    }
    let _ = write!(path, "V{bottom}Z");
    path
}

/// Share of each column's time that tasks ran.
fn busy(timeline: &Timeline, cpu: &CpuLane, columns: usize) -> Vec<f64> {
    let step = timeline.length_ns().max(1) as f64 / columns as f64;
    let mut busy = vec![0.0; columns];
    for slice in &cpu.slices {
        let from = (slice.start_ns - timeline.begin_ns) as f64 / step;
        let to = (slice.end_ns - timeline.begin_ns) as f64 / step;
        let last = whole_index(to.ceil()).min(columns);
        for (column, share) in busy
            .iter_mut()
            .enumerate()
            .take(last)
            .skip(whole_index(from))
        {
            let column = column as f64;
            *share += (to.min(column + 1.0) - from.max(column)).max(0.0);
        }
    }
    busy.iter().map(|share: &f64| share.min(1.0)).collect()
}

#[derive(Clone, Default)]
struct Sum {
    task: usize,
    ran_ns: u64,
    slices: u64,
    waited_ns: u64,
    longest_wait_ns: u64,
}

fn sums(timeline: &Timeline) -> Vec<Sum> {
    let sum = |task| Sum {
        task,
        ..Sum::default()
    };
    let mut sums: Vec<Sum> = (0..timeline.tasks.len()).map(sum).collect();
    for slice in timeline.cpus.iter().flat_map(|cpu| &cpu.slices) {
        let sum = &mut sums[slice.task as usize];
        let wait_ns = slice.wait_ns().unwrap_or(0);
        sum.ran_ns = sum.ran_ns.saturating_add(slice.length_ns());
        sum.slices += 1;
        sum.waited_ns = sum.waited_ns.saturating_add(wait_ns);
        sum.longest_wait_ns = sum.longest_wait_ns.max(wait_ns);
    }
    for one in &timeline.unserved {
        let sum = &mut sums[one.task as usize];
        let wait_ns = timeline.end_ns - one.since_ns;
        sum.waited_ns = sum.waited_ns.saturating_add(wait_ns);
        sum.longest_wait_ns = sum.longest_wait_ns.max(wait_ns);
    }
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.ran_ns));
    sums.retain(|sum| sum.slices > 0 || sum.waited_ns > 0);
    sums
}

/// The busiest tasks.
pub fn table(timeline: &Timeline, detail: Detail) -> Markup {
    let sums = sums(timeline);
    let time = |ns: u64| time_ns(ns as f64, 4);
    let length = timeline.length_ns().max(1) as f64;
    html! {
        div.tl-scroll {
            table {
                thead {
                    tr {
                        th { "Task" } th { "Pid" } th { "Ran" } th { "Of the time" } th { "Slices" }
                        th { "Waited" } th { "Longest wait" }
                    }
                }
                tbody {
                    @for sum in sums.iter().take(detail.most_tasks) {
                        @let task = &timeline.tasks[sum.task];
                        tr {
                            td { (task.name) } td { (task.pid) } td { (time(sum.ran_ns)) }
                            td { (percent(sum.ran_ns as f64 / length)) } td { (sum.slices) }
                            td { (time(sum.waited_ns)) } td { (time(sum.longest_wait_ns)) }
                        }
                    }
                }
            }
        }
        @if sums.len() > detail.most_tasks {
            p { "The busiest " (detail.most_tasks) " of " (sums.len()) " tasks; with JavaScript all of them, slice by slice." }
        }
    }
}
