//! `pontage trace stats`: sums by CPU, task and interrupt.

use super::arguments::Stats;
use super::columns::{Columns, time, time_of};
use super::{ended, lacks, losses, open};
use crate::arguments::TextOrJson;
use crate::failure::Outcome;
use crate::output;
use ::trace::analyse::summary::Summary;
use report::format::{percent, time_ns};
use serde_json::json;

/// # Errors
/// A file that is no trace, or holds none of the events.
pub fn stats(arguments: &Stats) -> Outcome {
    let summary = Summary::of(&open(&arguments.trace)?);
    if arguments.syscalls {
        return syscalls(arguments, &summary);
    }
    let interrupts = !summary.interrupts.sources().is_empty();
    if !summary.has_switches() && !interrupts && summary.idle.is_empty() {
        let events = "sched_switch and no entries of interrupts";
        return Err(lacks(
            "show sums",
            &arguments.trace.file,
            events,
            "pontage trace record -e sched -e irq",
        ));
    }
    let written = match arguments.format {
        TextOrJson::Text => output::data(&text(&summary, arguments.top)),
        TextOrJson::Json => output::json(&value(&summary)),
    };
    ended(written, &summary.pass)
}

fn value(s: &Summary) -> serde_json::Value {
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

fn text(s: &Summary, top: usize) -> String {
    let mut text = format!(
        "{} events in {} on {} CPUs\n",
        s.pass.events,
        time(s.pass.span_ns()),
        s.pass.cpus.len()
    );
    text += &losses(&s.pass, s.lost_by_kernel);
    if s.tasks.missed_switches > 0 {
        text += &format!(
            "  switches missing though nothing was lost: {} (the kernel hides some tasks)\n",
            s.tasks.missed_switches
        );
    }
    if s.has_switches() {
        text += &cpus(s);
        text += &tasks(s, top);
    }
    text += &idle(s);
    text += &interrupts(s);
    text += &ticks(s);
    text
}

/// States of cpuidle; empty without power:cpu_idle.
fn idle(s: &Summary) -> String {
    if s.idle.is_empty() {
        return String::new();
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
    let mut table = Columns::new(1, &heads);
    for sum in &s.idle {
        let cpu = s.pass.cpus.iter().find(|c| c.cpu == sum.cpu);
        let span_ns = cpu.map_or(0, |c| c.length_ns());
        table.row(vec![
            sum.cpu.to_string(),
            sum.state.to_string(),
            sum.count.to_string(),
            time(sum.total_ns),
            percent(sum.total_ns as f64 / span_ns.max(1) as f64),
            time(sum.total_ns / sum.count.max(1)),
            time(sum.max_ns),
        ]);
    }
    format!("\n{}", table.text())
}

/// `--syscalls`: calls by task and name.
fn syscalls(arguments: &Stats, s: &Summary) -> Outcome {
    if s.syscalls.calls.is_empty() {
        return Err(lacks(
            "show system calls",
            &arguments.trace.file,
            "system call that was entered and left",
            "pontage trace record -e sched -e raw_syscalls",
        ));
    }
    if arguments.format == TextOrJson::Json {
        let document = json!({"capture": s.pass, "syscalls": s.syscalls});
        return ended(output::json(&document), &s.pass);
    }
    let heads = [
        "task",
        "call",
        "count",
        "time",
        "average",
        "longest",
        "off the CPU",
    ];
    let mut table = Columns::new(2, &heads);
    let all = &s.syscalls.calls;
    for call in all.iter().take(arguments.top) {
        table.row(vec![
            format!("{} [{}]", call.comm, call.pid),
            call.called(),
            call.count.to_string(),
            time(call.total_ns),
            time(call.average_ns()),
            time(call.max_ns),
            match s.has_switches() {
                true => time(call.off_cpu_ns),
                false => "-".to_owned(),
            },
        ]);
    }
    let mut text = losses(&s.pass, s.lost_by_kernel);
    text += &table.text();
    if all.len() > arguments.top {
        text += &format!("{} more: --top {}\n", all.len() - arguments.top, all.len());
    }
    if all.iter().any(|call| call.name.is_none()) {
        text += "calls without a name: raw_syscalls has numbers only; names: pontage trace record -e syscalls\n";
    }
    text += &format!(
        "left out: {} calls beside a gap, {} not finished\n",
        s.syscalls.dropped, s.syscalls.unfinished
    );
    ended(output::data(&text), &s.pass)
}

fn cpus(s: &Summary) -> String {
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
    let mut table = Columns::new(1, &heads);
    for (cpu, queue) in s.tasks.cpus.iter().zip(&s.queues.cpus) {
        table.row(vec![
            cpu.cpu.to_string(),
            percent(cpu.busy_ns as f64 / cpu.span_ns.max(1) as f64),
            percent(cpu.idle_ns as f64 / cpu.span_ns.max(1) as f64),
            percent(cpu.unknown_ns as f64 / cpu.span_ns.max(1) as f64),
            cpu.switches.to_string(),
            cpu.preempted.to_string(),
            time_of(cpu.slices.count, cpu.slices.quantile(0.5)),
            format!("{:.2}", queue.mean()),
            queue.max.to_string(),
            percent(queue.waiting_share()),
        ]);
    }
    let mut text = format!("\n{}", table.text());
    if let Some(imbalance) = s.load_imbalance() {
        text += &format!(
            "load: the busiest CPU is {} above the mean\n",
            percent(imbalance)
        );
    }
    if let Some(fair) = s.fairness() {
        text += &format!(
            "fairness: {:.3} (Jain's index, {} tasks that wanted the CPU)\n",
            fair.index, fair.tasks
        );
    }
    text
}

fn tasks(s: &Summary, top: usize) -> String {
    let heads = [
        "task", "ran", "waited", "slices", "median", "max", "R+", "R", "blocked", "wake-up", "p99",
        "moved",
    ];
    let mut table = Columns::new(1, &heads);
    let all = s.tasks.busiest();
    for task in all.iter().take(top) {
        let wakeup = &task.wakeup_latency;
        table.row(vec![
            format!("{} [{}]", task.comm, task.pid),
            time(task.run_ns),
            time(task.wait_ns),
            task.slices.count.to_string(),
            time_of(task.slices.count, task.slices.quantile(0.5)),
            time_of(task.slices.count, task.slices.max),
            task.preempted.to_string(),
            task.still_runnable.to_string(),
            task.blocked.iter().map(|(_, n)| n).sum::<u64>().to_string(),
            time_of(wakeup.count, wakeup.quantile(0.5)),
            time_of(wakeup.count, wakeup.quantile(0.99)),
            task.migrations.to_string(),
        ]);
    }
    let mut text = format!("\n{}", table.text());
    if all.len() > top {
        text += &format!("{} more: --top {}\n", all.len() - top, all.len());
    }
    text
}

fn interrupts(s: &Summary) -> String {
    let sources = s.interrupts.sources();
    if sources.is_empty() {
        return String::new();
    }
    let mut heads = vec![
        "interrupt".to_owned(),
        "count".to_owned(),
        "time".to_owned(),
        "median".to_owned(),
        "max".to_owned(),
    ];
    heads.extend(s.known.cpus.iter().map(|cpu| format!("CPU {cpu}")));
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let mut table = Columns::new(1, &heads);
    for source in sources {
        let time_sum = &source.time;
        let mut row = vec![
            source.name.clone(),
            source.count.to_string(),
            time_of(time_sum.count, time_sum.sum),
            time_of(time_sum.count, time_sum.quantile(0.5)),
            time_of(time_sum.count, time_sum.max),
        ];
        row.extend(source.by_cpu.iter().map(u64::to_string));
        table.row(row);
    }
    let mut text = format!("\n{}", table.text());
    for storm in s.interrupts.storms() {
        let length = storm.until_ns - storm.from_ns;
        text += &format!(
            "! {} stormed on CPU {}: {} in {}\n",
            escape::terminal(&storm.source),
            storm.cpu,
            storm.count,
            time(length)
        );
    }
    text
}

fn ticks(s: &Summary) -> String {
    let Some(function) = &s.ticks.function else {
        return String::new();
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
    let mut table = Columns::new(1, &heads);
    let rate = |rate: Option<f64>| rate.map_or("-".to_owned(), |r| format!("{r:.1}"));
    for cpu in &s.ticks.cpus {
        table.row(vec![
            cpu.cpu.to_string(),
            cpu.ticks.to_string(),
            rate(cpu.busy_rate_hz),
            rate(cpu.idle_rate_hz),
            cpu.median_gap_ns
                .map_or("-".to_owned(), |ns| time_ns(ns as f64, 5)),
            cpu.timer_interrupts.to_string(),
            cpu.not_ticks.to_string(),
            cpu.stopped.to_string(),
            cpu.not_stopped.to_string(),
        ]);
    }
    let how = if s.ticks.by_name {
        ""
    } else {
        ", judged by its period, for no symbol names it"
    };
    let hz = s
        .ticks
        .hz
        .map_or("no usual rate".to_owned(), |hz| format!("CONFIG_HZ={hz}"));
    let function = escape::terminal(function);
    format!("\n{}tick: {function}{how}; {hz}\n", table.text())
}
