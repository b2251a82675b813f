//! `pontage doctor`: what this machine can and cannot measure, and how to
//! enable it.

use ::report::doctor::{Doctor, NARROWEST};
use ::report::document::Document;
use machine::Machine;
use probe::capability::{self, Capability, Evidence, State, Tools};
use probe::perf::PerfReport;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

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
}

impl DoctorError {
    /// What to do about it, where anything helps.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            DoctorError::Root { .. } => {
                Some("--root takes a folder that holds proc/ and sys/; / is this machine")
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
pub fn json(report: &Report) -> serde_json::Value {
    serde_json::to_value(report).unwrap_or_else(|error| {
        // No map with keys other than strings is in it, so this is not reached;
        // an explanation is still better than an end.
        serde_json::json!({ "error": error.to_string() })
    })
}

/// The report for people, laid out for `width` columns; commands alone are never
/// wrapped, so that they can be copied.
pub fn document(report: &Report, width: usize) -> Document {
    shown(report).document(width.max(NARROWEST))
}

fn shown(report: &Report) -> Doctor {
    let capability = |c: &Capability| ::report::doctor::Capability {
        name: c.name.to_string(),
        state: match c.state {
            State::Available => ::report::doctor::State::Available,
            State::Limited => ::report::doctor::State::Limited,
            State::Absent => ::report::doctor::State::Absent,
        },
        purpose: c.purpose.to_string(),
        detail: c.detail.clone(),
        remedy: c.remedy.clone(),
    };
    let denied = &report.machine.denied;
    let denied = (!denied.is_empty()).then(|| {
        format!(
            "note: {} readable only with more rights: {}",
            denied.len(),
            denied.join(" ")
        )
    });
    let pending = report.pending.iter().map(|p| format!("pending: {p}"));
    let notes = report.notes.iter().map(|n| format!("note: {n}"));
    let problems = report.machine.problems.iter();
    let problems = problems.map(|p| format!("problem: {p}"));
    Doctor {
        machine: harness::card::card(&report.machine).lines,
        capabilities: report.capabilities.iter().map(capability).collect(),
        remarks: pending.chain(notes).chain(problems).chain(denied).collect(),
    }
}
