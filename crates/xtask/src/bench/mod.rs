//! Ourselves against named peers, measured in the same run, as ratios.
//!
//! It judges and informs; it does not gate. Ours and the peer's turn alternate
//! so that a drift of the machine falls on both. A peer that is not installed
//! is a row that says how to install it.

mod bare;
mod build;
mod chase;
mod compiler;
mod copy;
mod interference;
mod ipc;
mod json;
mod numbers;
mod ours;
mod peer;
mod row;
mod suite;
mod susan;
mod switch;
mod syscall;
mod trace;
mod turns;

use ours::Ours;
use row::{Row, Rows};
use std::path::Path;

type Section = fn(&Ours) -> Rows;

/// What can be asked for with `--only`, in the order of the table.
const SECTIONS: &[(&str, Section)] = &[
    ("start", build::start),
    ("overhead", syscall::overhead),
    ("syscall", syscall::getppid),
    ("switch", switch::hop),
    ("chase", chase::best_latency),
    ("copy", copy::best),
    ("ipc-loops", bare::loops),
    ("ipc-pipe", ipc::pipe),
    ("ipc-ring", ipc::ring),
    ("ipc-suite", ipc::suite),
    ("trace", trace::rows),
    ("susan", susan::smoothing),
    ("matrix", interference::matrix),
    ("probe", interference::probe),
    ("quick", suite::quick),
    ("build", build::clean),
];

/// Runs every section, or the one named.
pub fn run(root: &Path, only: Option<&str>) -> Result<String, String> {
    let chosen: Vec<&(&str, Section)> = SECTIONS
        .iter()
        .filter(|(name, _)| only.is_none_or(|wanted| wanted == *name))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
        return Err(format!(
            "cannot find the part {:?} of the benchmark: there are {}",
            only.unwrap_or_default(),
            names.join(", ")
        ));
    }
    let ours = Ours::build(root)?;
    let mut rows = Vec::new();
    for (name, section) in chosen {
        eprintln!("bench: {name}");
        rows.extend(section(&ours).unwrap_or_else(|cause| vec![Row::without(name, cause)]));
    }
    Ok(row::table(&rows))
}
