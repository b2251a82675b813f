//! Wake-ups that the kernel traced as well: how late each was by the thread's
//! own clock, and in which stage the time went.

use super::TALLIES;
use engines::reading::of_events;
use engines::scheduler::replay::{Recorded, Replay};
use harness::tracing::Tracing;
use harness::wakeups::Alarm;
use harness::{Context, Reading, SetupError};
use std::collections::HashMap;
use trace::Capture;
use trace::analyse::explain::sleeper;
use trace::analyse::sleeps::{Sleep, Sleeps, Stage};
use trace::analyse::{Known, Pass};

/// What a late wake-up can be put down to.
const EVENTS: &[&str] = &[
    "timer:hrtimer_start",
    "timer:hrtimer_expire_entry",
    "timer:hrtimer_expire_exit",
    "sched:sched_switch",
    "sched:sched_waking",
    "sched:sched_migrate_task",
    "irq:irq_handler_*",
    "irq:softirq_*",
    #[cfg(target_arch = "x86_64")]
    "irq_vectors:*",
];
/// Latest wake-ups whose cause is noted.
const NOTED: usize = 3;

/// One wake-up.
#[derive(Debug, Clone, PartialEq)]
pub struct Woken {
    pub asked_ns: u64,
    pub late_ns: u64,
    /// None: the capture does not hold it.
    pub sleep: Option<Sleep>,
}

impl Recorded for Woken {
    fn reading(&self) -> Reading {
        of_events(1, self.late_ns as f64, None)
    }

    /// The stages, and from there to the thread's look at the clock; NaN where the
    /// capture does not tell.
    fn tally(&self) -> Vec<f64> {
        const UNKNOWN: f64 = f64::NAN;
        let mut stages = [UNKNOWN; 5];
        if let Some(sleep) = &self.sleep {
            let [slack, timer, wake, queue] = Stage::ALL.map(|s| sleep.stage_ns(s) as f64);
            let looked_ns = self.asked_ns + self.late_ns;
            let back = looked_ns.saturating_sub(sleep.ran_ns) as f64;
            stages = [slack, timer, wake, queue, back];
        }
        let [slack, timer, wake, queue, back] = stages;
        let (missed, stated) = (UNKNOWN, UNKNOWN);
        let all: [f64; TALLIES.len()] = [missed, slack, timer, wake, queue, back, stated];
        all.to_vec()
    }
}

/// Sleeps `wakes` times while the kernel's events are recorded.
///
/// # Errors
/// `Skip` without tracing.
pub fn record(
    interval_ns: u64,
    wakes: usize,
    context: &Context,
) -> Result<Replay<Woken>, SetupError> {
    let tracing = Tracing::start(EVENTS, &context.scratch)?;
    let mut alarm = Alarm::new(interval_ns);
    let mut woken = Vec::with_capacity(wakes);
    alarm.begin();
    for _ in 0..wakes {
        alarm.sleep();
        woken.push(Woken {
            asked_ns: alarm.asked_ns(),
            late_ns: alarm.late_ns(),
            sleep: None,
        });
    }
    let capture = tracing.stop()?;
    context.keep_trace("wake-ups", &capture);
    // SAFETY: takes nothing and cannot fail.
    find(&mut woken, unsafe { libc::gettid() }, &capture);
    let notes = notes(&woken, alarm.missed());
    Ok(Replay::of(woken, notes))
}

/// Finds each wake-up of the thread in the capture, by the moment asked for.
fn find(woken: &mut [Woken], thread: i32, capture: &Capture) {
    let known = Known::of(capture);
    let mut of: HashMap<u64, Sleep> = HashMap::new();
    let mut sleeps = Sleeps::new(&known, |sleep: &Sleep| {
        if sleep.pid == thread {
            of.insert(sleep.asked_ns, sleep.clone());
        }
    });
    Pass::over(capture, &known, &mut [&mut sleeps]);
    for one in woken {
        one.sleep = of.remove(&one.asked_ns);
    }
}

fn notes(woken: &[Woken], missed: u64) -> Vec<String> {
    let mut notes = Vec::new();
    let (all, hidden) = (woken.len(), woken.iter().filter(|w| w.sleep.is_none()));
    let hidden = hidden.count();
    if hidden > 0 {
        notes.push(format!(
            "the trace does not show all stages of {hidden} of {all} wake-ups"
        ));
    }
    if missed > 0 {
        notes.push(super::missed(missed));
    }
    let mut sleeps: Vec<&Sleep> = woken.iter().filter_map(|w| w.sleep.as_ref()).collect();
    sleeps.sort_by_key(|sleep| std::cmp::Reverse(sleep.late_ns()));
    let latest = sleeps.into_iter().take(NOTED);
    notes.extend(latest.map(|sleep| format!("{LATE}{}", sleeper(sleep))));
    notes
}

/// Begins the notes on the latest wake-ups, the latest of all first.
pub const LATE: &str = "late: ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traced_wake_up_has_each_stage_in_its_place() {
        let sleep = Sleep {
            asked_ns: 1_000,
            due_ns: 1_010,
            expired_ns: 1_030,
            woken_ns: 1_060,
            ran_ns: 1_100,
            ..Sleep::default()
        };
        let woken = |sleep| Woken {
            asked_ns: 1_000,
            late_ns: 150,
            sleep,
        };
        let of = |name| usize::from(super::super::EXPERIMENT.metric(name)) - 1;
        let all = woken(Some(sleep)).tally();
        let stages = ["slack", "timer", "wake", "queue", "back"];
        assert_eq!(
            stages.map(|name| all[of(name)]),
            [10.0, 20.0, 30.0, 40.0, 50.0]
        );
        assert!(all[of("missed")].is_nan() && all[of("stated")].is_nan());
        let hidden = woken(None).tally();
        assert_eq!(hidden.len(), all.len());
        assert!(hidden.iter().all(|ns| ns.is_nan()));
    }
}
