//! `pontage report`: a recorded run on the terminal, as a page, as pictures.

mod against;
mod traces;
pub mod under_load;

use crate::failure::{Failure, Outcome};
use crate::flags::TableFormat;
use crate::{arguments, export, output, runs};
use ::report::ReportError;
use ::report::document::Document;
use ::report::export::Format as Export;
use ::report::format::counted;
use ::report::svg::Written;
use ::report::terminal::{brief, section};
use analysis::RunView;
use catalogue::nearest;
use record::{RunHead, RunState};
use std::path::{Path, PathBuf};

/// Shows a run.
///
/// # Errors
/// A run that cannot be read, a file that cannot be written.
pub fn run(arguments: &arguments::Report) -> Outcome {
    let folder = runs::given_or_newest(arguments.run.as_ref())?;
    if let Some(heavy) = &arguments.under_load {
        return under_load::run(arguments, &folder, &runs::find(heavy)?);
    }
    let (run, view) = runs::open(&folder)?;
    if let Some(note) = unfinished(&view.head, &folder) {
        harness::message!("{note}");
    }
    if let Some(against) = &arguments.against {
        return against::run(arguments, &view, against);
    }
    if let Some(file) = &arguments.html {
        write_page(&view, &folder, file)?;
    }
    if let Some(folder) = &arguments.svg {
        pictures(::report::svg::write_all(&view, folder), folder)?;
    }
    if let Some(folder) = &arguments.png {
        pictures(::report::png::write_all(&view, folder), folder)?;
    }
    if arguments.open {
        let page = arguments.html.clone().unwrap_or_else(|| page_of(&folder));
        if arguments.html.is_none() {
            write_page(&view, &folder, &page)?;
        }
        output::open_in_browser(&page)?;
    }
    match arguments.format {
        TableFormat::Json => return export::printed(&run, &view, Export::Json),
        TableFormat::Csv => return export::printed(&run, &view, Export::Csv),
        TableFormat::Text | TableFormat::Markdown => {}
    }
    if arguments.html.is_some() || arguments.svg.is_some() || arguments.png.is_some() {
        return Ok(crate::failure::DONE);
    }
    let format = arguments.format.without_table();
    output::shown(format.unwrap_or_default(), &shown(arguments, &view)?)
}

/// How a run that is not complete is finished, whatever form it is shown in.
fn unfinished(head: &RunHead, folder: &Path) -> Option<String> {
    let why = match &head.state {
        RunState::Complete => return None,
        RunState::Running => "it is being measured, or was killed",
        RunState::Incomplete { reason } => reason,
    };
    let note = format!(
        "note: run {} is incomplete: {why}; finish it with: pontage run --resume {}",
        head.id,
        folder.display()
    );
    Some(escape::terminal(&note).into_owned())
}

/// What is printed of a run: the answer on one screen, unless more, less or a part is asked for.
fn shown(arguments: &arguments::Report, view: &RunView) -> Result<Document, Failure> {
    let width = output::width();
    if arguments.quiet {
        return Ok(brief::quiet(view));
    }
    if arguments.all {
        return Ok(::report::terminal::document(view, width));
    }
    let Some(name) = &arguments.section else {
        return Ok(brief::document(view, width, None));
    };
    section::document(view, name, width).ok_or_else(|| {
        let names = section::names(view);
        let near = nearest::nearest(name, names.iter().map(String::as_str));
        let parts = section::SECTIONS.map(|(part, _)| part).join(", ");
        let hint = match near.as_slice() {
            [] => format!("it has: {parts}, and its experiments and areas: pontage report -q"),
            near => format!("did you mean {}?", near.join(", ")),
        };
        Failure::new(format!("cannot show section {name}: this run has none")).hint(hint)
    })
}

/// The page that belongs to a run's folder.
pub fn page_of(folder: &Path) -> PathBuf {
    folder.join("report.html")
}

/// Writes the self-contained page of the run in `folder`: whole, or not at all.
///
/// # Errors
/// When the file cannot be written.
pub fn write_page(view: &RunView, folder: &Path, file: &Path) -> Result<(), Failure> {
    let hint = "name another file with: pontage report RUN --html FILE";
    let page = ::report::html::render_with(view, &traces::of(view, folder));
    output::page(file, &page, hint)
}

fn pictures(written: Result<Written, ReportError>, folder: &Path) -> Result<(), Failure> {
    let written = written.map_err(Failure::new)?;
    let without = match written.empty {
        0 => String::new(),
        n => format!("; {n} without data left out"),
    };
    harness::message!(
        "wrote {} to {}{without}",
        counted(written.files.len(), "figure", "figures"),
        folder.display()
    );
    Ok(())
}
