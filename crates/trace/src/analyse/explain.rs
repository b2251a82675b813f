//! What a capture tells, in sentences; each says how its number is defined.

use super::slices::Ready;
use super::summary::Summary;
use super::tasks::HeldWait;
use super::words::{Share, Time};
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
    all.extend(interrupts(summary));
    all.extend(ticks(summary));
    all.extend(timers(summary));
    all.extend(functions(summary));
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
            n => format!(" and an unknown number in {n} of them"),
        };
        let unknown: u64 = s.tasks.cpus.iter().map(|c| c.unknown_ns).sum();
        let text = format!(
            "Events are lost in {} gaps: {}{more}; {} of the CPUs' time are unknown, {} waits were dropped.",
            p.gaps,
            p.lost_events,
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
            "{} pages could not be read; the first: {damage}.",
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
            "{} switches are missing though no gap says so: who ran meanwhile is unknown.",
            s.tasks.missed_switches
        );
        let definition =
            "an event names another running task than was switched to; some kernels hide tasks";
        all.push(Sentence {
            alarm: true,
            ..say("lost events", text, definition)
        });
    }
    if all.is_empty() {
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
    let known: u64 = s.tasks.cpus.iter().map(|c| c.busy_ns + c.idle_ns).sum();
    let busy: u64 = s.tasks.cpus.iter().map(|c| c.busy_ns).sum();
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
    let one = |h: &super::tasks::Holder| {
        let name = if h.pid == 0 {
            "idle".to_owned()
        } else {
            format!("{} [{}]", h.comm, h.pid)
        };
        format!("{name} {}", Share(h.ns as f64 / length))
    };
    let all: Vec<String> = wait.holders.iter().map(one).collect();
    match all.is_empty() {
        true => "who held it is not known".to_owned(),
        false => format!("meanwhile it ran {}", all.join(", ")),
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
    for wait in t.longest_waits.iter().take(5) {
        let why = match wait.wait.why {
            Ready::Woken { waker: 0 } => "after an interrupt woke it".to_owned(),
            Ready::Woken { waker } => format!("after {waker} woke it"),
            Ready::New { parent } => format!("after {parent} started it"),
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

fn interrupts(s: &Summary) -> Vec<Sentence> {
    const DEFINITION: &str =
        "one source on one CPU: 2000 times in a window of 100 ms, or half of the window's time";
    let sources = s.interrupts.sources();
    let mut all = Vec::new();
    let known: u64 = s.pass.cpus.iter().map(|c| c.last_ns - c.first_ns).sum();
    if let Some(most) = sources.first() {
        let text = format!(
            "{} took most interrupt time: {} times, {} in all ({} of the CPUs' time), at most {} at once.",
            most.name,
            most.count,
            Time::ns(most.time.sum),
            Share(most.time.sum as f64 / known.max(1) as f64),
            Time::ns(most.time.max)
        );
        all.push(say(
            "interrupts",
            text,
            "entry to exit; what interrupts it in turn is included",
        ));
        let storms = s.interrupts.storms();
        if storms.is_empty() {
            all.push(say(
                "interrupt storms",
                "No interrupt stormed.".to_owned(),
                DEFINITION,
            ));
        }
        for storm in storms.iter().take(5) {
            let length = storm.until_ns - storm.from_ns;
            let text = format!(
                "{} stormed on CPU {} for {}: {:.0} a second, {} of the time.",
                storm.source,
                storm.cpu,
                Time::ns(length),
                storm.count as f64 * 1e9 / length as f64,
                Share(storm.busy_ns as f64 / length as f64)
            );
            all.push(Sentence {
                alarm: true,
                ..say("interrupt storms", text, DEFINITION)
            });
        }
    }
    all
}

fn ticks(s: &Summary) -> Vec<Sentence> {
    let t = &s.ticks;
    let (Some(function), Some(median)) = (&t.function, t.median_gap_ns) else {
        return Vec::new();
    };
    let guess = if t.by_name {
        ""
    } else {
        " (the most frequent periodic function; its name is not known)"
    };
    let hz =
        t.hz.map_or_else(String::new, |hz| format!(", as CONFIG_HZ={hz} makes it"));
    let ticks: u64 = t.cpus.iter().map(|c| c.ticks).sum();
    let idle: u64 = t.cpus.iter().map(|c| c.ticks_idle).sum();
    let text = format!(
        "The tick {function}{guess} came {ticks} times, {idle} of them on an idle CPU; median gap {}{hz}.",
        Time::ns(median)
    );
    let mut all = vec![say(
        "ticks",
        text,
        "hrtimer_expire_entry of the tick's handler; gaps on one CPU",
    )];
    let interrupts: u64 = t.cpus.iter().map(|c| c.timer_interrupts).sum();
    let others: u64 = t.cpus.iter().map(|c| c.not_ticks).sum();
    if interrupts > 0 {
        let text = format!(
            "{others} of {interrupts} timer interrupts were no ticks: counting interrupts does not tell HZ."
        );
        all.push(say(
            "ticks",
            text,
            "interrupts of the local timer in which the tick's handler did not run",
        ));
    }
    all
}

fn timers(s: &Summary) -> Vec<Sentence> {
    let w = &s.wheel;
    let mut all = Vec::new();
    if w.expiries > 0 {
        let late = match (w.late_ns_median, w.late_ns_max) {
            (Some(median), Some(max)) => format!(
                "; function behind time asked for: median {}, at most {}",
                Time(median as f64),
                Time(max as f64)
            ),
            _ => String::new(),
        };
        let against = if w.against_bucket {
            "the wheel's bucket"
        } else {
            "the time asked for"
        };
        let behind = w.late_jiffies_max.map_or_else(String::new, |j| {
            format!("; at most {j} jiffies behind {against}")
        });
        let text = format!(
            "{} timers expired, {} were cancelled, {} started anew while waiting{late}{behind}.",
            w.expiries, w.cancels, w.rearms
        );
        all.push(say("timers", text, "timers of the wheel; its coarseness is part of the lateness in time, not of that against the bucket"));
        let slowest = w.functions.iter().max_by_key(|f| f.took.max);
        if let Some(f) = slowest.filter(|f| f.took.count > 0) {
            let text = format!(
                "The longest timer function was {}: {} at most, {} in the mean of {}.",
                f.function,
                Time::ns(f.took.max),
                Time(f.took.mean()),
                f.took.count
            );
            all.push(say(
                "timers",
                text,
                "timer_expire_entry to timer_expire_exit",
            ));
        }
    }
    let c = &s.chains;
    if c.raise_to_entry.count > 0 {
        let text = format!(
            "Softirq TIMER began {} after it was raised (median; at most {}); {} of {} began only after a switch.",
            Time::ns(c.raise_to_entry.quantile(0.5)),
            Time::ns(c.raise_to_entry.max),
            c.softirqs_deferred,
            c.softirqs
        );
        all.push(say("timers", text, "softirq_raise to softirq_entry of vec 1 on the same CPU; after a switch: ksoftirqd, or a task went first"));
    }
    all
}

fn functions(s: &Summary) -> Option<Sentence> {
    let by_self = s
        .functions
        .iter()
        .max_by_key(|f| f.self_ns)
        .filter(|f| f.self_ns > 0)?;
    let text = format!(
        "{} took most time of its own: {} in {} calls, {} each with what it calls.",
        by_self.function,
        Time::ns(by_self.self_ns),
        by_self.hits,
        Time(by_self.average_ns)
    );
    Some(say(
        "functions",
        text,
        "function_graph; time of calls whose entry and exit were both seen, less their callees'",
    ))
}
