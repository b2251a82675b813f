//! `pontage card`: a run as one picture and one block of Markdown, to hand on.

use crate::failure::{Failure, Outcome};
use crate::{arguments, output, runs};
use report::card::Card;
use report::{png, svg};
use std::path::Path;

/// Writes card.svg, card.png and card.md, and prints the Markdown.
///
/// # Errors
/// A run that cannot be read, a file that cannot be written.
pub fn run(arguments: &arguments::Card) -> Outcome {
    let folder = runs::given_or_newest(arguments.run.as_ref())?;
    let (_, view) = runs::open(&folder)?;
    let card = Card::of(&view);
    let out = arguments.out.as_ref().unwrap_or(&folder);
    files::output::folder(out).map_err(|e| cannot(out, &e))?;
    let markdown = card.markdown();
    let svg = svg::card(&card).map_err(Failure::new)?;
    let png = png::card(&card).map_err(Failure::new)?;
    let written = [
        ("card.svg", svg.as_bytes()),
        ("card.png", png.as_slice()),
        ("card.md", markdown.as_bytes()),
    ];
    for (name, bytes) in written {
        let file = out.join(name);
        write(&file, bytes)?;
        harness::message!("wrote {}", file.display());
    }
    output::data(&markdown)
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    output::spare_records(file)?;
    files::output::write(file, bytes).map_err(|e| cannot(file, &e))
}

fn cannot(path: &Path, cause: &dyn std::fmt::Display) -> Failure {
    let hint = "name another folder with: pontage card RUN --out DIR";
    Failure::new(format!("cannot write {}: {cause}", path.display())).hint(hint)
}
