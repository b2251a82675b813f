//! What a recording of the kernel's timers says of each stage.

use super::sleepers::sleep_while;
use super::{LATENESS, TALLIES};
use engines::reading::of_events;
use engines::scheduler::replay::Recorded;
use harness::ticks::{configured_hz, pass_time};
use harness::tracing::Tracing;
use harness::{Context, Reading, SetupError};
use std::path::Path;
use trace::Capture;
use trace::analyse::ticks::TickCount;
use trace::analyse::timers::{
    ChainSums, Chains, Expired, Passage, Stage, TickTimes, Wheel, WheelSums, wheel_step,
};
use trace::analyse::{Known, Pass, Symbols, Visitor};

/// The timer is a vector of its own on x86 and a device's interrupt elsewhere.
const EVENTS: [&str; 11] = [
    "timer:timer_start",
    "timer:timer_cancel",
    "timer:timer_expire_entry",
    "timer:timer_expire_exit",
    "timer:hrtimer_start",
    "timer:hrtimer_expire_entry",
    "irq:softirq_raise",
    "irq:softirq_entry",
    "irq:softirq_exit",
    "sched:sched_switch",
    if cfg!(target_arch = "x86_64") {
        "irq_vectors:local_timer_*"
    } else {
        "irq:irq_handler_*"
    },
];

/// Begins the note that lists the functions of timers; findings quote it.
pub const FUNCTIONS: &str = "functions of timers: ";
/// Functions in that note.
const MOST_FUNCTIONS: usize = 4;

/// One passage of a stage; what is not of its stage is NaN.
#[derive(Debug, Clone, PartialEq)]
pub struct Passed {
    pub ns: f64,
    pub cpu: u32,
    pub tallies: [f64; TALLIES.len()],
}

const NOTHING: [f64; TALLIES.len()] = [f64::NAN; TALLIES.len()];

impl Recorded for Passed {
    fn reading(&self) -> Reading {
        of_events(1, self.ns, Some(self.cpu))
    }

    fn tally(&self) -> Vec<f64> {
        self.tallies.to_vec()
    }
}

/// All stages of one recording.
pub struct Recording {
    cpu: u32,
    passed: Vec<(&'static str, Passed)>,
    notes: Vec<String>,
    /// Of the stage `expiry`.
    functions: Option<String>,
}

impl Recording {
    /// Records for `length_ns` while threads on this CPU sleep by timers.
    ///
    /// # Errors
    /// `Skip` without tracing.
    pub fn make(
        timeout_ns: u64,
        busy: bool,
        length_ns: u64,
        context: &Context,
    ) -> Result<Recording, SetupError> {
        let tracing = Tracing::start(&EVENTS, &context.scratch)?;
        let tids = sleep_while(timeout_ns, || {
            pass_time(busy, length_ns);
        })?;
        let capture = tracing.stop()?;
        let hz = configured_hz(Path::new("/")).map(|(hz, _)| hz);
        Ok(Recording::of(&capture, &tids, context.test_cpu, hz))
    }

    /// What `capture` says of `cpu` and of the timers that threads `tids` started.
    #[must_use]
    pub fn of(capture: &Capture, tids: &[i32], cpu: u32, hz: Option<u32>) -> Recording {
        let known = Known::of(capture);
        let here = known.place_of(cpu);
        let mut passed = Vec::new();
        let mut expired: Vec<Expired> = Vec::new();
        let mut stages = |p: &Passage| {
            if Some(p.cpu) == here {
                passed.push((p.stage.name(), Passed::through(p, cpu)));
            }
        };
        let mut ours = |e: &Expired| expired.extend(tids.contains(&e.starter).then_some(*e));
        let mut chains = Chains::with_sink(&known, &mut stages);
        let mut wheel = Wheel::with_sink(&known, &mut ours);
        let mut count = TickCount::new(&known);
        let mut all: [&mut dyn Visitor; 3] = [&mut chains, &mut wheel, &mut count];
        let pass = Pass::over(capture, &known, &mut all);
        let symbols = Symbols::parse(&capture.head.kallsyms);
        let ticking = count.finish(&known, &symbols);
        let hz = hz.or(ticking.hz).or(wheel.jiffies.hz());
        let ticks = hz.and_then(|hz| wheel.jiffies.ticks(hz));
        let ticks = ticks.map(|t| ticking.due_ns.map_or(t, |due_ns| t.due(due_ns)));
        let sums = wheel.finish(&symbols, hz);
        let notes = notes(&pass, &chains.sums, ticks.is_none());
        if let Some(ticks) = ticks {
            let late = expired.iter().map(|e| Passed::late(e, &ticks, &known));
            passed.extend(late.map(|p| (LATENESS, p)));
        }
        Recording {
            cpu,
            passed,
            notes,
            functions: functions(&sums),
        }
    }

