//! `pontage doctor`: what this machine can and cannot measure, and how to
//! enable it.

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, Color, ContentArrangement, Table, TableComponent};
use machine::Machine;
use probe::capability::{self, Capability, Evidence, State, Tools};
use probe::perf::PerfReport;
use serde::Serialize;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    #[default]
    Text,
    Json,
}

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
    pub capabilities: Vec<Capability>,
    /// What killed runs have left changed; empty for a stored tree.
    pub pending: Vec<String>,
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
    #[error("cannot print the report: {0}")]
    Print(io::Error),
}

impl DoctorError {
    /// What to do about it, where anything helps.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            DoctorError::Root { .. } => {
                Some("--root takes a folder that holds proc/ and sys/; / is this machine")
            }
            DoctorError::Print(_) => None,
        }
    }
}

/// Examine the machine below `root` and print to standard output. Absence is
/// no failure: the exit code is 0 whatever the machine lacks.
///
/// # Errors
/// When `root` is no machine's or the output cannot be written; a reader that
/// went away is no error.
pub fn run(root: &Path, format: Format) -> Result<ExitCode, DoctorError> {
    let report = gather(root)?;
    let text = match format {
        Format::Text => styled(&report, terminal_width(), wants_colour()),
        Format::Json => format!("{:#}\n", json(&report)),
    };
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(DoctorError::Print(error)),
        _ => Ok(ExitCode::SUCCESS),
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
    let mut notes = Vec::new();
    if !live {
        notes.push(format!(
            "perf events and programs were not tried: {} is a stored tree, not this machine",
            root.display()
        ));
    }
    Ok(Report {
        root: root.to_owned(),
        capabilities: capability::list(Evidence {
            machine: &machine,
            perf: perf.as_ref(),
            tools: tools.as_ref(),
        }),
        machine,
        perf,
        tools,
        pending: if live {
            crate::pending::lines()
        } else {
            Vec::new()
        },
        notes,
    })
}

/// The whole report as one document.
#[must_use]
pub fn json(report: &Report) -> serde_json::Value {
    serde_json::to_value(report).unwrap_or_else(|error| {
        // No map with keys other than strings is in it, so this is not reached;
        // an explanation is still better than an end.
        serde_json::json!({ "error": error.to_string() })
    })
}

/// The report for people, without colour, wrapped to `width` columns; commands
/// alone are never wrapped, so that they can be copied.
#[must_use]
pub fn table(report: &Report, width: u16) -> String {
    styled(report, width, false)
}

/// Narrower than this, a table cannot be read.
const NARROWEST: u16 = 60;
/// From here on what was found has a column of its own.
const WIDE: u16 = 120;

fn styled(report: &Report, width: u16, colour: bool) -> String {
    let width = width.max(NARROWEST);
    let mut text = format!("{}\n\n", card_table(&report.machine, width));
    text += &capability_table(&report.capabilities, width, colour);
    text += &commands(&report.capabilities);
    text.push('\n');
    text += &footer(report);
    text
}

fn card_table(machine: &Machine, width: u16) -> String {
    let mut table = blank(width, false);
    for (label, value) in harness::card::card(machine).lines {
        table.add_row([label, value]);
    }
    table.trim_fmt()
}

fn blank(width: u16, colour: bool) -> Table {
    let mut table = Table::new();
    table
        .load_preset(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width);
    if colour {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

fn state_cell(state: State) -> Cell {
    let colour = match state {
        State::Available => Color::Green,
        State::Limited => Color::Yellow,
        State::Absent => Color::Red,
    };
    Cell::new(state.word()).fg(colour)
}

/// Commands stand below it by number, so that they need not be wrapped.
fn capability_table(capabilities: &[Capability], width: u16, colour: bool) -> String {
    let mut table = blank(width, colour);
    table
        .set_style(TableComponent::HeaderLines, '-')
        .set_style(TableComponent::MiddleHeaderIntersections, ' ');
    let wide = width >= WIDE;
    table.set_header(match wide {
        true => vec![
            "capability",
            "state",
            "",
            "what it is for",
            "what was found",
        ],
        false => vec![
            "capability",
            "state",
            "",
            "what it is for -> what was found",
        ],
    });
    let mut number = 0;
    for c in capabilities {
        let mut found = c.detail.clone();
        let mut command = String::new();
        if let Some(reason) = c.remedy.strip_prefix("none: ") {
            found += &format!(" (no command: {reason})");
        } else if !c.remedy.is_empty() {
            number += 1;
            command = format!("[{number}]");
        }
        let mut row = vec![Cell::new(&c.name), state_cell(c.state), Cell::new(command)];
        match wide {
            true => row.extend([Cell::new(&c.purpose), Cell::new(found)]),
            false => row.push(Cell::new(format!("{} -> {found}", c.purpose))),
        }
        table.add_row(row);
    }
    format!("{}\n", table.trim_fmt())
}

fn commands(capabilities: &[Capability]) -> String {
    let given = capabilities
        .iter()
        .filter(|c| !c.remedy.is_empty() && !c.remedy.starts_with("none: "));
    let lines = given
        .enumerate()
        .map(|(index, c)| format!("[{}] {}:\n    {}\n", index + 1, c.name, c.remedy));
    let lines: String = lines.collect();
    match lines.is_empty() {
        true => lines,
        false => format!("\nTo enable:\n{lines}"),
    }
}

fn footer(report: &Report) -> String {
    let of = |state| {
        report
            .capabilities
            .iter()
            .filter(|c| c.state == state)
            .count()
    };
    let mut text = format!(
        "{} available, {} limited, {} absent\n",
        of(State::Available),
        of(State::Limited),
        of(State::Absent)
    );
    for pending in &report.pending {
        text += &format!("pending: {pending}\n");
    }
    for note in &report.notes {
        text += &format!("note: {note}\n");
    }
    for problem in &report.machine.problems {
        text += &format!("problem: {problem}\n");
    }
    if !report.machine.denied.is_empty() {
        let files = &report.machine.denied;
        text += &format!(
            "note: {} readable only with more rights: {}\n",
            files.len(),
            files.join(" ")
        );
    }
    text
}

/// Of the terminal; 80 where there is none.
fn terminal_width() -> u16 {
    const USUAL: u16 = 80;
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    columns.or_else(|| Table::new().width()).unwrap_or(USUAL)
}

fn wants_colour() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}
