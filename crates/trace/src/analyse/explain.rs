//! What a capture tells, in sentences; each says how its number is defined.

mod kernel;
mod sleepers;

pub use sleepers::told as sleeper;

use super::held::{HeldWait, Holder};
use super::slices::Ready;
use super::summary::Summary;
use super::words::{Share, Time, sum_ns};
use serde::Serialize;

/// A sentence with its numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sentence {
    pub topic: &'static str,
    pub text: String,
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

/// Everything that can be said.
#[must_use]
pub fn explain(summary: &Summary) -> Vec<Sentence> {
    let mut all = vec![span(summary)];
    all.extend(losses(summary));
    all.extend(busiest(summary));
    all.extend(fairness(summary));
    all.extend(waits(summary));
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

fn losses(s: &Summary) -> Vec<Sentence> {
    const DEFINITION: &str =
        "gaps that the pages mark; what spans one on its CPU is dropped, not guessed";
    let mut all = Vec::new();
    let p = &s.pass;
    if p.gaps > 0 {
        let more = match p.gaps_uncounted {
            0 => String::new(),
            n => format!(", and unknown numbers in {n}"),
        };
        let unknown: u64 = sum_ns(s.tasks.cpus.iter().map(|c| c.unknown_ns));
        let text = format!(
            "Events lost: {} (gaps: {}{more}); {} of the CPUs' time are unknown, waits dropped: {}.",
            p.lost_events,
            p.gaps,
            Time::ns(unknown),
            s.tasks.dropped_waits
        );
        all.push(Sentence {
            alarm: true,
            ..say("lost events", text, DEFINITION)
        });
    }
    if let Some(lost) = s.lost_by_kernel.filter(|lost| *lost > 0) {
        let text = format!("The kernel's rings lost {lost} events while recording.");
        let definition = "overrun, dropped events and commit overrun of per_cpu/cpuN/stats";
        all.push(Sentence {
            alarm: true,
            ..say("lost events", text, definition)
        });
    }
    if let Some(damage) = &p.damage {
        let text = format!(
            "Pages that could not be read: {}; the first: {damage}.",
            p.damaged_pages
        );
        all.push(Sentence {
            alarm: true,
            ..say(
                "lost events",
                text,
                "pages whose lengths contradict each other",
            )
        });
    }
    if s.tasks.missed_switches > 0 && s.has_switches() {
        let text = format!(
            "Switches missing though no gap says so: {}; who ran meanwhile is unknown.",
            s.tasks.missed_switches
        );
        let definition =
            "an event names another running task than was switched to; some kernels hide tasks";
        // Every trace of such a kernel has them: nothing went wrong.
        all.push(say("lost events", text, definition));
    }
    if !all.iter().any(|sentence| sentence.alarm) {
        all.push(say(
            "lost events",
            "No events are lost.".to_owned(),
            DEFINITION,
        ));
    }
    all
}

fn busiest(s: &Summary) -> Vec<Sentence> {
    if !s.has_switches() {
        return Vec::new();
    }
    let known: u64 = sum_ns(s.tasks.cpus.iter().flat_map(|c| [c.busy_ns, c.idle_ns]));
    let busy: u64 = sum_ns(s.tasks.cpus.iter().map(|c| c.busy_ns));
    let share = |ns: u64| Share(ns as f64 / known.max(1) as f64);
    let names: Vec<String> = s
        .tasks
        .busiest()
        .iter()
        .take(5)
        .map(|t| {
            format!(
                "{} [{}] {} ({})",
                t.comm,
                t.pid,
                Time::ns(t.run_ns),
                share(t.run_ns)
            )
        })
        .collect();
    let text = format!(
        "The CPUs were busy for {} of their time. Most of it: {}.",
        share(busy),
        names.join(", ")
    );
    vec![say(
        "busiest tasks",
        text,
        "time between being switched to and being switched from, interrupts in it included; shares are of all CPUs' known time",
    )]
}

fn fairness(s: &Summary) -> Option<Sentence> {
    let fair = s.fairness()?;
    let text = format!(
        "Fairness among the {} tasks that wanted the CPU: {:.3}.",
        fair.tasks, fair.index
    );
    Some(say(
        "fairness",
        text,
        "Jain's index of their time on a CPU: 1 equal, 1/n all to one; tasks that ran or waited for 5 % of the capture",
    ))
}

fn holders(wait: &HeldWait) -> String {
    let length = wait.wait.length_ns().max(1) as f64;
    let one = |h: &Holder| {
        let name = if h.pid == 0 {
            "idle".to_owned()
        } else {
            format!("{} [{}]", h.comm, h.pid)
        };
        format!("{name} {}", Share(h.ns as f64 / length))
    };
    let mut all: Vec<String> = wait.holders.iter().map(one).collect();
    for (what, ns) in [("others", wait.others_ns), ("unknown", wait.unknown_ns)] {
        let share = ns as f64 / length;
        // Less than a per cent is the way from one slice to the next.
        if share >= 0.01 && !all.is_empty() {
            all.push(format!("{what} {}", Share(share)));
        }
    }
    match all.is_empty() {
        true => "who held it is not known".to_owned(),
        false => format!("meanwhile it ran {}", all.join(", ")),
    }
}

/// A task as sentences name it.
fn name(s: &Summary, pid: i32) -> String {
    match s.tasks.tasks.get(pid) {
        Some(task) if !task.comm.is_empty() => format!("{} [{pid}]", task.comm),
        _ => format!("task {pid}"),
    }
}

fn waits(s: &Summary) -> Vec<Sentence> {
    let mut all = Vec::new();
    let t = &s.tasks;
    for (what, d, definition) in [
        (
            "Wake-up latency",
            &t.wakeup_latency,
            "sched_waking (a new task's first wake-up; sched_wakeup where waking was not recorded) to being switched to",
        ),
        (
            "Waiting after preemption",
            &t.preempt_wait,
            "switched out runnable (R or R+) to being switched to again",
        ),
    ] {
        if d.count > 0 {
            let text = format!(
                "{what}: median {}, 99 % within {}, at most {} ({} waits).",
                Time::ns(d.quantile(0.5)),
                Time::ns(d.quantile(0.99)),
                Time::ns(d.max),
                d.count
            );
            all.push(say("waits", text, definition));
        }
    }
    for wait in t.held.waits.iter().take(5) {
        let why = match wait.wait.why {
            Ready::Woken {
                interrupt: true, ..
            }
            | Ready::Woken { waker: 0, .. } => "after an interrupt woke it".to_owned(),
            Ready::Woken { waker, .. } => format!("after {} woke it", name(s, waker)),
            Ready::New { parent, .. } => format!("after {} started it", name(s, parent)),
            Ready::Preempted => "preempted".to_owned(),
            Ready::StillRunnable => "switched out runnable".to_owned(),
        };
        let text = format!(
            "{} [{}] waited {} for CPU {}, {why}; {}.",
            wait.comm,
            wait.pid,
            Time::ns(wait.wait.length_ns()),
            wait.cpu,
            holders(wait)
        );
        all.push(say(
            "longest waits",
            text,
            "who ran on the CPU on which the wait ended, by share of the wait",
        ));
    }
    all
}

fn queue(s: &Summary) -> Vec<Sentence> {
    if !s.has_switches() {
        return Vec::new();
    }
    let (mut most, mut all) = (None, Vec::new());
    for (cpu, queue) in s.known.cpus.iter().zip(&s.queues.cpus) {
        let share = queue.waiting_share();
        if most.is_none_or(|(_, _, known)| share > known) {
            most = Some((cpu, queue, share));
        }
    }
    if let Some((cpu, queue, share)) = most.filter(|(_, _, share)| *share > 0.0) {
        let text = format!(
            "CPU {cpu} had more to run than it could for {} of its time: {:.2} runnable tasks in the mean, at most {}.",
            Share(share),
            queue.mean(),
            queue.max
        );
        all.push(say(
            "run queue",
            text,
            "tasks that run or could, weighted by time; more than one: somebody waits",
        ));
    }
    if s.queues.unbalanced_ns > 0 {
        let share = s.queues.unbalanced_ns as f64 / s.pass.span_ns().max(1) as f64;
        let text = format!(
            "For {} of the time a CPU had nothing to run while another had two tasks or more.",
            Share(share)
        );
        all.push(say(
            "run queue",
            text,
            "from run-queue lengths by time; short stretches are the balancer at work",
        ));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::holders;
    use crate::analyse::held::tests::told;

    #[test]
    fn shares_that_are_not_all_say_so() {
        assert!(!holders(&told(1000)).contains("unknown"));
        let part = holders(&told(40));
        assert!(part.ends_with(", unknown 60 %"), "{part}");
    }
}
