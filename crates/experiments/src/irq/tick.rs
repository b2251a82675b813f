//! # irq/tick - How often the timer interrupts a CPU
//!
//! How often does the kernel's tick interrupt a CPU that works and one that rests,
//! and is that the rate which the kernel was built with?
//!
//! ## Counts
//! A period: the time of a window divided by what came in it on the measuring CPU,
//! one window a sample. With `source=interrupts` what came are the interrupts of the
//! CPU's own timer, from /proc/interrupts (LOC on x86, arch_timer on ARM); with
//! `source=trace` they are the expiries of the tick's own timer, from the kernel's
//! hrtimer_expire_entry events. The CPU is kept busy by a spinning thread, or left to
//! itself by a sleeping one. `not_ticks` is how many timer interrupts a second
//! brought no tick, `stopped` how often a second the tick was switched off (both
//! traced).
//!
//! ## Does not count
//! Interrupts of devices, and what the tick does. A resting CPU may still be woken
//! by others' work: it rests only as far as the machine lets it.
//!
//! ## Origin
//! The timer interrupt chapter of the ARM-Linux course of NCKU, 2015, which read
//! /proc/interrupts twice a second apart (302 interrupts on one machine, from 21 to
//! 500 on another) and measured 3.984 ms between interrupts in a trace. The kernel's
//! Documentation/timers/no_hz.rst.
//!
//! ## Theory
//! A kernel built with CONFIG_HZ=250 wants a tick every 4 ms: to account time, to
//! take the CPU from a task whose slice is over, to look for work elsewhere. The
//! counter of timer interrupts is not that rate. The same timer serves every sleeping
//! thread with a fine timer (a wake-up is an interrupt that is no tick: more than
//! HZ), and on a CPU that rests the tick is switched off (CONFIG_NO_HZ_IDLE: far
//! fewer than HZ; one that runs a single task may do without as well under
//! nohz_full). So a count over a second says HZ on a busy and otherwise quiet CPU
//! only; the tick's own expiries say it wherever there are any. That is why the 2015
//! laboratory saw 21 Hz and 500 Hz on a board built for 250.

use crate::experiment::{Experiment, Preset, Tally};
use crate::grid::{AxisSpec, Grid};
use harness::ticks::{configured_hz, pass_time, timer_interrupts};
use harness::tracing::Tracing;
use harness::{Context, Point, Reading, SetupError, Shape, Subject};
use record::{FigureHead, MachineCard, Unit};
use std::path::{Path, PathBuf};
use trace::analyse::ticks::{CpuTicks, TickCount};
use trace::analyse::{Known, Pass, Symbols};

const ID: &str = "irq/tick";

const STATES: &[&str] = &["busy", "idle"];
const SOURCES: &[&str] = &["interrupts", "trace"];
/// The timer is a vector of its own on x86 and a device's interrupt elsewhere.
const EVENTS: [&str; 4] = [
    "timer:hrtimer_expire_entry",
    "timer:tick_stop",
    "sched:sched_switch",
    if cfg!(target_arch = "x86_64") {
        "irq_vectors:local_timer_*"
    } else {
        "irq:irq_handler_*"
    },
];

const AXES: &[AxisSpec] = &[
    AxisSpec {
        name: "state",
        unit: Unit::Word,
        doc: "busy: a thread spins on the CPU; idle: it sleeps",
        words: STATES,
        compared: false,
    },
    AxisSpec {
        name: "source",
        unit: Unit::Word,
        doc: "interrupts: /proc/interrupts; trace: the tick's own expiries",
        words: SOURCES,
        compared: false,
    },
    AxisSpec {
        name: "window",
        unit: Unit::Nanoseconds,
        doc: "time that is counted in",
        words: &[],
        compared: false,
    },
];

const TALLIES: &[Tally] = &[
    Tally {
        name: "configured",
        unit: Unit::Nanoseconds,
        doc: "period that CONFIG_HZ says",
    },
    Tally {
        name: "not_ticks",
        unit: Unit::Count,
        doc: "timer interrupts a second that brought no tick",
    },
    Tally {
        name: "stopped",
        unit: Unit::Count,
        doc: "times a second that the tick was switched off",
    },
];
const CONFIGURED: u16 = 1;
const NOT_TICKS: u16 = 2;

