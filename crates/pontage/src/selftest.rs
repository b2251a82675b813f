//! `pontage selftest`: costs, modes, changes of level, broken clocks and broken counters of known
//! size, planted on this machine, and whether the instrument finds them.

use crate::failure::{DONE, FAILED, Failure, INTERRUPTED, NOTHING_RUNS, Outcome};
use crate::{arguments, output};
use ::report::document::{Cell, Document, Look, Table, Tone};
use ::report::format::{percent, significant, time_ns};
use engines::selftest::{self, Here, ROWS, TRIALS};
use harness::{ClockSpec, affinity};
use pontage::last_selftest;
use record::{MachineCard, SelfTest, SelfTestReading, SelfTestRow, SelfTestUnit, SelfTestVerdict};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::SystemTime;

/// Plants, measures, keeps and shows.
///
/// # Errors
/// A CPU that may not be used; when standard output cannot be written.
pub fn run(arguments: &arguments::Selftest) -> Outcome {
    let stop = harness::signals::stop_flag()
        .map_err(|e| Failure::new(format!("cannot catch signals: {e}")))?;
    let root = Path::new("/");
    let card = harness::card::card(&machine::read(root));
    let cpu = cpu(arguments.cpu, root)?;
    let spec = ClockSpec::choose(root);
    let rows = match measured(cpu, &spec, arguments.trials, &stop) {
        Ok(rows) => rows,
        Err(ended) => return Ok(ended.said(cpu)),
    };
    let test = SelfTest {
        made_utc: record::rfc3339_utc(SystemTime::now()),
        rows,
    };
    keep(&card, &test, arguments.trials);
    let shown = || document(&card, cpu, &test);
    output::study(arguments.format, shown, || facts(&card, cpu, &spec, &test))?;
    Ok(match test.ended(SelfTestVerdict::Failed).next() {
        Some(_) => FAILED,
        None => DONE,
    })
}

/// The CPU that was asked for, else the one that a run would choose.
fn cpu(asked: Option<u32>, root: &Path) -> Result<u32, Failure> {
    let allowed = affinity::allowed_cpus()
        .map_err(|e| Failure::new(format!("cannot ask which CPUs may be used: {e}")))?;
    match asked {
        None => Ok(affinity::choose(&allowed, root).test_cpu),
        Some(cpu) if allowed.contains(&cpu) => Ok(cpu),
        Some(cpu) => Err(
            Failure::new(format!("cannot measure on CPU {cpu}: not allowed here"))
                .hint(format!("allowed: {}", affinity::format_list(&allowed))),
        ),
    }
}

/// Why there are no rows.
enum NoRows {
    Stopped,
    CannotPin(std::io::Error),
    NoWork,
    NoThread(std::io::Error),
}

impl NoRows {
    fn said(&self, cpu: u32) -> u8 {
        let failure = match self {
            NoRows::Stopped => {
                harness::message!("pontage: interrupted; nothing is kept");
                return INTERRUPTED;
            }
            NoRows::CannotPin(cause) => Failure::new(format!(
                "cannot pin to CPU {cpu} (sched_setaffinity): {cause}"
            ))
            .hint(format!(
                "taskset -c {cpu} true (must succeed: allow sched_setaffinity)"
            )),
            NoRows::NoWork => Failure::new(
                "cannot plant costs: there is no work of known size for this instruction set",
            )
            .hint("none: run it on x86-64, arm64 or armv7"),
            NoRows::NoThread(cause) => Failure::new(format!("cannot start a thread: {cause}"))
                .hint("allow one more: ulimit -u"),
        };
        harness::message!("{failure}");
        NOTHING_RUNS
    }
}

