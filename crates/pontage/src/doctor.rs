//! `pontage doctor`: what this machine can and cannot measure, and how to
//! enable it.

use crate::last_selftest;
use ::report::document::{Cell, Document, Look, Table, Tone};
use ::report::sheet::Sheet;
use machine::Machine;
use probe::absence::NO_COMMAND;
use probe::capability::{self, Capability, Evidence, State, Tools};
use probe::counters::selftest::SelfTest;
use probe::perf::PerfReport;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

pub mod brief;
mod counters;

/// Narrower than this, the table cannot be read.
const NARROWEST: usize = 60;
/// From here on what was found has a column of its own.
const WIDE: usize = 120;

/// All that is known; the JSON form is this document.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    #[serde(serialize_with = "lossy")]
    pub root: PathBuf,
    pub machine: Machine,
    /// `None` for a stored tree: only the running kernel can be asked.
    pub perf: Option<PerfReport>,
    /// `None` for a stored tree.
    pub tools: Option<Tools>,
    /// What counters said of known work; `None` for a stored tree.
    pub counters: Option<SelfTest>,
    pub capabilities: Vec<Capability>,
    /// What killed runs have left changed; empty for a stored tree.
    pub pending: Vec<String>,
    /// What the last `pontage selftest` found; absent where there was none, and for a stored tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_test: Option<record::SelfTest>,
    /// What was not looked at, and why.
    pub notes: Vec<String>,
}

/// A folder's name may be any bytes; JSON is text.
fn lossy<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

#[derive(Debug, thiserror::Error)]
pub enum DoctorError {
    #[error("cannot read the machine below {path}: {cause}")]
    Root { path: PathBuf, cause: io::Error },
}

impl DoctorError {
    /// What to do about it, where anything helps.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            DoctorError::Root { .. } => {
                Some("--root takes a folder with proc/ and sys/ in it; / is this machine")
            }
        }
    }
}

/// Read the machine below `root`; for `/` also ask the kernel for counters and
/// look for programs.
///
/// # Errors
/// When `root` is no machine's.
pub fn gather(root: &Path) -> Result<Report, DoctorError> {
    machine::check_root(root).map_err(|cause| DoctorError::Root {
        path: root.to_owned(),
        cause,
    })?;
    let machine = machine::read(root);
    let live = root == Path::new("/");
    let perf = live.then(|| probe::perf::probe(&machine));
    let tools = live.then(|| Tools::look(&std::env::var_os("PATH").unwrap_or_default()));
    let counters = live.then(|| harness::counters::tested(&machine, root));
    let stored = (!live).then(|| {
        let root = root.display();
        format!(
            "perf events and programs were not tested: {root} is a stored tree, not this machine"
        )
    });
    let self_test = || last_selftest::of(&harness::card::card(&machine));
    Ok(Report {
        root: root.to_owned(),
        self_test: live.then(self_test).flatten(),
        capabilities: capability::list(Evidence {
            machine: &machine,
            perf: perf.as_ref(),
            tools: tools.as_ref(),
            self_test: counters.as_ref(),
        }),
        machine,
        perf,
        tools,
        counters,
        pending: live.then(crate::pending::lines).unwrap_or_default(),
        notes: stored.into_iter().collect(),
    })
}

/// The whole report as one document.
pub fn json(report: &Report) -> serde_json::Value {
    serde_json::to_value(report).unwrap_or_else(|error| {
        // No map with keys other than strings is in it, so this is not reached;
        // an explanation is still better than an end.
        serde_json::json!({ "error": error.to_string() })
    })
}

/// A row for each capability.
pub fn sheet(report: &Report) -> Sheet {
    let mut sheet = Sheet::new(["capability", "state", "purpose", "found", "remedy"]);
    for c in &report.capabilities {
        let cells = [&c.name, c.state.word(), &c.purpose, &c.detail, &c.remedy];
        sheet.row(cells);
    }
    sheet
}

