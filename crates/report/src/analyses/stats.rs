//! Sums of a trace by CPU, task and interrupt.

use super::{losses, more, time, time_of};
use crate::document::{Document, Table};
use crate::format::{percent, time_ns};
use serde_json::{Value, json};
use trace::analyse::summary::Summary;
use trace::analyse::tasks::TaskSum;

pub fn json(s: &Summary) -> Value {
    json!({
        "capture": s.pass,
        "lost_by_kernel": s.lost_by_kernel,
        "cpus": s.tasks.cpus,
        "tasks": s.tasks.busiest(),
        "slices": s.tasks.slices,
        "wakeup_latency": s.tasks.wakeup_latency,
        "preempt_wait": s.tasks.preempt_wait,
        "longest_waits": s.tasks.held.waits,
        "dropped_waits": s.tasks.dropped_waits,
        "missed_switches": s.tasks.missed_switches,
        "run_queue": {"cpus": s.queues.cpus, "machine": s.queues.machine, "unbalanced_ns": s.queues.unbalanced_ns},
        "load_imbalance": s.load_imbalance(),
        "fairness": s.fairness(),
        "idle_states": s.idle,
        "interrupts": s.interrupts.sources(),
        "storms": s.interrupts.storms(),
        "ticks": s.ticks,
    })
}

/// Of the tasks so many, busiest first.
pub fn document(s: &Summary, top: usize) -> Document {
    let mut parts = vec![heading(s)];
    if s.has_switches() {
        parts.extend([cpus(s), tasks(s, top)]);
    }
    parts.extend([idle(s), interrupts(s), ticks(s)]);
    Document::sections(parts)
}

fn heading(s: &Summary) -> Document {
    let mut head = Document::new();
    head.line(format!(
        "{} events in {} on {} CPUs",
        s.pass.events,
        time(s.pass.span_ns()),
        s.pass.cpus.len()
    ));
    head.append(losses(&s.pass, s.lost_by_kernel));
    if s.tasks.missed_switches > 0 {
        head.line(format!(
            "  switches missing though nothing was lost: {} (the kernel hides some tasks)",
            s.tasks.missed_switches
        ));
    }
    head
}

/// States of cpuidle; empty without power:cpu_idle.
fn idle(s: &Summary) -> Document {
    let mut part = Document::new();
    if s.idle.is_empty() {
        return part;
    }
    let heads = [
        "idle on CPU",
        "state",
        "times",
        "time",
        "share",
        "average",
        "longest",
    ];
    let mut table = Table::of(1, heads);
    for sum in &s.idle {
        let cpu = s.pass.cpus.iter().find(|c| c.cpu == sum.cpu);
        let span_ns = cpu.map_or(0, |c| c.length_ns());
        table.row([
            sum.cpu.to_string(),
            sum.state.to_string(),
            sum.count.to_string(),
            time(sum.total_ns),
            percent(sum.total_ns as f64 / span_ns.max(1) as f64),
            time(sum.total_ns / sum.count.max(1)),
            time(sum.max_ns),
        ]);
    }
    part.table(table);
    part
}

fn cpus(s: &Summary) -> Document {
    let heads = [
        "CPU",
        "busy",
        "idle",
        "unknown",
        "switches",
        "preempted",
        "slice median",
        "runnable",
        "most",
        "waiting",
    ];
    let mut table = Table::of(1, heads);
    for (cpu, queue) in s.tasks.cpus.iter().zip(&s.queues.cpus) {
        let share = |ns: u64| percent(ns as f64 / cpu.span_ns.max(1) as f64);
        table.row([
            cpu.cpu.to_string(),
            share(cpu.busy_ns),
            share(cpu.idle_ns),
            share(cpu.unknown_ns),
            cpu.switches.to_string(),
            cpu.preempted.to_string(),
            time_of(cpu.slices.count, cpu.slices.quantile(0.5)),
            format!("{:.2}", queue.mean()),
            queue.max.to_string(),
            percent(queue.waiting_share()),
        ]);
    }
    let mut part = Document::new();
    part.table(table);
    if let Some(imbalance) = s.load_imbalance() {
        let above = percent(imbalance);
        part.line(format!("load: the busiest CPU is {above} above the mean"));
    }
    if let Some(fair) = s.fairness() {
        part.line(format!(
            "fairness: {:.3} (Jain's index, {} tasks that wanted the CPU)",
            fair.index, fair.tasks
        ));
    }
    part
}

