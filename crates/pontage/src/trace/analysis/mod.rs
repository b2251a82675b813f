//! What a trace tells, for people and for pipes.

pub mod arguments;
mod profile;
mod slices;

pub use profile::profile;
pub use slices::slices;

use super::arguments::TraceFile;
use crate::failure::{Failure, Outcome};
use crate::flags::Format;
use crate::output;
use ::trace::Capture;
use ::trace::analyse::functions::CallTree;
use ::trace::analyse::summary::Summary;
use ::trace::analyse::timers::Life;
use ::trace::analyse::{Known, Pass, Symbols};
use arguments::{Callpath, Compare, Explain, Stats, Timers};
use profile::{EVENTS, RECORD};
use report::analyses::comparison::Pair;
use report::analyses::{
    functions, sentences, stats as sums, syscalls as calls, timers as timer_sums,
};
use report::document::Document;
use serde::Serialize;
use serde_json::json;
use std::path::Path;

/// Opens a file; notes when its clock does not count ns.
fn open(trace: &TraceFile) -> Result<Capture, Failure> {
    let record = "record one: pontage trace record -o trace.dat -- CMD";
    let opened = trace.open().map_err(Failure::from);
    let capture = opened.map_err(|failure| failure.or_hint(record))?;
    if !capture.head.in_nanoseconds() {
        let clock = capture.head.clock.as_deref().unwrap_or("unknown");
        harness::message!(
            "pontage: the trace's clock {clock} does not count ns: all times are in its own steps"
        );
    }
    Ok(capture)
}

/// Writes an analysis; what of the trace is not in it makes a failure.
fn shown<F: Serialize>(
    format: Format,
    document: impl FnOnce() -> Document,
    facts: impl FnOnce() -> F,
    pass: &Pass,
) -> Outcome {
    output::study(format, document, facts)?;
    super::unread(pass.damaged_pages)
}

/// An analysis has nothing to work on.
fn lacks(verb: &str, path: &Path, events: &str, record: &str) -> Failure {
    Failure::new(format!(
        "cannot {verb} of {}: it holds no {events}",
        path.display()
    ))
    .hint(format!("record them: {record} -- CMD"))
}

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
    let document = || sums::document(&summary, arguments.top);
    shown(
        arguments.format,
        document,
        || sums::json(&summary),
        &summary.pass,
    )
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
    let document = || calls::document(s, arguments.top);
    shown(arguments.format, document, || calls::json(s), &s.pass)
}

/// # Errors
/// A file that is no trace, or holds no timers.
pub fn timers(arguments: &Timers) -> Outcome {
    let capture = open(&arguments.trace)?;
    if arguments.timer.is_some() || arguments.function.is_some() {
        return life(arguments, &capture);
    }
    let s = Summary::of(&capture);
    let wheel = s.wheel.starts + s.wheel.expiries;
    let chains = s.chains.interrupts + s.chains.softirqs + s.chains.hrtimer_expiries;
    if wheel + chains == 0 {
        return Err(lacks(
            "show timers",
            &arguments.trace.file,
            "timer, irq or local_timer events",
            "pontage trace record -e 'timer:*' -e 'irq:*' -e 'irq_vectors:local_timer_*'",
        ));
    }
    let document = || timer_sums::document(&s);
    shown(arguments.format, document, || timer_sums::json(&s), &s.pass)
}

fn life(arguments: &Timers, capture: &Capture) -> Outcome {
    let symbols = Symbols::parse(&capture.head.kallsyms);
    let mut life = Life::new(arguments.timer, arguments.function.as_deref(), &symbols);
    let known = Known::of(capture);
    let pass = Pass::over(capture, &known, &mut [&mut life]);
    if life.events.is_empty() {
        let file = arguments.trace.file.display();
        return Err(Failure::new(format!(
            "cannot show the timer's life in {file}: no event of the trace is about it"
        ))
        .hint(format!(
            "to list functions with timers: pontage trace timers {file}"
        )));
    }
    let document = || timer_sums::life(&life, capture, &pass);
    shown(
        arguments.format,
        document,
        || timer_sums::life_json(&life, &pass),
        &pass,
    )
}

/// # Errors
/// A file that is no trace.
pub fn explain(arguments: &Explain) -> Outcome {
    let summary = Summary::of(&open(&arguments.trace)?);
    let found = ::trace::analyse::explain::explain(&summary);
    let document = || sentences::document(&found);
    let facts = || json!({"capture": summary.pass, "sentences": found});
    shown(arguments.format, document, facts, &summary.pass)
}

/// # Errors
/// A file that is no trace.
pub fn compare(arguments: &Compare) -> Outcome {
    let of = |file: &Path| {
        let trace = TraceFile {
            file: file.to_owned(),
            instance: arguments.instance.clone(),
        };
        open(&trace).map(|capture| Summary::of(&capture))
    };
    let (a, b) = (of(&arguments.a)?, of(&arguments.b)?);
    let names = [&arguments.a, &arguments.b].map(|file| file.display().to_string());
    let pair = Pair {
        names,
        a: &a,
        b: &b,
    };
    shown(
        arguments.format,
        || pair.document(),
        || pair.json(),
        &a.pass,
    )?;
    super::unread(b.pass.damaged_pages)
}

/// # Errors
/// A file that is no trace, or in which the function was not called.
pub fn callpath(arguments: &Callpath) -> Outcome {
    let capture = open(&arguments.trace)?;
    let (known, symbols) = (Known::of(&capture), Symbols::parse(&capture.head.kallsyms));
    let mut tree = CallTree::new(&known, &symbols, arguments.root.as_deref());
    let pass = Pass::over(&capture, &known, &mut [&mut tree]);
    let lines = tree.lines(&symbols, arguments.least / 100.0);
    if lines.is_empty() {
        return Err(match &arguments.root {
            Some(root) => {
                let file = arguments.trace.file.display();
                Failure::new(format!(
                    "cannot show calls below {root}: {file} has no complete call of it"
                ))
                .hint(format!(
                    "to list the called functions: pontage trace profile {file}"
                ))
            }
            None => lacks("show calls", &arguments.trace.file, EVENTS, RECORD),
        });
    }
    let document = || {
        let mut document = functions::calls(&lines);
        document.append(functions::left_out(tree.dropped(), &pass));
        document
    };
    let facts = || {
        json!({
            "capture": pass, "lines": lines, "dropped_calls": tree.dropped(),
            "paths_left_off": tree.left_off,
        })
    };
    shown(arguments.format, document, facts, &pass)
}
