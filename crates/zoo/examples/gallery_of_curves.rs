//! Curves of a real machine as an entry of the gallery:
//! `cargo run -p zoo --example gallery_of_curves CURVES.json NAME DATE VERSION > docs/gallery/NAME.json`.
//!
//! `fixtures/curves` holds the runs of `pontage run inference` on machines that are not at hand any
//! more; their heads were not kept, so date and version are given.

use analysis::RunView;
use analysis::inference::Patterns;
use catalogue::conclude_by;
use gallery::Entry;
use record::RunHead;
use std::error::Error;
use summary::RunSummary;
use zoo::curves::Curves;

/// Only its form is used.
const HEAD: &str = include_str!("../../../fixtures/records/v3-small/run.json");

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, name, date, version] = arguments.as_slice() else {
        return Err("give CURVES.json NAME DATE VERSION".into());
    };
    let curves = Curves::parse(&std::fs::read_to_string(file)?)?;
    let (findings, _) = conclude_by(
        experiments::all(),
        &curves.tables,
        &curves.machine,
        &Patterns::untested(),
    );
    let mut head: RunHead = serde_json::from_str(HEAD)?;
    head.machine = curves.machine;
    head.findings = findings;
    head.started_utc = date.clone();
    head.tool_version = version.clone();
    head.recipe.name = "inference".to_owned();
    let view = RunView {
        head,
        tables: curves.tables,
        speeds: Vec::new(),
    };
    let about = curves
        .about
        .split("Truth:")
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned();
    let mut entry = Entry::of(&view, &RunSummary::of(&view), name, &about);
    // Of the whole run, which was not kept.
    entry.measured.grade.clear();
    entry.measured.parts_from = None;
    print!("{}", entry.text()?);
    Ok(())
}