fn tasks(s: &Summary, top: usize) -> Document {
    let heads = [
        "task", "ran", "waited", "slices", "median", "max", "R+", "R", "blocked", "wake-up", "p99",
        "moved",
    ];
    let mut table = Table::of(1, heads);
    let all = s.tasks.busiest();
    for task in all.iter().take(top) {
        table.row(task_row(task));
    }
    let mut part = Document::new();
    part.table(table);
    more(all.len(), top).into_iter().for_each(|m| part.text(m));
    part
}

fn task_row(task: &TaskSum) -> [String; 12] {
    let (slices, wakeup) = (&task.slices, &task.wakeup_latency);
    [
        format!("{} [{}]", task.comm, task.pid),
        time(task.run_ns),
        time(task.wait_ns),
        slices.count.to_string(),
        time_of(slices.count, slices.quantile(0.5)),
        time_of(slices.count, slices.max),
        task.preempted.to_string(),
        task.still_runnable.to_string(),
        task.blocked.iter().map(|(_, n)| n).sum::<u64>().to_string(),
        time_of(wakeup.count, wakeup.quantile(0.5)),
        time_of(wakeup.count, wakeup.quantile(0.99)),
        task.migrations.to_string(),
    ]
}

fn interrupts(s: &Summary) -> Document {
    let mut part = Document::new();
    let sources = s.interrupts.sources();
    if sources.is_empty() {
        return part;
    }
    let heads = ["interrupt", "count", "time", "median", "max"].map(str::to_owned);
    let cpus = s.known.cpus.iter().map(|cpu| format!("CPU {cpu}"));
    let mut table = Table::of(1, heads.into_iter().chain(cpus));
    for source in sources {
        let took = &source.time;
        let row = [
            source.name.clone(),
            source.count.to_string(),
            time_of(took.count, took.sum),
            time_of(took.count, took.quantile(0.5)),
            time_of(took.count, took.max),
        ];
        table.row(
            row.into_iter()
                .chain(source.by_cpu.iter().map(u64::to_string)),
        );
    }
    part.table(table);
    for storm in s.interrupts.storms() {
        part.line(format!(
            "! {} stormed on CPU {}: {} in {}",
            storm.source,
            storm.cpu,
            storm.count,
            time(storm.until_ns - storm.from_ns)
        ));
    }
    part
}

fn ticks(s: &Summary) -> Document {
    let mut part = Document::new();
    let Some(function) = &s.ticks.function else {
        return part;
    };
    let heads = [
        "tick on CPU",
        "ticks",
        "busy Hz",
        "idle Hz",
        "median gap",
        "timer irqs",
        "no ticks",
        "stopped",
        "kept",
    ];
    let mut table = Table::of(1, heads);
    let rate = |rate: Option<f64>| rate.map_or("-".to_owned(), |r| format!("{r:.1}"));
    for cpu in &s.ticks.cpus {
        let gap = cpu.median_gap_ns.map(|ns| time_ns(ns as f64, 5));
        table.row([
            cpu.cpu.to_string(),
            cpu.ticks.to_string(),
            rate(cpu.busy_rate_hz),
            rate(cpu.idle_rate_hz),
            gap.unwrap_or_else(|| "-".to_owned()),
            cpu.timer_interrupts.to_string(),
            cpu.not_ticks.to_string(),
            cpu.stopped.to_string(),
            cpu.not_stopped.to_string(),
        ]);
    }
    part.table(table);
    let how = match s.ticks.by_name {
        true => "",
        false => ", judged by its period, for no symbol names it",
    };
    let hz = s.ticks.hz.map(|hz| format!("CONFIG_HZ={hz}"));
    let hz = hz.unwrap_or_else(|| "no usual rate".to_owned());
    part.line(format!("tick: {function}{how}; {hz}"));
    part
}
