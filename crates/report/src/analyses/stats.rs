//! Sums of a trace by CPU, task and interrupt.

use super::{losses, more, time, time_of};
use crate::document::{Document, Table, Text};
use crate::format::{percent, time_ns};
use serde_json::{Value, json};
use trace::analyse::summary::Summary;
use trace::analyse::tasks::TaskSum;

/// Its numbers, for programs.
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
            "  switches missing although nothing was lost: {} (the kernel hides some tasks)",
            s.tasks.missed_switches
        ));
    }
    head
}

/// States of cpuidle; empty without power:cpu_idle.
fn idle(s: &Summary) -> Document {
    if s.idle.is_empty() {
        return Document::new();
    }
    let span_ns = |cpu: u32| {
        let cpu = s.pass.cpus.iter().find(|c| c.cpu == cpu);
        cpu.map_or(0, |c| c.length_ns()).max(1) as f64
    };
    let table = Table::listing(
        1,
        &s.idle,
        [
            ("idle on CPU", &|sum| sum.cpu.to_string()),
            ("state", &|sum| sum.state.to_string()),
            ("times", &|sum| sum.count.to_string()),
            ("time", &|sum| time(sum.total_ns)),
            ("share", &|sum| {
                percent(sum.total_ns as f64 / span_ns(sum.cpu))
            }),
            ("average", &|sum| time(sum.total_ns / sum.count.max(1))),
            ("longest", &|sum| time(sum.max_ns)),
        ],
    );
    table.into()
}

fn cpus(s: &Summary) -> Document {
    let share = |ns: u64, span_ns: u64| percent(ns as f64 / span_ns.max(1) as f64);
    let mut part = Document::from(Table::listing(
        1,
        s.tasks.cpus.iter().zip(&s.queues.cpus),
        [
            ("CPU", &|(cpu, _)| cpu.cpu.to_string()),
            ("busy", &|(cpu, _)| share(cpu.busy_ns, cpu.span_ns)),
            ("idle", &|(cpu, _)| share(cpu.idle_ns, cpu.span_ns)),
            ("unknown", &|(cpu, _)| share(cpu.unknown_ns, cpu.span_ns)),
            ("switches", &|(cpu, _)| cpu.switches.to_string()),
            ("preempted", &|(cpu, _)| cpu.preempted.to_string()),
            ("slice median", &|(cpu, _)| {
                time_of(&cpu.slices, |d| d.quantile(0.5))
            }),
            ("runnable", &|(_, queue)| format!("{:.2}", queue.mean())),
            ("most", &|(_, queue)| queue.max.to_string()),
            ("waiting", &|(_, queue)| percent(queue.waiting_share())),
        ],
    ));
    if let Some(imbalance) = s.load_imbalance() {
        let above = percent(imbalance);
        part.line(format!("load: the busiest CPU is {above} above the mean"));
    }
    if let Some(fair) = s.fairness() {
        part.line(format!(
            "fairness: {:.3} (Jain's index, {} tasks that competed for the CPU)",
            fair.index, fair.tasks
        ));
    }
    part
}

fn tasks(s: &Summary, top: usize) -> Document {
    let all = s.tasks.busiest();
    let blocked = |task: &TaskSum| task.blocked.iter().map(|(_, n)| n).sum::<u64>();
    let mut part = Document::from(Table::listing(
        1,
        all.iter().take(top),
        [
            ("task", &|task| format!("{} [{}]", task.comm, task.pid)),
            ("ran", &|task| time(task.run_ns)),
            ("waited", &|task| time(task.wait_ns)),
            ("slices", &|task| task.slices.count.to_string()),
            ("median", &|task| time_of(&task.slices, |d| d.quantile(0.5))),
            ("max", &|task| time_of(&task.slices, |d| d.max)),
            ("R+", &|task| task.preempted.to_string()),
            ("R", &|task| task.still_runnable.to_string()),
            ("blocked", &|task| blocked(task).to_string()),
            ("wake-up", &|task| {
                time_of(&task.wakeup_latency, |d| d.quantile(0.5))
            }),
            ("p99", &|task| {
                time_of(&task.wakeup_latency, |d| d.quantile(0.99))
            }),
            ("moved", &|task| task.migrations.to_string()),
        ],
    ));
    part.extend(more(all.len(), top));
    part
}

fn interrupts(s: &Summary) -> Document {
    let sources = s.interrupts.sources();
    if sources.is_empty() {
        return Document::new();
    }
    let heads = ["interrupt", "count", "time", "median", "max"].map(str::to_owned);
    let cpus = s.known.cpus.iter().map(|cpu| format!("CPU {cpu}"));
    let mut table = Table::of(1, heads.into_iter().chain(cpus));
    for source in sources {
        let row = [
            source.name.clone(),
            source.count.to_string(),
            time_of(&source.time, |d| d.sum),
            time_of(&source.time, |d| d.quantile(0.5)),
            time_of(&source.time, |d| d.max),
        ];
        let by_cpu = source.by_cpu.iter().map(u64::to_string);
        table.row(row.into_iter().chain(by_cpu));
    }
    let mut part = Document::from(table);
    part.extend(s.interrupts.storms().iter().map(|storm| {
        Text::line(format!(
            "! {} stormed on CPU {}: {} in {}",
            storm.source,
            storm.cpu,
            storm.count,
            time(storm.until_ns - storm.from_ns)
        ))
    }));
    part
}

fn ticks(s: &Summary) -> Document {
    let Some(function) = &s.ticks.function else {
        return Document::new();
    };
    let rate = |rate: Option<f64>| rate.map_or("-".to_owned(), |r| format!("{r:.1}"));
    let gap = |ns: Option<u64>| ns.map_or("-".to_owned(), |ns| time_ns(ns as f64, 5));
    let mut part = Document::from(Table::listing(
        1,
        &s.ticks.cpus,
        [
            ("tick on CPU", &|cpu| cpu.cpu.to_string()),
            ("ticks", &|cpu| cpu.ticks.to_string()),
            ("busy Hz", &|cpu| rate(cpu.busy_rate_hz)),
            ("idle Hz", &|cpu| rate(cpu.idle_rate_hz)),
            ("median gap", &|cpu| gap(cpu.median_gap_ns)),
            ("timer irqs", &|cpu| cpu.timer_interrupts.to_string()),
            ("no ticks", &|cpu| cpu.not_ticks.to_string()),
            ("stopped", &|cpu| cpu.stopped.to_string()),
            ("kept", &|cpu| cpu.not_stopped.to_string()),
        ],
    ));
    let how = match s.ticks.by_name {
        true => "",
        false => ", identified by its period because no symbol names it",
    };
    let hz = s.ticks.hz.map(|hz| format!("CONFIG_HZ={hz}"));
    let hz = hz.unwrap_or_else(|| "no usual rate".to_owned());
    part.line(format!("tick: {function}{how}; {hz}"));
    part
}