    /// Passages of one stage, in the order of their ends.
    pub fn of_stage(&self, stage: &str) -> Vec<Passed> {
        let of = self.passed.iter().filter(|(name, _)| *name == stage);
        of.map(|(_, passed)| passed.clone()).collect()
    }

    /// Notes for the point of this stage: what the recording lacks, and which functions
    /// expired.
    pub fn notes(&self, stage: &str) -> Vec<String> {
        let mut notes = self.notes.clone();
        if !self.passed.iter().any(|(name, _)| *name == stage) {
            notes.push(match stage {
                LATENESS => "no timer of ours expired in the recording".to_owned(),
                _ => format!(
                    "this stage did not occur on CPU {} during the recording",
                    self.cpu
                ),
            });
        }
        if stage == Stage::Expiry.name() {
            notes.extend(self.functions.clone());
        }
        notes
    }
}

impl Passed {
    fn through(passage: &Passage, cpu: u32) -> Passed {
        let mut tallies = NOTHING;
        let unusual = f64::from(u8::from(passage.unusual));
        match passage.stage {
            Stage::RaiseToEntry => tallies[0] = unusual,
            Stage::Softirq => tallies[1] = unusual,
            _ => {}
        }
        Passed {
            ns: passage.length_ns as f64,
            cpu,
            tallies,
        }
    }

    fn late(e: &Expired, ticks: &TickTimes, known: &Known) -> Passed {
        let tick_ns = ticks.tick_ns() as f64;
        let between = |from: u64, to: u64| ticks.between(from, to) as f64;
        let asked = e.start.now.map(|now| between(now, e.start.expires));
        let asked_ns = asked.map_or(f64::NAN, |jiffies| jiffies * tick_ns);
        let step = asked.map(|jiffies| wheel_step(stats::whole(jiffies)));
        let elsewhere = e.cpu != e.started_on;
        Passed {
            ns: ticks.since_ns(e.due(), e.at_ns) as f64,
            cpu: known.cpus[e.cpu],
            tallies: [
                f64::NAN,
                f64::NAN,
                asked_ns,
                between(e.start.expires, e.due()) * tick_ns,
                step.map_or(f64::NAN, |jiffies| jiffies as f64 * tick_ns),
                e.late_jiffies as f64,
                e.at_ns.saturating_sub(e.started_ns) as f64 - asked_ns,
                f64::from(u8::from(elsewhere)),
            ],
        }
    }
}

fn notes(pass: &Pass, sums: &ChainSums, no_ticks: bool) -> Vec<String> {
    let (events, gaps, dropped) = (pass.events, pass.gaps, sums.dropped);
    let mut notes = vec![format!(
        "{events} events recorded in an own tracefs instance"
    )];
    if gaps > 0 {
        notes.push(format!(
            "events were lost in {gaps} places; {dropped} stages that they cut are left out"
        ));
    }
    if no_ticks {
        notes.push("no configuration tells CONFIG_HZ: no lateness".to_owned());
    }
    notes
}

fn functions(sums: &WheelSums) -> Option<String> {
    let expired = sums.functions.iter().filter(|f| f.expiries > 0);
    let one = |f: &trace::analyse::timers::FunctionTimers| {
        let mean_us = f.took.mean() / 1e3;
        format!("{} ({}, {mean_us:.1} us each)", f.function, f.expiries)
    };
    let all: Vec<String> = expired.map(one).collect();
    let named = all.get(..MOST_FUNCTIONS).unwrap_or(&all).join(", ");
    let more = match all.len().saturating_sub(MOST_FUNCTIONS) {
        0 => String::new(),
        more => format!(", {more} more"),
    };
    (!all.is_empty()).then(|| format!("{FUNCTIONS}{named}{more}, on all CPUs"))
}