const MILLISECOND: i64 = 1_000_000;

fn grids(preset: Preset, _card: &MachineCard) -> Vec<Grid> {
    let (budget_ms, window_ms) = match preset {
        Preset::Quick => (250, 100),
        Preset::Full => (10_000, 1_000),
    };
    vec![
        Grid::new(budget_ms)
            .words("state", STATES)
            .words("source", SOURCES)
            .ints("window", [window_ms * MILLISECOND]),
    ]
}

/// What came in a window.
#[derive(Debug, Clone, Copy, Default)]
struct Came {
    elapsed_ns: u64,
    ticks: u64,
    not_ticks: Option<u64>,
    stopped: Option<u64>,
}

struct Ticks {
    busy: bool,
    traced: bool,
    window_ns: u64,
    cpu: u32,
    scratch: PathBuf,
    configured: Option<(u32, String)>,
    before: u64,
    tracing: Option<Tracing>,
    elapsed_ns: u64,
    came: Came,
    fault: Option<String>,
}

impl Ticks {
    fn count(&mut self) -> Result<Came, String> {
        let came = Came {
            elapsed_ns: self.elapsed_ns,
            ..Came::default()
        };
        let Some(tracing) = self.tracing.take() else {
            let now = timer_interrupts(Path::new("/"), self.cpu).map_err(|e| e.to_string())?;
            return Ok(Came {
                ticks: now.saturating_sub(self.before),
                ..came
            });
        };
        let capture = tracing.stop().map_err(|e| e.to_string())?;
        let known = Known::of(&capture);
        let mut count = TickCount::new(&known);
        Pass::over(&capture, &known, &mut [&mut count]);
        let ticks = count.finish(&known, &Symbols::parse(&capture.head.kallsyms));
        let none = CpuTicks::default();
        let on = ticks.cpus.iter().find(|c| c.cpu == self.cpu);
        let on = on.unwrap_or(&none);
        Ok(Came {
            ticks: on.ticks,
            not_ticks: Some(on.not_ticks),
            stopped: Some(on.stopped),
            ..came
        })
    }
}

impl Subject for Ticks {
    fn prepare(&mut self, _part: u16) {
        let begun = match self.traced {
            true => Tracing::start(&EVENTS, &self.scratch)
                .map(|tracing| self.tracing = Some(tracing))
                .map_err(|e| e.to_string()),
            false => timer_interrupts(Path::new("/"), self.cpu)
                .map(|count| self.before = count)
                .map_err(|e| e.to_string()),
        };
        if let Err(why) = begun {
            self.fault.get_or_insert(why);
        }
    }

    fn batch(&mut self, _part: u16, _ops: u64) {
        self.elapsed_ns = pass_time(self.busy, self.window_ns);
    }

    fn reading(&mut self, _part: u16) -> Option<Reading> {
        match self.count() {
            Ok(came) => self.came = came,
            Err(why) => {
                self.fault.get_or_insert(why);
            }
        }
        Some(Reading {
            // A window without any says that the period is at least that long.
            ops: self.came.ticks.max(1),
            elapsed_ns: self.came.elapsed_ns as f64,
            floor_ns: 0.0,
            cpu: None,
            turn: None,
        })
    }

    fn tally(&mut self, _part: u16) -> Vec<f64> {
        // Tallies are divided by the operations, which these are not meant for.
        let ops = self.came.ticks.max(1) as f64;
        let seconds = self.came.elapsed_ns as f64 / 1e9;
        let rate = |count: Option<u64>| count.map_or(f64::NAN, |c| c as f64 / seconds * ops);
        let configured = self.configured.as_ref();
        vec![
            configured.map_or(f64::NAN, |(hz, _)| 1e9 / f64::from(*hz) * ops),
            rate(self.came.not_ticks),
            rate(self.came.stopped),
        ]
    }

    fn verify(&mut self) -> Result<(), String> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    fn notes(&self) -> Vec<String> {
        let configured = self.configured.as_ref();
        let told = configured.map(|(hz, by)| format!("CONFIG_HZ is {hz} ({by})"));
        vec![told.unwrap_or_else(|| "no configuration tells CONFIG_HZ".to_owned())]
    }
}