/// In a thread of its own, which is pinned.
fn measured(
    cpu: u32,
    spec: &ClockSpec,
    trials: u32,
    stop: &AtomicBool,
) -> Result<Vec<SelfTestRow>, NoRows> {
    let pinned = || {
        affinity::pin(&[cpu]).map_err(NoRows::CannotPin)?;
        let here = Here::pinned_to(cpu, spec).ok_or(NoRows::NoWork)?;
        let mut number = 0;
        selftest::run(&here, trials, stop, &mut |row| {
            number += 1;
            harness::message!("{number:>3} of {ROWS} rows  {}", row.id);
        })
        .map_err(|_| NoRows::Stopped)
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, pinned);
        let thread = thread.map_err(NoRows::NoThread)?;
        let ended = thread.join();
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// A few trials are a look, no result.
fn keep(card: &MachineCard, test: &SelfTest, trials: u32) {
    if trials < TRIALS {
        harness::message!("note: fewer than {TRIALS} trials are shown and not kept");
    } else if !last_selftest::keep(card, test) {
        harness::message!("note: not kept for doctor and reports: no state folder can be written");
    }
}

fn facts(card: &MachineCard, cpu: u32, spec: &ClockSpec, test: &SelfTest) -> serde_json::Value {
    serde_json::json!({
        "tool_version": pontage::VERSION,
        "host": card.host,
        "cpu_model": card.cpu_model,
        "kernel": card.kernel,
        "cpu": cpu,
        "clock": spec.kind.name(),
        "made_utc": test.made_utc,
        "rows": test.rows,
    })
}

fn document(card: &MachineCard, cpu: u32, test: &SelfTest) -> Document {
    let head = format!(
        "Self-test on CPU {cpu}: {}, {}",
        card.cpu_model, card.kernel
    );
    let heads = [
        "planted",
        "read (95 % interval)",
        "found",
        "held",
        "verdict",
        "remark",
    ];
    let mut table = Table::of(usize::MAX, heads).look(Look::Underlined);
    table = table.indent(1).fitting();
    for row in &test.rows {
        let (word, tone) = verdict(row.verdict);
        table.row([
            Cell::from(row.planted.as_str()),
            Cell::from(read(row)),
            Cell::from(of(Some(row.found), row.trials)),
            Cell::from(of(row.held, row.trials)),
            Cell::toned(word, tone),
            Cell::from(row.note.as_str()),
        ]);
    }
    let reading = "found: trials that named it; of nothing planted, false alarms; of the counters \
                   here, those that count. held: trials whose interval holds what was planted.";
    Document::sections([
        Document::lines([head]),
        table.into(),
        Document::lines([reading.to_owned(), ::report::instrument::self_test(test)]),
    ])
}

fn verdict(verdict: SelfTestVerdict) -> (&'static str, Tone) {
    match verdict {
        SelfTestVerdict::Passed => ("passed", Tone::Good),
        SelfTestVerdict::Failed => ("FAILED", Tone::Bad),
        SelfTestVerdict::TooNoisy => ("too noisy", Tone::Caution),
        SelfTestVerdict::NotRun => ("not run", Tone::Soft),
    }
}

/// `19 of 20`.
fn of(count: Option<u32>, trials: u32) -> String {
    let count = count.filter(|_| trials > 0);
    count.map_or_else(|| "-".to_owned(), |count| format!("{count} of {trials}"))
}

/// `+5.0 % [+4.8, +5.2]`.
fn read(row: &SelfTestRow) -> String {
    let Some(SelfTestReading { center, low, high }) = row.read else {
        return "-".to_owned();
    };
    let change = |share: f64| format!("{:+.2}", 100.0 * share);
    let (value, ends) = match row.unit {
        SelfTestUnit::Change => (
            format!("{} %", change(center)),
            format!("{}, {}", change(low), change(high)),
        ),
        SelfTestUnit::Share => (percent(center), String::new()),
        SelfTestUnit::Nanoseconds => (
            time_ns(center, 3),
            format!("{}, {}", significant(low, 3), significant(high, 3)),
        ),
        // The sum makes 0 of -0.
        SelfTestUnit::Ppm => (format!("{:.0} ppm", center.round() + 0.0), String::new()),
    };
    match low < high {
        true => format!("{value} [{ends}]"),
        false => value,
    }
}

#[cfg(test)]
mod tests;