/// The report for people, laid out for `width` columns; commands alone are never
/// broken, so that they can be copied.
pub fn document(report: &Report, width: usize) -> Document {
    let capabilities = &report.capabilities;
    let parts = [
        card(&report.machine),
        table(capabilities, width.max(NARROWEST) >= WIDE),
        commands(capabilities),
    ];
    let tested = report.counters.as_ref().map(counters::document);
    let parts = parts.into_iter().chain(tested);
    Document::sections(parts.chain([footer(report)]))
}

fn card(machine: &Machine) -> Document {
    let mut table = Table::of(2, ["", ""]).indent(1).fitting();
    for (label, value) in harness::card::card(machine).lines {
        table.row([label, value]);
    }
    table.into()
}

/// Commands stand below it by number, so that they need not be broken.
fn table(capabilities: &[Capability], wide: bool) -> Document {
    let behind: &[&str] = match wide {
        true => &["what it is for", "what was found"],
        false => &["purpose -> result"],
    };
    let heads = ["capability", "state", ""].iter().chain(behind).copied();
    let table = Table::of(usize::MAX, heads).look(Look::Underlined);
    let mut table = table.indent(1).fitting();
    let mut number = 0;
    for c in capabilities {
        number += usize::from(command(c).is_some());
        let mark = command(c).map_or(String::new(), |_| format!("[{number}]"));
        let mut row = vec![
            Cell::from(c.name.as_str()),
            Cell::toned(c.state.word(), tone(c.state)),
            Cell::from(mark),
        ];
        match wide {
            true => row.extend([c.purpose.clone(), found(c)].map(Cell::from)),
            false => row.push(Cell::from(format!("{} -> {}", c.purpose, found(c)))),
        }
        table.row(row);
    }
    table.into()
}

fn tone(state: State) -> Tone {
    match state {
        State::Available => Tone::Good,
        State::Limited => Tone::Caution,
        State::Absent => Tone::Bad,
    }
}

fn command(c: &Capability) -> Option<&str> {
    let none = c.remedy.is_empty() || c.remedy.starts_with(NO_COMMAND);
    (!none).then_some(c.remedy.as_str())
}

fn found(c: &Capability) -> String {
    match c.remedy.strip_prefix(NO_COMMAND) {
        Some(reason) => format!("{} (no command: {reason})", c.detail),
        None => c.detail.clone(),
    }
}

fn commands(capabilities: &[Capability]) -> Document {
    let mut document = Document::new();
    let given = capabilities.iter();
    let given = given.filter_map(|c| Some((&c.name, command(c)?)));
    for (index, (name, command)) in given.enumerate() {
        if index == 0 {
            document.line("To enable:");
        }
        document.line(format!("[{}] {name}:", index + 1));
        document.line(format!("    {command}"));
    }
    document
}

/// How many there are of each, and what else is to be known.
fn footer(report: &Report) -> Document {
    let of = |state: State| {
        let found = report.capabilities.iter().filter(|c| c.state == state);
        format!("{} {}", found.count(), state.word())
    };
    let counts = [State::Available, State::Limited, State::Absent].map(of);
    let pending = report.pending.iter().map(|p| format!("pending: {p}"));
    let notes = report.notes.iter().map(|n| format!("note: {n}"));
    let problems = report.machine.problems.iter();
    let problems = problems.map(|p| format!("problem: {p}"));
    let denied = &report.machine.denied;
    let denied = (!denied.is_empty()).then(|| {
        format!(
            "note: {} readable only with more rights: {}",
            denied.len(),
            denied.join(" ")
        )
    });
    // Of this machine only.
    let live = report.perf.as_ref();
    let self_test = live.map(|_| last_selftest::line(report.self_test.as_ref()));
    let remarks = self_test.into_iter();
    let remarks = remarks
        .chain(pending)
        .chain(notes)
        .chain(problems)
        .chain(denied);
    Document::lines(std::iter::once(counts.join(", ")).chain(remarks))
}
