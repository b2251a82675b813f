//! The numbers of a capture in sentences; each says how its number is defined.

mod kernel;
mod losses;
mod sleepers;
mod waits;

pub use sleepers::sleeper;

use super::event::Comm;
use super::held::Holder;
use super::summary::Summary;
use super::words::{Share, Time, sum_ns};
use serde::Serialize;

/// A sentence with its numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sentence {
    /// What it is about: `waits`, `timers`.
    pub topic: &'static str,
    /// The sentence.
    pub text: String,
    /// How its number is defined.
    pub definition: &'static str,
    /// Something that a reader should not miss.
    pub alarm: bool,
}

fn say(topic: &'static str, text: String, definition: &'static str) -> Sentence {
    Sentence {
        topic,
        text,
        definition,
        alarm: false,
    }
}

fn alarm(topic: &'static str, text: String, definition: &'static str) -> Sentence {
    Sentence {
        alarm: true,
        ..say(topic, text, definition)
    }
}

/// Every sentence that the summary has numbers for.
pub fn explain(summary: &Summary) -> Vec<Sentence> {
    let mut all = vec![span(summary)];
    all.extend(losses::losses(summary));
    all.extend(busiest(summary));
    all.extend(fairness(summary));
    all.extend(waits::waits(summary));
    all.extend(queue(summary));
    all.extend(sleepers::sleepers(summary));
    all.extend(kernel::interrupts(summary));
    all.extend(kernel::ticks(summary));
    all.extend(kernel::timers(summary));
    all.extend(kernel::calls(summary));
    all.extend(kernel::functions(summary));
    all
}

fn span(s: &Summary) -> Sentence {
    let text = format!(
        "{} events on {} CPUs within {}.",
        s.pass.events,
        s.pass.cpus.len(),
        Time::ns(s.pass.span_ns())
    );
    say(
        "capture",
        text,
        "from the first event of all CPUs to the last",
    )
}

fn busiest(s: &Summary) -> Vec<Sentence> {
    if !s.has_switches() {
        return Vec::new();
    }
    let known: u64 = sum_ns(s.tasks.cpus.iter().flat_map(|c| [c.busy_ns, c.idle_ns]));
    let busy: u64 = sum_ns(s.tasks.cpus.iter().map(|c| c.busy_ns));
    let share = |ns: u64| Share(ns as f64 / known.max(1) as f64);
    let busiest = s.tasks.busiest();
    let names = busiest.iter().take(5).map(|task| {
        let (name, ran) = (on_cpu(task.pid, task.comm), Time::ns(task.run_ns));
        format!("{name} {ran} ({})", share(task.run_ns))
    });
    let text = format!(
        "The CPUs were busy {} of the time. Largest shares: {}.",
        share(busy),
        names.collect::<Vec<_>>().join(", ")
    );
    vec![say(
        "busiest tasks",
        text,
        "time between switched in and switched out, interrupts included; shares are of the known \
         time of all CPUs",
    )]
}

fn fairness(s: &Summary) -> Option<Sentence> {
    let fair = s.fairness()?;
    let text = format!(
        "Fairness among the {} tasks that competed for the CPU: {:.3}.",
        fair.tasks, fair.index
    );
    Some(say(
        "fairness",
        text,
        "Jain's index of their time on a CPU: 1 if equal, 1/n if one had it all; tasks that ran \
         or waited for 5 % of the capture",
    ))
}

/// Who had a CPU.
fn on_cpu(pid: i32, comm: Comm) -> String {
    match pid {
        0 => "idle".to_owned(),
        _ => format!("{comm} [{pid}]"),
    }
}

/// Who had a CPU, and for which share of `length_ns`.
fn shares(holders: &[Holder], length_ns: f64) -> Vec<String> {
    let share = |h: &Holder| {
        format!(
            "{} {}",
            on_cpu(h.pid, h.comm),
            Share(h.ns as f64 / length_ns)
        )
    };
    holders.iter().map(share).collect()
}

/// A task as sentences name it.
fn name(s: &Summary, pid: i32) -> String {
    match s.tasks.tasks.get(pid) {
        Some(task) if !task.comm.is_empty() => format!("{} [{pid}]", task.comm),
        _ => format!("task {pid}"),
    }
}

fn queue(s: &Summary) -> Vec<Sentence> {
    if !s.has_switches() {
        return Vec::new();
    }
    let mut all = Vec::new();
    let queues = s.known.cpus.iter().zip(&s.queues.cpus);
    let shares = queues.map(|(cpu, queue)| (cpu, queue, queue.waiting_share()));
    let most = shares.reduce(|most, next| if next.2 > most.2 { next } else { most });
    if let Some((cpu, queue, share)) = most.filter(|(_, _, share)| *share > 0.0) {
        let text = format!(
            "CPU {cpu} was overloaded {} of the time: {:.2} runnable tasks on average, at most {}.",
            Share(share),
            queue.mean(),
            queue.max
        );
        all.push(say(
            "run queue",
            text,
            "running and runnable tasks, weighted by time; above one: at least one waits",
        ));
    }
    if s.queues.unbalanced_ns > 0 {
        let share = s.queues.unbalanced_ns as f64 / s.pass.span_ns().max(1) as f64;
        let text = format!(
            "{} of the time one CPU was idle while another had two tasks or more.",
            Share(share)
        );
        all.push(say(
            "run queue",
            text,
            "from run-queue lengths over time; short periods are normal load balancing",
        ));
    }
    all
}
