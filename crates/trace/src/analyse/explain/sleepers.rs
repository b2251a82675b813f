//! Threads that slept until a moment, and what made the latest of them late.

use super::{Sentence, on_cpu, say, shares};
use crate::analyse::sleeps::{Sleep, SleepSums, Stage};
use crate::analyse::summary::Summary;
use crate::analyse::words::Time;

/// Sentences about single sleeps.
const SINGLE: usize = 3;

const DEFINITION: &str = "from the requested wake-up time to being switched in; slack: allowed by \
                          the thread; timer: after it, to the timer's function; wake: to \
                          sched_waking; queue: to sched_switch";

/// Whose sleeps ended late, and in which stage.
pub fn sleepers(s: &Summary) -> Vec<Sentence> {
    let SleepSums { late, latest, .. } = &s.sleeps;
    if late.count == 0 {
        return Vec::new();
    }
    let stages: Vec<String> = Stage::ALL
        .iter()
        .zip(&s.sleeps.stages)
        .map(|(stage, d)| format!("{} {}", Time::ns(d.quantile(0.5)), word(*stage)))
        .collect();
    let text = format!(
        "Sleeping threads ran {} late in the median, 99 % within {}, at most {} ({} sleeps); \
         medians by stage: {}.",
        Time::ns(late.quantile(0.5)),
        Time::ns(late.quantile(0.99)),
        Time::ns(late.max),
        late.count,
        stages.join(", ")
    );
    let mut all = vec![say("sleepers", text, DEFINITION)];
    let single = latest.iter().take(SINGLE);
    all.extend(single.map(|sleep| say("sleepers", format!("{}.", sleeper(sleep)), DEFINITION)));
    all
}

fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Slack => "slack",
        Stage::Timer => "timer",
        Stage::Wake => "wake",
        Stage::Queue => "queue",
    }
}

/// One sleep: how late, in which stages, and why.
pub fn sleeper(sleep: &Sleep) -> String {
    let stages =
        Stage::ALL.map(|stage| format!("{} {}", Time::ns(sleep.stage_ns(stage)), word(stage)));
    format!(
        "{} ran {} late on CPU {}: {}; {}",
        on_cpu(sleep.pid, sleep.comm),
        Time::ns(sleep.late_ns()),
        sleep.cpu,
        stages.join(", "),
        cause(sleep)
    )
}

/// What held a thread up in the stage in which most of its lateness lies.
pub fn cause(sleep: &Sleep) -> String {
    let (pid, comm) = sleep.interrupted;
    match sleep.longest() {
        Stage::Slack => "that is the timer slack of the thread".to_owned(),
        Stage::Timer if pid == 0 => "the CPU had to leave an idle state, or the machine (or its \
                                     hypervisor) delivered the interrupt late"
            .to_owned(),
        Stage::Timer => format!(
            "while {} ran, interrupts were off or the machine (or its hypervisor) was late",
            on_cpu(pid, comm)
        ),
        Stage::Wake => "the timer's function took that time".to_owned(),
        Stage::Queue => queue(sleep),
    }
}

fn queue(sleep: &Sleep) -> String {
    let length = sleep.stage_ns(Stage::Queue).max(1) as f64;
    let most = sleep.holders.len().min(3);
    let holders = shares(&sleep.holders[..most], length);
    let mut text = match holders.is_empty() {
        true => "which task had the CPU is unknown".to_owned(),
        false => format!("in that time it ran {}", holders.join(", ")),
    };
    if let Some(most) = sleep.interrupts.first() {
        text += &format!(", with {} of {} in it", Time::ns(most.ns), most.source);
    }
    text
}