fn setup(point: &Point, context: &Context) -> Result<Box<dyn Subject>, SetupError> {
    let traced = point.word("source") == "trace";
    match traced {
        // Says at once where there is no tracing.
        true => drop(Tracing::start(&EVENTS, &context.scratch)?),
        false => {
            let read = timer_interrupts(Path::new("/"), context.test_cpu);
            read.map_err(|cause| {
                SetupError::skip(
                    format!("cannot read /proc/interrupts: {cause}"),
                    "cat /proc/interrupts (a container may hide it)",
                )
            })?;
        }
    }
    Ok(Box::new(Ticks {
        busy: point.word("state") == "busy",
        traced,
        window_ns: point.size("window") as u64,
        cpu: context.test_cpu,
        scratch: context.scratch.clone(),
        configured: configured_hz(Path::new("/")),
        before: 0,
        tracing: None,
        elapsed_ns: 0,
        came: Came::default(),
        fault: None,
    }))
}

fn figures() -> Vec<FigureHead> {
    vec![FigureHead {
        title: "From one tick to the next".to_owned(),
        x: "state".to_owned(),
        y: "period".to_owned(),
        y_log: true,
        series: vec!["source".to_owned()],
        reading: "A long period on a resting CPU is a tick that was switched off.".to_owned(),
        ..FigureHead::default()
    }]
}

pub static EXPERIMENT: Experiment = Experiment {
    id: "irq/tick",
    axes: AXES,
    parts: &[("period", "from one tick, or timer interrupt, to the next")],
    tallies: TALLIES,
    shape: |_| Shape::Single { repetitions: 10 },
    bytes_per_op: |_| None,
    grids,
    setup,
    figures,
    toll: |_| Vec::new(),
    claims: findings::CLAIMS,
    findings: |table, _| findings::findings(table),
};

mod findings;

#[cfg(test)]
mod tests {
    use super::findings::findings;
    use super::{EXPERIMENT, ID};
    use crate::testing::{context, int, measured, point, table, word};
    use analysis::PointView;
    use record::Verdict;

    fn at(state: &str, source: &str, hz: f64, not_ticks: f64) -> PointView {
        let settings = [
            word("state", state),
            word("source", source),
            int("window", 1),
        ];
        measured(ID, &settings, &[1e9 / hz, 4e6, not_ticks])
    }

    #[test]
    fn both_counts_are_told_apart_and_the_tick_held_against_the_configuration() {
        let points = vec![
            at("busy", "interrupts", 360.0, 110.0),
            at("busy", "trace", 250.0, 110.0),
            at("idle", "trace", 21.0, 3.0),
        ];
        let all = findings(&table(ID, points));
        assert_eq!(all[0].verdict, Verdict::Agree, "{}", all[0].sentence);
        assert!(all[0].sentence.ends_with("every 4.000 ms: HZ=250"));
        assert!(all[1].sentence.contains("counts 360 timer interrupts"));
        assert!(all[1].sentence.contains("110 a second were traced"));
        assert!(all[2].sentence.contains("21 times a second instead of 250"));
    }

    #[test]
    fn a_rate_that_no_kernel_has_disagrees() {
        let all = findings(&table(ID, vec![at("busy", "interrupts", 302.0, 0.0)]));
        assert_eq!(all[0].verdict, Verdict::Disagree);
        assert!(all[0].sentence.ends_with("HZ=300"), "{}", all[0].sentence);
    }

    #[test]
    fn a_window_is_a_sample() {
        let (context, _keep) = context();
        let settings = [
            word("state", "busy"),
            word("source", "interrupts"),
            int("window", 30_000_000),
        ];
        let mut subject = (EXPERIMENT.setup)(&point(ID, &settings), &context).unwrap();
        subject.prepare(0);
        subject.batch(0, 1);
        let reading = subject.reading(0).unwrap();
        assert!(reading.ops >= 1 && reading.elapsed_ns >= 30e6);
        assert_eq!(subject.tally(0).len(), 3);
        assert_eq!(subject.verify(), Ok(()));
    }
}
