//! The running kernel, while a command runs.

use super::{Profiled, nothing_called, shown};
use crate::commands;
use crate::failure::{Failure, Outcome};
use crate::output;
use crate::trace::analysis::arguments::Profile;
use crate::trace::command::{self, Running};
use crate::trace::record::Ended;
use harness::journal::Journal;
use harness::scratch::Scratch;
use harness::tracing::{FunctionWish, Method, Summed, Tracing};
use probe::function_profile::FunctionTime;
use probe::tracefs::Tracefs;
use report::analyses::functions::{self, OnCpu, Row};
use serde_json::json;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// # Errors
/// What the kernel refuses; a command that cannot be started.
pub fn run(arguments: &Profile) -> Outcome {
    commands::check_program(&arguments.command)?;
    let Some(wish) = arguments.functions.wish() else {
        return Err(
            Failure::new("cannot profile: neither a trace nor a function is named").hint(
                "pontage trace profile trace.dat, or of the running kernel: \
                 pontage trace profile --functions 'vfs_*' -- CMD",
            ),
        );
    };
    let stop = harness::signals::stop_flag()
        .map_err(|e| Failure::new(format!("cannot watch for signals: {e}")))?;
    profile(arguments, &wish, &stop).or_else(|ended| ended.outcome("profile"))
}

fn profile(arguments: &Profile, wish: &FunctionWish, stop: &AtomicBool) -> Result<u8, Ended> {
    let tracefs = Tracefs::find(Path::new("/"))?;
    let method = match arguments.by {
        None => Method::first(&tracefs, wish)?,
        Some(method) => method,
    };
    match method {
        Method::Graph => recorded(arguments, wish, stop),
        _ if !arguments.pid.is_empty() => Err(Failure::new(format!(
            "cannot profile single tasks by {}: it counts all tasks",
            method.name()
        ))
        .hint("--by graph")
        .into()),
        _ => {
            let journal = Journal::here();
            let profile = Summed::start(&tracefs, journal, wish, method)?;
            summed(arguments, profile, wish, method, stop)
        }
    }
}

fn recorded(arguments: &Profile, wish: &FunctionWish, stop: &AtomicBool) -> Result<u8, Ended> {
    let scratch = Scratch::make()
        .map_err(|e| Failure::new(format!("cannot create a scratch folder: {e}")))?;
    let events = ["sched:sched_switch"];
    let tracing = Tracing::open(&events, Some(wish), &arguments.pid, scratch.path())?;
    let mut notes = tracing.notes().to_vec();
    let waited = meanwhile(arguments, stop);
    let capture = tracing.stop().map_err(Failure::new)?;
    // A command that outlives its time is waited for when the tracer is off.
    let status = command::ended(waited?)?;
    let profiled = Profiled::of(&capture);
    if profiled.rows.is_empty() {
        return Err(nothing_called(wish).into());
    }
    let stats = capture.head.cpu_stats.iter();
    let lost: u64 = stats.map(::trace::CpuStat::lost).sum();
    if lost > 0 {
        notes.push(format!("{lost} events were lost: trace fewer functions"));
    }
    tell(Method::Graph, &notes);
    let about = json!({"method": Method::Graph.name(), "notes": notes});
    profiled.show(arguments, &about)?;
    Ok(status)
}

fn summed(
    arguments: &Profile,
    profile: Summed,
    wish: &FunctionWish,
    method: Method,
    stop: &AtomicBool,
) -> Result<u8, Ended> {
    let waited = meanwhile(arguments, stop);
    let (rows, notes) = profile.stop()?;
    // A command that outlives its time is waited for when the tracer is off.
    let status = command::ended(waited?)?;
    if rows.is_empty() {
        return Err(nothing_called(wish).into());
    }
    tell(method, &notes);
    let table = || {
        let rows: Vec<Row> = rows.iter().map(row).collect();
        functions::profile(&rows, shown(arguments))
    };
    let facts = || json!({"method": method.name(), "notes": notes, "functions": rows});
    output::study(arguments.format, table, facts)?;
    Ok(status)
}

/// What the kernel added up itself.
fn row(sum: &FunctionTime) -> Row {
    let on = |on: &probe::function_profile::OnCpu| OnCpu {
        cpu: on.cpu,
        hits: on.hits,
        total_ns: on.total_ns,
    };
    Row {
        function: sum.function.clone(),
        hits: sum.hits,
        total_ns: sum.total_ns,
        average_ns: sum.average_ns,
        variance_ns2: sum.variance_ns2,
        by_cpu: sum.by_cpu.iter().map(on).collect(),
        ..Row::default()
    }
}

fn tell(method: Method, notes: &[String]) {
    harness::message!("note: by {}", method.name());
    for note in notes {
        harness::message!("note: {note}");
    }
}

/// Until the command ends, the time is over, or a signal comes.
fn meanwhile(arguments: &Profile, stop: &AtomicBool) -> Result<Option<Running>, Failure> {
    let mut running = Running::start_any(&arguments.command)?;
    command::look_on(running.as_mut(), arguments.seconds, stop, || false);
    Ok(running)
}
