//! What the kernel itself did: interrupts, ticks, timers, functions.

use super::{Sentence, alarm, say};
use crate::analyse::summary::Summary;
use crate::analyse::timers::Stage;
use crate::analyse::words::{Share, Time, sum_ns};

/// What interrupts took, and which of them most.
pub fn interrupts(s: &Summary) -> Vec<Sentence> {
    const DEFINITION: &str =
        "one source on one CPU: 2000 times in a window of 100 ms, or half of the window's time";
    let sources = s.interrupts.sources();
    let mut all = Vec::new();
    let known: u64 = sum_ns(s.pass.cpus.iter().map(|c| c.length_ns()));
    if let Some(most) = sources.first() {
        let text = format!(
            "{} took most interrupt time: {} times, {} in all ({} of CPU time), at most {} each.",
            most.name,
            most.count,
            Time::ns(most.time.sum),
            Share(most.time.sum as f64 / known.max(1) as f64),
            Time::ns(most.time.max)
        );
        all.push(say(
            "interrupts",
            text,
            "entry to exit; nested interrupts are included",
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
                "{} stormed on CPU {} for {}: {:.0} per second, {} of the time.",
                storm.source,
                storm.cpu,
                Time::ns(length),
                storm.count as f64 * 1e9 / length as f64,
                Share(storm.busy_ns as f64 / length as f64)
            );
            all.push(alarm("interrupt storms", text, DEFINITION));
        }
    }
    all
}

/// How the tick ran.
pub fn ticks(s: &Summary) -> Vec<Sentence> {
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
        t.hz.map_or_else(String::new, |hz| format!(", as with CONFIG_HZ={hz}"));
    let ticks: u64 = t.cpus.iter().map(|c| c.ticks).sum();
    let idle: u64 = t.cpus.iter().map(|c| c.ticks_idle).sum();
    let text = format!(
        "The tick {function}{guess} came {ticks} times, {idle} of them on an idle CPU; median gap {}{hz}.",
        Time::ns(median)
    );
    let mut all = vec![say(
        "ticks",
        text,
        "hrtimer_expire_entry of the tick's handler; gaps per CPU",
    )];
    let interrupts: u64 = t.cpus.iter().map(|c| c.timer_interrupts).sum();
    let others: u64 = t.cpus.iter().map(|c| c.not_ticks).sum();
    if interrupts > 0 {
        let text = format!(
            "{others} of {interrupts} timer interrupts were not ticks: counting interrupts does \
             not give HZ."
        );
        all.push(say(
            "ticks",
            text,
            "interrupts of the local timer in which the tick's handler did not run",
        ));
    }
    all
}

/// How late timers were.
pub fn timers(s: &Summary) -> Vec<Sentence> {
    let found = [expiries(s), longest_function(s), raise_to_entry(s)];
    found.into_iter().flatten().collect()
}

/// How late the timers of the wheel expired.
fn expiries(s: &Summary) -> Option<Sentence> {
    let w = &s.wheel;
    if w.expiries == 0 {
        return None;
    }
    let late = match (w.late_ns_median, w.late_ns_max) {
        (Some(median), Some(max)) => format!(
            "; lateness of the function: median {}, at most {}",
            Time(median as f64),
            Time(max as f64)
        ),
        _ => String::new(),
    };
    let against = match w.against_bucket {
        true => "the wheel's bucket",
        false => "the time asked for",
    };
    let behind = w.late_jiffies_max.map_or_else(String::new, |j| {
        format!("; at most {j} jiffies behind {against}")
    });
    let text = format!(
        "{} timers expired, {} were cancelled, {} rearmed while pending{late}{behind}.",
        w.expiries, w.cancels, w.rearms
    );
    Some(say(
        "timers",
        text,
        "timers of the wheel; its granularity is part of the lateness in time, not of the \
         lateness relative to the bucket",
    ))
}

fn longest_function(s: &Summary) -> Option<Sentence> {
    let w = &s.wheel;
    let slowest = w.functions.iter().max_by_key(|f| f.took.max);
    let f = slowest.filter(|f| w.expiries > 0 && f.took.count > 0)?;
    let text = format!(
        "The longest timer function was {}: at most {}, mean {} of {}.",
        f.function,
        Time::ns(f.took.max),
        Time(f.took.mean()),
        f.took.count
    );
    Some(say(
        "timers",
        text,
        "timer_expire_entry to timer_expire_exit",
    ))
}

fn raise_to_entry(s: &Summary) -> Option<Sentence> {
    let c = &s.chains;
    let waited = &c.stages[Stage::RaiseToEntry];
    if waited.count == 0 {
        return None;
    }
    let text = format!(
        "Softirq TIMER started {} after it was raised (median; at most {}); {} of {} started only \
         after a context switch.",
        Time::ns(waited.quantile(0.5)),
        Time::ns(waited.max),
        c.softirqs_deferred,
        c.softirqs
    );
    Some(say(
        "timers",
        text,
        "softirq_raise to softirq_entry of vec 1 on the same CPU; after a switch: ksoftirqd, or a task went first",
    ))
}

/// Where the time of traced functions went.
pub fn functions(s: &Summary) -> Option<Sentence> {
    let by_self = s
        .functions
        .iter()
        .max_by_key(|f| f.self_ns)
        .filter(|f| f.self_ns > 0)?;
    let text = format!(
        "{} had the largest self time: {} in {} calls, {} each including what it calls.",
        by_self.function,
        Time::ns(by_self.self_ns),
        by_self.hits,
        Time(by_self.average_ns)
    );
    Some(say(
        "functions",
        text,
        "function_graph; time of complete calls minus that of their callees",
    ))
}

/// Which call the task that waited longest in calls waited in.
pub fn calls(s: &Summary) -> Option<Sentence> {
    let calls = s.syscalls.longest_off_cpu();
    let most = calls.first()?;
    let all = sum_ns(calls.iter().map(|c| c.off_cpu_ns));
    let text = format!(
        "{} [{}] was off the CPU longest inside system calls: {}, most of it in {} ({} calls, {}).",
        most.comm,
        most.pid,
        Time::ns(all),
        most.called(),
        most.count,
        Time::ns(most.off_cpu_ns)
    );
    Some(say(
        "system calls",
        text,
        "from switch-out to switch-in between entry and exit of a call: sleeping or waiting for a \
         CPU",
    ))
}
